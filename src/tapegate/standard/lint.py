"""`tapegate lint`: every check, over one project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tapegate.load.suite import survey
from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.checks import CHECKS
from tapegate.standard.finding import LintFinding, LintReport
from tapegate.standard.ground import Ground


def lint(project: Path, evals: Path | None = None, checks: Sequence[Check] = CHECKS) -> LintReport:
    """Everything that the checks find in the project of a folder; `evals` is its `evals` folder where that is another.

    Writes nothing, and raises nothing for what the project's files hold.
    """
    ground = Ground(survey(project, evals))
    readable = not ground.survey.problems
    findings = [
        (problem.place(), _finding(check, problem))
        for check in checks
        if readable or not check.sound
        for problem in check.find(ground)
    ]
    findings.sort(key=lambda placed: placed[0])
    return LintReport(
        findings=tuple(finding for _, finding in findings),
        tasks=len(ground.survey.tasks),
        skipped=() if readable else tuple(check.id for check in checks if check.sound),
    )


def _finding(check: Check, problem: Problem) -> LintFinding:
    return LintFinding(
        id=problem.code,
        check=check.id,
        severity=check.severity,
        message=problem.message,
        file=problem.file,
        line=problem.line,
        fix=problem.fix or "",
    )
