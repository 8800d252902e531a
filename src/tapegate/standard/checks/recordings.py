"""Recordings: whole, pinned, of a task, and free of secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapegate.errors import TapegateError
from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT
from tapegate.tape.place import TRIAL, Place, trial_file
from tapegate.tape.scan import scan, scan_bytes
from tapegate.tape.store import load, pins_of

LOOSE = frozenset({"unpinned", "pins_disagree", "stray_file", "unfinished_write"})
"""Files that no pin vouches for. All else that is wrong with a recording makes a run refuse it."""


def _untrusted(ground: Ground) -> Iterator[Problem]:
    yield from (problem for problem in ground.recorded if problem.code not in LOOSE)


def _loose(ground: Ground) -> Iterator[Problem]:
    yield from (problem for problem in ground.recorded if problem.code in LOOSE)


def _orphans(ground: Ground) -> Iterator[Problem]:
    tasks = {(task.suite, task.key) for task in ground.survey.tasks}
    for place in ground.places:
        if (place.suite, place.key) not in tasks:
            yield Problem(
                "orphan_cassette",
                f"recordings of {place.key!r} in suite {place.suite!r} belong to no task",
                place.shown(),
                fix="remove them, or restore the task that they were made for",
            )


def _secrets(ground: Ground) -> Iterator[Problem]:
    for place in ground.places:
        for name in place.names():
            if found := TRIAL.fullmatch(name):
                yield from _secrets_of(place, int(found[1]))


def _secrets_of(place: Place, trial: int) -> Iterator[Problem]:
    file = place.shown(trial_file(trial))
    try:
        loaded = load(place.root, place.suite, place.key, trial)
    except TapegateError:  # told as untrusted or loose; its bytes may hold a secret all the same
        yield from _secrets_of_bytes(place, trial_file(trial))
        return
    yield from (replace(problem, file=file) for problem in scan(loaded.cassette))


def _secrets_of_bytes(place: Place, name: str) -> Iterator[Problem]:
    try:
        with Folder(place) as folder:
            raw = folder.read(name, DEFAULT.file_bytes)
    except TapegateError:
        return
    yield from (replace(problem, file=place.shown(name)) for problem in scan_bytes(raw or b""))


def _unrecorded(ground: Ground) -> Iterator[Problem]:
    for task in ground.survey.tasks:
        try:
            pins = pins_of(ground.survey.project, task.suite, task.key)
        except TapegateError:  # told as untrusted
            continue
        recorded = pins.cassettes if pins else {}
        missing = [trial for trial in range(1, task.trials + 1) if trial_file(trial) not in recorded]
        if missing:
            wanted = f"{task.trials} trials" if task.trials > 1 else "1 trial"
            yield Problem(
                "not_recorded",
                f"{task.key} wants {wanted}, and {len(missing)} of them are not recorded: a run would be stale",
                task.source.file,
                task.source.line("trials") if task.trials > 1 else task.source.line("id"),
                fix=f"tapegate record {task.key} --missing",
            )


CHECKS = (
    Check(
        "recordings_trusted",
        "Every recording is what its pin says, and can be read.",
        "unreadable",
        _untrusted,
        sound=False,
    ),
    Check(
        "recordings_pinned",
        "No file lies beside the recordings that no pin vouches for.",
        "finding",
        _loose,
        sound=False,
    ),
    Check("recordings_secrets", "No recording holds a key or another credential.", "unreadable", _secrets, sound=False),
    Check("recordings_orphans", "Every recording belongs to a task.", "finding", _orphans),
    Check("recordings_made", "Every trial that a task wants is recorded.", "note", _unrecorded),
)
