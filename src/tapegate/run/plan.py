"""Which trials of which tasks a run replays, and what each of them is replayed from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Literal

from tapegate.errors import CassetteError, LoadError, Stale
from tapegate.model.task import Task
from tapegate.run.fixture import Fixture, fixture_of
from tapegate.tape.store import Loaded, load, searched

Order = Literal["sorted", "reversed", "shuffled"]
PARTS = 4
"""A row of trials that one thread runs is at most so small a part of what each thread has to do."""
NIGHTLY_TRIALS = 3
"""Of a flaky-prone task in the nightly profile (standard, "CI Gate Profiles")."""
WEEKLY_ONLY = frozenset({"RET-07"})
"""Evals that the standard keeps for the weekly audit: never a gate of a pull request or a night."""
GATES = frozenset({"pr", "nightly"})


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of one task, and its recording."""

    task: Task
    number: int
    """1-based."""
    recording: Loaded | Fixture | LoadError | CassetteError | Stale
    """What is replayed, or why nothing can be."""


def plan(project: Path, tasks: Iterable[Task], profile: str) -> tuple[Trial, ...]:
    """The trials of a run, sorted by key and number, each with its verified recording."""
    return tuple(
        Trial(task, number, _recording(project, task, number))
        for task in sorted(tasks, key=lambda task: task.key)
        for number in numbers(task, profile)
    )


def of_profile(tasks: Iterable[Task], profile: str) -> tuple[Task, ...]:
    """The tasks that a profile judges: all, but for those of the weekly audit where it is a gate."""
    return tuple(task for task in tasks if profile not in GATES or task.id not in WEEKLY_ONLY)


def trial_of(project: Path, task: Task, number: int) -> Trial:
    """One trial that no profile asked for, with its verified recording."""
    return Trial(task, number, _recording(project, task, number))


def numbers(task: Task, profile: str) -> Iterable[int]:
    """The trials of `task` in `profile`."""
    count = max(task.trials, NIGHTLY_TRIALS) if profile == "nightly" and task.flaky_prone else task.trials
    return range(1, count + 1)


def in_order(trials: Sequence[Trial], order: Order, seed: int = 0) -> Sequence[Trial]:
    """The same trials in the order in which they are to be run, which no result may depend on."""
    if order == "reversed":
        return tuple(reversed(trials))
    if order == "shuffled":
        return random.Random(seed).sample(trials, len(trials))  # noqa: S311 - an order of work, no secret
    return trials


def batches(trials: Sequence[Trial], jobs: int, shared: Callable[[Trial], str | None]) -> list[list[int]]:
    """The places of `trials` in rows that one thread runs, one trial after the other, in the order of their first ones.

    Trials for which `shared` names the same thing stand in one row, so that it is made once and not by every thread;
    those for which it is None stand alone. A row is a small part of all, so that no thread waits for another for long.
    """
    most = max(1, ceil(len(trials) / (PARTS * jobs)))
    rows: list[list[int]] = []
    open_rows: dict[str, list[int]] = {}
    for place, trial in enumerate(trials):
        name = shared(trial)
        row = open_rows.get(name) if name is not None else None
        if row is None or len(row) >= most:
            rows.append(row := [])
            if name is not None:
                open_rows[name] = row
        row.append(place)
    return rows


def _recording(project: Path, task: Task, number: int) -> Loaded | Fixture | LoadError | CassetteError | Stale:
    try:
        if task.mode == "stream_fixture":
            return fixture_of(project, task)
        return searched(load(project, task.suite, task.recorded_as, number))
    except (LoadError, CassetteError, Stale) as error:
        return error
