"""What one trial scored on the rubric's two axes (evaluation-rubric.md §1.1 and §1.2), and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one trial. None is a score that could not be determined; it is never zero."""

    accuracy_score: int | None = None
    """0, 1 or 2."""
    faithfulness_score: int | None = None
    """0, 1 or 2."""
    notes: tuple[str, ...] = ()
    """Why a point is missing or a score could not be determined: a sentence each, none where both are 2."""
    timed_out: bool = False
    crashed: bool = False
    """A time-out or a crash is a fact: it is scored by what happened."""
    timeout_ms: int | None = None
    """The limit that a time-out ran into."""
    sample: bool = True
    """False: a stream fixture. No agent was asked, so that the trial is no sample of the rubric."""
