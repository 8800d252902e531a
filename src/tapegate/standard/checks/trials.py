"""Trials: enough of them where a result may be borderline, and all of them counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

LONGEST = timedelta(days=90)
"""How far ahead the last day of a quarantine may lie."""


def _borderline(ground: Ground) -> Iterator[Problem]:
    """A result in the band of `expect.borderline` is decided by the next recorded trial, so that one more must be
    recorded than the task's `trials`: two, where it says nothing."""
    for task in ground.cases:
        recorded = ground.recorded(task)
        if task.expect.borderline and recorded is not None and len(recorded) <= task.trials:
            yield Problem(
                "borderline_trials",
                f"{task.key} has a borderline band and {len(recorded) or 'no'} recorded trial"
                f"{'' if len(recorded) == 1 else 's'}; one more would have to decide",
                task.source.file,
                task.source.line("expect", "borderline"),
                fix=f"tapegate record {task.recorded_as} --trials {task.trials + 1}",
            )


def _expired(ground: Ground) -> Iterator[Problem]:
    """A quarantine is accepted to the end of the day that `until` names, in UTC, and that day is at most 90 days ahead:
    what takes longer is extended with a reason of then."""
    for task in ground.survey.tasks:
        held = task.quarantine
        if held is not None and date.fromisoformat(held.until) < ground.today:
            yield Problem(
                "quarantine_expired",
                f"{task.key} is quarantined until {held.until}, which is past ({held.owner}: {held.reason})",
                task.source.file,
                task.source.line("quarantine", "until"),
                fix="mend it and remove `quarantine`, or give it another date with a reason of today",
            )
        elif held is not None and date.fromisoformat(held.until) > ground.today + LONGEST:
            yield Problem(
                "quarantine_long",
                f"{task.key} is quarantined until {held.until}, which is more than {LONGEST.days} days ahead"
                f" ({held.owner}: {held.reason})",
                task.source.file,
                task.source.line("quarantine", "until"),
                fix=f"write a day up to {ground.today + LONGEST}, and extend it with a reason of then",
            )


CHECKS = (
    Check(
        "borderline",
        "A task with a borderline band has a recorded trial more than it asks for: two or more.",
        "finding",
        _borderline,
        {"borderline_trials": "A borderline result has no further trial to decide it."},
    ),
    Check(
        "quarantine",
        "No quarantine has expired, and none is for more than 90 days.",
        "finding",
        _expired,
        {
            "quarantine_expired": "A task does not block, and the day until which that was accepted is past.",
            "quarantine_long": "A task would not block for more than 90 days.",
        },
    ),
)
