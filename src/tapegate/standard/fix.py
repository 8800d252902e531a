"""`tapegate lint --fix`: what can be put right without a decision, and without touching anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tapegate.errors import TapegateError
from tapegate.load.cases import expanded
from tapegate.load.document import Document, Json
from tapegate.load.folder import Folder as EvalsFolder
from tapegate.load.folder import TaskFile
from tapegate.load.reader import parse_document, read_document
from tapegate.load.task import read_task
from tapegate.model.source import Path as Place
from tapegate.model.task import Task
from tapegate.oracles.catalog import CATALOG, invariants
from tapegate.oracles.turns import claims
from tapegate.run.output import write_atomically
from tapegate.standard.list_edit import NotPlain, edited
from tapegate.tape.commit import writing
from tapegate.tape.place import is_leftover
from tapegate.tape.verify import places

FIXED: Mapping[str, str] = {
    "undeclared_metric": "the metric is declared",
    "unused_metric": "the metric is no longer declared",
    "duplicate_entry": "the second entry is removed",
    "misnamed_task": "the file is called like its task, where no other is",
    "unfinished_write": "what counts is put in place, the rest removed, as the next recording would",
}
"""Ids of findings that are put right, each with what is done."""

_METRICS: Place = ("grading", "deterministic_metrics")
_TOOL_LISTS = ("allowed_first_tools", "required_tools", "allowed_tools", "forbidden_tools")


def fix(project: Path, evals: Path | None = None) -> tuple[str, ...]:
    """Put right what `FIXED` names; a sentence for each change that was made.

    A file is written only where it reads back as exactly what was meant: else it is left as it was.
    """
    folder = EvalsFolder.of(project, evals)
    found = list(folder.task_files())
    return (*_recordings(folder.project), *(said for file in found for said in _task(file)))


def _recordings(project: Path) -> Iterator[str]:
    try:
        held = places(project)
    except TapegateError:
        return
    for place in held:
        if any(map(is_leftover, place.names())):
            with writing(place):
                yield f"{place.shown()}: a recording that broke off is completed or removed"


def _task(found: TaskFile) -> Iterator[str]:
    document = read_document(found.path, found.file)
    task = read_task(document)[0]
    if task is None:
        return
    for path, wanted in _lists(task):
        before = _value(document, path)
        if list(wanted) != before and _rewritten(found, document, path, wanted):
            yield f"{found.file}: {'.'.join(map(str, path))} is [{', '.join(wanted)}], was [{', '.join(before)}]"
            document = read_document(found.path, found.file)
    name = f"{task.key}{found.path.suffix}"
    target = found.path.with_name(name)
    if task.key != found.stem and not target.exists() and task.suite == found.suite:
        found.path.rename(target)
        yield f"{found.file}: renamed to {name}"


def _lists(task: Task) -> Iterator[tuple[Place, Sequence[str]]]:
    """Every list of the task that may hold too much or too little, as it should be."""
    declared = dict.fromkeys(task.grading.deterministic_metrics)
    claimed = {oracle.name: any(any(claims(oracle, case)) for case in expanded(task)) for oracle in CATALOG}
    # An unknown name may be a misspelt one: which one, a person knows, and so what belongs to a metric.
    if declared.keys() <= claimed.keys() and not _misspelt(task):
        missing = [name for name, wanted in claimed.items() if wanted and name not in declared]
        yield _METRICS, [*(name for name in declared if claimed[name]), *missing]
    yield ("expect", "required_invariants"), list(dict.fromkeys(task.expect.required_invariants))
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        for field in _TOOL_LISTS:
            yield ("expect", "accepted_outcomes", index, field), list(dict.fromkeys(getattr(outcome, field)))
            for place, turn in enumerate(outcome.turns):
                path = ("expect", "accepted_outcomes", index, "turns", place, field)
                yield path, list(dict.fromkeys(getattr(turn, field)))


def _misspelt(task: Task) -> bool:
    """Whether a slot or an invariant of the task belongs to no built-in metric."""
    slots = {slot for oracle in CATALOG for slot in oracle.slots}
    for case in expanded(task):
        shapes = [shape for outcome in case.expect.accepted_outcomes for shape in outcome.shapes]
        if any(shape.required_slots.keys() - slots for shape in shapes):
            return True
        if set(case.expect.required_invariants) - invariants().keys():
            return True
    return False


def _rewritten(found: TaskFile, document: Document, path: Place, wanted: Sequence[str]) -> bool:
    if not wanted:
        return False
    try:
        text = edited(found.path.read_bytes().decode(), document, path, wanted)
    except (NotPlain, OSError, UnicodeDecodeError):
        return False
    again = parse_document(text.encode(), found.file)
    if again.problems or again.value != _replaced(document.value, path, list(wanted)):
        return False
    write_atomically(found.path, text.encode())
    return True


def _value(document: Document, path: Place) -> list[str]:
    value = document.value
    for part in path:
        if isinstance(value, dict) and part not in value:
            return []
        value = value[part]
    return list(value)


def _replaced(value: Json, path: Place, wanted: Sequence[str]) -> Json:
    """`value` with the list at `path` replaced."""
    if not path:
        return wanted
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], wanted)
    return copy
