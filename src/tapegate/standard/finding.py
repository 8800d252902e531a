"""What lint says, and what that makes of a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tapegate.standard.answer import Answer
from tapegate.standard.change import Change

Severity = Literal["unreadable", "finding", "note"]
"""`unreadable`: a run would refuse its input; `finding`: the standard is broken; `note`: worth knowing."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that a check found."""

    id: str
    """What is wrong, a stable snake_case id: `hash_mismatch`."""
    check: str
    """The id of the check that found it."""
    severity: Severity
    message: str
    file: str | None
    """From the project's root where it lies inside; None where no one file is meant."""
    line: int | None
    """1-based; None where the whole file is meant."""
    fix: str
    """What to do; empty where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """All that lint found in a project."""

    findings: tuple[LintFinding, ...]
    """In the order of their places."""
    tasks: int
    """How many tasks were read."""
    skipped: tuple[str, ...]
    """Checks that were not made, because they would only echo what could not be read."""
    change: Change | None = None
    """What differs from the base; None where none was named, or the input could not be read."""
    checklist: tuple[Answer, ...] = ()
    """The standard's compliance checklist; empty where the input could not be read."""
    fixed: tuple[str, ...] = ()
    """What was put right before, a sentence each."""

    @property
    def exit_code(self) -> int:
        """0: clean, notes aside; 1: something was found; 2: something could not be read."""
        found = {finding.severity for finding in self.findings}
        return 2 if "unreadable" in found else 1 if "finding" in found else 0

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity == severity for finding in self.findings)
