"""Which tasks the words of a command line mean."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tapegate.errors import UsageError
from tapegate.load.suggest import did_you_mean
from tapegate.load.suite import Suite
from tapegate.model.problem import Problem
from tapegate.model.task import Task


@dataclass(frozen=True, slots=True)
class Selection:
    """The tasks that were meant; never none."""

    tasks: tuple[Task, ...]
    """Sorted by key."""
    partial: bool
    """Whether it leaves tasks of the suite out."""


def select(suite: Suite, words: tuple[str, ...] = (), *, here: Path | None = None) -> Selection:
    """The tasks that any of the words means; all of them where there are no words.

    A word is a task id, a key, a suite, a path id, a glob of one of these, or a task's file or folder: as messages
    name it, or as it is named from `here`.

    Raises `UsageError` with every word that means no task.
    """
    if not words:
        return Selection(suite.tasks, partial=False)
    chosen: set[str] = set()
    problems = []
    for word in words:
        meant = {task.key for task in suite.tasks if _means(suite, task, word, here)}
        if not meant:
            problems.append(_unknown(suite, word))
        chosen |= meant
    if problems:
        raise UsageError(*problems)
    tasks = tuple(task for task in suite.tasks if task.key in chosen)
    return Selection(tasks, partial=len(tasks) < len(suite.tasks))


def _means(suite: Suite, task: Task, word: str, here: Path | None) -> bool:
    if word in _names(task):
        return True
    if any(character in word for character in "*?["):
        return any(fnmatchcase(name, word) for name in _names(task))
    file = suite.project / task.source.file
    return any(path in (file, file.parent) for path in _paths(suite, word, here))


def _names(task: Task) -> tuple[str, ...]:
    return (task.key, task.eval, task.id, task.suite, task.path_id, task.source.file)


def _paths(suite: Suite, word: str, here: Path | None) -> list[Path]:
    roots = [suite.project] if here is None else [suite.project, here.resolve()]
    return [Path(os.path.normpath(root / word)) for root in roots if "\0" not in word]


def _unknown(suite: Suite, word: str) -> Problem:
    if word in suite.config.paths:
        message = f"{word!r} is a path of the scope table that no task tests"
    else:
        message = f"{word!r} is no task id, key, suite, path id, glob or file of a task"
    names = {name for task in suite.tasks for name in _names(task)[:-1]}
    return Problem("unknown_selection", message, fix=did_you_mean(word, names))
