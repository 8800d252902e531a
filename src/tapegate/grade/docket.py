"""The findings of one trial, as they are written down."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tapegate.errors import NotJudged
from tapegate.model.finding import Finding, Severity, Unmet, Verdict
from tapegate.model.source import Path
from tapegate.model.task import Task

WORST_FIRST = (Verdict.FAIL, Verdict.ERROR, Verdict.STALE, Verdict.NEEDS_REVIEW, Verdict.PASS)
"""What outranks what within a trial and within a task.

`fail` stands first: it is a proven fact (a rule is broken, or nothing accepted can hold any more), and neither a metric
that crashed nor a recording that ended too early makes it less so. `error` outranks `stale`, since new recordings would
not make the task judgeable. (Between tasks of a run the exit codes have an order of their own: `gate`.)
"""

ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
"""What stands in the text of many errors and differs from run to run."""


@dataclass(slots=True)
class Docket:
    """Findings of one trial of one task, in the order in which they are entered."""

    task: Task
    trial: int
    findings: list[Finding] = field(default_factory=list)

    def say(
        self,
        metric: str,
        code: str,
        severity: Severity,
        message: str,
        *,
        path: Path = (),
        outcome: int | None = None,
        expected: str = "",
        got: str = "",
        fix: str = "",
    ) -> None:
        """Enter one finding at the line of `path` in the task's file."""
        source = self.task.source
        line = source.line(*path)
        self.findings.append(
            Finding(
                metric,
                code,
                severity,
                message,
                source.file,
                line,
                self.trial,
                outcome=outcome,
                expected=expected,
                got=got,
                fix=fix,
            )
        )

    def report(self, metric: str, unmet: Unmet, severity: Severity, outcome: int | None = None) -> None:
        """Enter a condition that does not hold."""
        self.say(
            metric,
            unmet.code,
            severity,
            unmet.message,
            path=unmet.path,
            outcome=outcome,
            expected=unmet.expected,
            got=unmet.got,
        )

    def crashed(self, metric: str, error: Exception) -> None:
        """Enter that a metric could not judge: for want of something, which it says itself, or because it failed."""
        if isinstance(error, NotJudged):
            for problem in error.problems:
                message = f"the metric could not judge this trial: {problem.message}"
                self.say(metric, problem.code, "error", message, fix=problem.fix or "replay it with this Tapegate")
            return
        said = ADDRESS.sub("0x…", str(error)[:300])
        message = f"the metric could not judge this trial: {type(error).__name__}: {said}"
        self.say(metric, "oracle_crashed", "error", message, fix="this is a bug of the metric, not of the agent")

    @property
    def verdict(self) -> Verdict:
        """The worst verdict that a finding leads to; `pass` where none leads to another."""
        return worst(Verdict(finding.severity) for finding in self.findings if finding.severity != "note")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The first in `WORST_FIRST` of those given; `pass` where none is given."""
    found = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in found), Verdict.PASS)
