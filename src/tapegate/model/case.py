"""A case: one variant of a task, judged by itself and named by its number, `RET-08@A5[3]`."""

from __future__ import annotations

from pydantic import Field

from tapegate.model.outcome import Outcome
from tapegate.model.part import Band, NonEmpty, Part
from tapegate.model.setup import Setup


class CaseExpect(Part):
    """What must hold in a case; what is left out is the task's."""

    required_invariants: tuple[NonEmpty, ...] | None = None
    """Hard gates, by name, in place of the task's."""
    accepted_outcomes: tuple[Outcome, ...] | None = Field(default=None, min_length=1)
    """Valid solution shapes, in place of the task's."""
    forbidden_patterns: tuple[NonEmpty, ...] | None = None
    """RE2 patterns that match nowhere, in place of the task's."""
    borderline: dict[NonEmpty, Band] | None = None
    """Bands beyond acceptance, in place of the task's."""


class Case(Part):
    """What of a task is otherwise in one variant of it; all else is the task's."""

    name: NonEmpty
    """What the case shows, in a few words."""
    input: NonEmpty | None = None
    """What the user says."""
    setup: Setup | None = None
    """What is set up otherwise: each field that stands here replaces the task's."""
    expect: CaseExpect | None = None
    """What must hold instead."""
