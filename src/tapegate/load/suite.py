"""A project's evals as one suite: the config and every task, checked against each other and against the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import LoadError
from tapegate.load.cases import expanded
from tapegate.load.config import read_config
from tapegate.load.document import Document, Draft
from tapegate.load.folder import CONFIG, Folder
from tapegate.load.reader import read_document
from tapegate.load.references import (
    ReadTask,
    duplicates,
    misplaced,
    unfit,
    unknown_subject,
    unscoped,
    unserved,
    unshelved,
)
from tapegate.load.shelf import Shelf
from tapegate.model.config import Config
from tapegate.model.problem import Problem
from tapegate.model.source import Source
from tapegate.model.task import Task


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything a run needs to know of a project before it starts."""

    project: Path
    """Absolute, links resolved."""
    evals: Path
    """Likewise."""
    config: Config
    source: Source
    """Where the config's parts stand."""
    tasks: tuple[Task, ...]
    """Sorted by key, a task with cases as its cases; never empty."""
    snapshots: Shelf
    fixtures: Shelf

    def task(self, key: str) -> Task:
        """The task with this key. Raises `KeyError` for a key that is not there."""
        for task in self.tasks:
            if task.key == key:
                return task
        raise KeyError(key)

    def snapshot_of(self, task: Task) -> Path | None:
        """The file of a task's database snapshot; None where it wants none."""
        name = task.setup.db_snapshot
        return None if name is None else self.snapshots.file(name)

    def fixtures_of(self, task: Task) -> tuple[Path, ...]:
        """The files of a task's fixtures, in its order."""
        return tuple(self.fixtures.file(name) for name in task.setup.fixtures)


@dataclass(frozen=True, slots=True)
class Survey:
    """What could be read of a project, and everything wrong with it."""

    project: Path
    evals: Path
    config: Config | None
    """None where it is missing or wrong."""
    source: Source
    """Of the config."""
    tasks: tuple[Task, ...]
    """Those with nothing wrong in their own file, sorted by key, their cases in them."""
    snapshots: Shelf
    fixtures: Shelf
    problems: tuple[Problem, ...]
    """In the order of their places."""

    def suite(self) -> Suite:
        """The suite, if nothing is wrong with it.

        Raises `LoadError` with every problem of every file.
        """
        if self.problems or self.config is None:
            raise LoadError(*self.problems)
        tasks = tuple(case for task in self.tasks for case in expanded(task))
        return Suite(self.project, self.evals, self.config, self.source, tasks, self.snapshots, self.fixtures)


def load_suite(project: Path, evals: Path | None = None) -> Suite:
    """The suite of the project in a folder; `evals` is its `evals` folder where that is another one.

    Raises `LoadError` with every problem of every file.
    """
    return survey(project, evals).suite()


def survey(project: Path, evals: Path | None = None) -> Survey:
    """Read all that can be read of a project. Raises nothing for what its files hold."""
    folder = Folder.of(project, evals)
    document = _config_document(folder)
    config, problems = read_config(document)
    paths = {str(path[-1]) for path, _ in document.each("paths", "*")}
    services = {str(path[-1]) for path, _ in document.each("services", "*")}
    named = {str(path[-1]): value for path, value in document.each("subjects", "*")}
    by_path = {str(path[1]): name for path, name in document.each("paths", "*", "subject") if isinstance(name, str)}
    snapshots, fixtures = Shelf.snapshots(folder), Shelf.fixtures(folder)
    reads = []
    for found in folder.task_files():
        read, wrong = ReadTask.of(found)
        reads.append(read)
        problems += [*wrong, *misplaced(read), *unshelved(read, snapshots, fixtures)]
        if document.whole:
            problems += [*unscoped(read, paths), *unserved(read, services), *unknown_subject(read, named)]
        problems += unfit(read, named, by_path)
    problems += [*duplicates(reads), *_missing_folders(folder, document), *folder.problems]
    tasks = sorted((read.task for read in reads if read.task is not None), key=lambda task: task.key)
    return Survey(
        folder.project,
        folder.evals,
        config,
        document.source,
        tuple(tasks),
        snapshots,
        fixtures,
        tuple(sorted(problems, key=Problem.place)),
    )


def _config_document(folder: Folder) -> Document:
    path = folder.evals / CONFIG
    file = folder.named(path)
    return read_document(path, file) if folder.has_config() else Draft(file).done(None, whole=False)


def _missing_folders(folder: Folder, document: Document) -> list[Problem]:
    """What a subject wants on its Python path is a folder of the project, also behind links."""
    return [
        document.problem(
            "missing_folder",
            f"subject {path[1]!r} wants {entry!r} on its Python path, and it is no folder of the project",
            document.place(path),
            "name a folder from the project's root",
        )
        for path, entry in document.each("subjects", "*", "pythonpath", "*")
        if isinstance(entry, str) and not folder.holds_folder(entry)
    ]
