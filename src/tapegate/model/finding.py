"""What an oracle says, and the verdict it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from tapegate.model.source import Path


class Verdict(StrEnum):
    """What is known of a trial, a task or a run (DESIGN §2)."""

    PASS = "pass"
    FAIL = "fail"
    NEEDS_REVIEW = "needs_review"
    STALE = "stale"
    ERROR = "error"


Severity = Literal["fail", "stale", "error", "needs_review", "note"]
"""The verdict that a finding alone leads to; `note` leads to none."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A condition of a task that does not hold in a trace, as an oracle reports it."""

    code: str
    """Stable snake_case id within its metric: `first_tool_not_allowed`."""
    message: str
    """One sentence a person understands without the trace."""
    path: Path
    """Where the condition stands in the task."""
    expected: str = ""
    got: str = ""
    final: bool = True
    """Whether nothing that could still follow would mend it. A condition that a longer trace might
    still meet (a citation not yet given) is not final, and after an incomplete replay it is `stale`
    rather than `fail`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the user about one trial, at a line of its task file."""

    metric: str
    code: str
    severity: Severity
    message: str
    file: str
    line: int
    trial: int
    outcome: int | None = None
    """Index of the accepted outcome whose condition this is; None for invariants and replay facts."""
    expected: str = ""
    got: str = ""
    fix: str = ""
    """A command or a sentence; empty where there is none."""
