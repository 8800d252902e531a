"""What a task file says of other files: its own name and folder, its path, its snapshot and its fixtures.

These checks work on the document, so that a type that is wrong in one place hides nothing elsewhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tapegate.load.describe import dotted
from tapegate.load.document import Document, Json
from tapegate.load.folder import CONFIG, TaskFile
from tapegate.load.reader import read_document
from tapegate.load.shape import is_name
from tapegate.load.shelf import Shelf
from tapegate.load.suggest import did_you_mean
from tapegate.load.task import SETUPS, read_task
from tapegate.load.template import PIECES, placeholders
from tapegate.model.problem import Problem
from tapegate.model.task import Task


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A task file that was read."""

    found: TaskFile
    document: Document
    task: Task | None
    """None where something is wrong in the file itself."""
    key: str | None
    """`<id>@<path_id>` where the file holds both."""

    @classmethod
    def of(cls, found: TaskFile) -> tuple[ReadTask, list[Problem]]:
        """A task file, and all that is wrong with it alone."""
        document = read_document(found.path, found.file)
        task, problems = read_task(document)
        eval_id, path_id = document.text("id"), document.text("path_id")
        key = None if eval_id is None or path_id is None else f"{eval_id}@{path_id}"
        return cls(found, document, task, key), problems


def misplaced(read: ReadTask) -> list[Problem]:
    """A task lies where its id, path and suite say, so that a person finds it and its cassettes."""
    document, found = read.document, read.found
    problems = []
    if read.key is not None and read.key != found.stem:
        problems.append(
            document.problem(
                "misnamed_task",
                f"the file of task {read.key!r} is called {found.path.name!r}",
                document.place(("id",)),
                f"rename it to {read.key}{found.path.suffix}, or correct id and path_id",
            )
        )
    suite = document.text("suite")
    if suite is not None and suite != found.suite:
        problems.append(
            document.problem(
                "misnamed_task",
                f"a task of suite {suite!r} lies in the folder {found.suite!r}",
                document.place(("suite",)),
                f"move it to the folder {suite!r}, or write suite: {found.suite}",
            )
        )
    return problems


def unscoped(read: ReadTask, paths: Collection[str]) -> list[Problem]:
    """A task tests a path of the scope table."""
    path_id = read.document.text("path_id")
    if path_id is None or path_id in paths:
        return []
    return [
        read.document.problem(
            "unknown_path",
            f"path {path_id!r} is not in the scope table of {CONFIG}",
            read.document.place(("path_id",)),
            did_you_mean(path_id, paths),
        )
    ]


def unserved(read: ReadTask, services: Collection[str]) -> list[Problem]:
    """A fault on the tape bends a service that there is."""
    return [
        read.document.problem(
            "unknown_service",
            f"{dotted(path)} is {name!r}, which is no service in {CONFIG}",
            read.document.place(path),
            did_you_mean(name, services),
        )
        for setup in SETUPS
        for path, name in read.document.each(*setup, "faults", "*", "service")
        if isinstance(name, str) and name not in services
    ]


def unknown_subject(read: ReadTask, subjects: Collection[str]) -> list[Problem]:
    """A subject that a task names is declared."""
    name = read.document.text("subject")
    if name is None or name in subjects:
        return []
    return [
        read.document.problem(
            "unknown_subject",
            f"subject is {name!r}, which {CONFIG} does not declare",
            read.document.place(("subject",)),
            did_you_mean(name, subjects),
        )
    ]


def unfit(read: ReadTask, subjects: Mapping[str, Json], by_path: Mapping[str, str]) -> list[Problem]:
    """A task asks its subject in a way that it can be asked; `by_path` names the subject of each path."""
    document = read.document
    asked = document.text("subject") or by_path.get(document.text("path_id") or "", "")
    subject = subjects.get(asked)
    if not isinstance(subject, dict):
        return []
    python = subject.get("kind") == "python"
    problems = [
        document.problem(
            "no_python_subject",
            f"{dotted(path)} is 'raise', and subject {asked!r}, which the task asks, is no Python callable",
            document.place(path),
            "bend the tape instead (kind: status, timeout, …), or test a path with a Python subject",
        )
        for setup in SETUPS
        for path, kind in document.each(*setup, "faults", "*", "kind")
        if kind == "raise" and not python
    ]
    if subject.get("kind") == "command" and document.text("mode") == "concurrent":
        message = "mode 'concurrent' puts several messages at once, and the subject is a command, which answers one"
        fix = "write mode: multi_turn, or test a path whose subject is a server or a Python callable"
        problems.append(document.problem("mode_mismatch", message, document.place(("mode",)), fix))
    taken = [name for _, name in placeholders(subject.get("arguments")) if name in PIECES] if python else []
    if taken and document.text("mode") not in (None, "stream_fixture"):
        message = f"the subject takes {{{taken[0]}}}, the pieces of a stream fixture, and the task is none"
        place = document.place(("mode",))
        problems.append(document.problem("mode_mismatch", message, place, "write mode: stream_fixture"))
    return problems


def unshelved(read: ReadTask, snapshots: Shelf, fixtures: Shelf) -> list[Problem]:
    """Every snapshot and fixture that a task names is exactly one file."""
    document = read.document
    named = [(path, name, snapshots) for setup in SETUPS for path, name in document.each(*setup, "db_snapshot")]
    for setup in SETUPS:
        named += [(path, name, fixtures) for path, name in document.each(*setup, "fixtures", "*")]
        named += [(path, name, fixtures) for path, name in document.each(*setup, "stream")]
    problems = []
    for path, name, shelf in named:
        fault = shelf.fault(name) if is_name(name) else None
        if fault is not None:
            code, message, fix = fault
            problems.append(document.problem(code, f"{dotted(path)}: {message}", document.place(path), fix))
    return problems


def duplicates(tasks: Iterable[ReadTask]) -> list[Problem]:
    """Keys that are one file on some system: equal, or equal but for case and Unicode form. Told at each of them."""
    groups: dict[str, list[ReadTask]] = {}
    for read in tasks:
        if read.key is not None:
            groups.setdefault(unicodedata.normalize("NFC", read.key).casefold(), []).append(read)
    problems = []
    for group in groups.values():
        for read in group if len(group) > 1 else ():
            others = [f"{_where(other)} ({other.key!r})" for other in group if other is not read]
            problems.append(
                read.document.problem(
                    "duplicate_task",
                    f"task {read.key!r} is also in {', '.join(others)}; case does not tell them apart",
                    read.document.place(("id",)),
                    "give one of them another id, or remove it",
                )
            )
    return problems


def _where(read: ReadTask) -> str:
    return f"{read.found.file}:{read.document.place(('id',))[0]}"
