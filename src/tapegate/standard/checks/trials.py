"""Trials: enough of them where a result may be borderline."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

LEAST = 2
"""Recorded trials of a task with a borderline band: the one that was inconclusive, and the one more."""


def _borderline(ground: Ground) -> Iterator[Problem]:
    """A result in the band of `expect.borderline` is decided by the next recorded trial, so that there must be one."""
    for task in ground.survey.tasks:
        recorded = ground.recorded(task)
        if task.expect.borderline and recorded is not None and len(recorded) < LEAST:
            yield Problem(
                "borderline_trials",
                f"{task.key} has a borderline band and {len(recorded) or 'no'} recorded trial"
                f"{'' if len(recorded) == 1 else 's'}; one more would have to decide",
                task.source.file,
                task.source.line("expect", "borderline"),
                fix=f"tapegate record {task.key} --trials {LEAST}",
            )


CHECKS = (
    Check(
        "borderline",
        "A task with a borderline band has two recorded trials.",
        "finding",
        _borderline,
        {"borderline_trials": "A borderline result has no further trial to decide it."},
    ),
)
