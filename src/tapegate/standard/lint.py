"""`tapegate lint`: every check, over one project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from tapegate.load.config import read_config
from tapegate.load.folder import CONFIG
from tapegate.load.reader import read_document
from tapegate.load.suite import survey
from tapegate.model.normaliser import Normaliser
from tapegate.model.problem import Problem
from tapegate.standard.base import Base
from tapegate.standard.check import Check
from tapegate.standard.checklist import answers
from tapegate.standard.checks import CHECKS
from tapegate.standard.finding import LintFinding, LintReport
from tapegate.standard.ground import Ground
from tapegate.standard.recordings import Reader


def lint(
    project: Path,
    evals: Path | None = None,
    checks: Sequence[Check] = CHECKS,
    *,
    base: Base | None = None,
    described: Iterable[str] = (),
    today: date | None = None,
) -> LintReport:
    """Everything that the checks find in the project of a folder; `evals` is its `evals` folder where that is another.

    With a `base`, also what the change from there to the project lacks; `described` is what its authors say of it
    beside commit messages. `today`, in UTC, is what quarantines are held against. Writes nothing, and raises nothing
    for what the project's files hold. Raises `Unavailable` where git cannot tell the change.
    """
    with Reader(project.resolve(), _normalisers(project, evals)) as reader:
        surveyed = survey(project, evals)
        readable = not surveyed.problems
        ground = Ground(surveyed, reader, today or datetime.now(UTC).date(), base, tuple(described))
        wanted = [check for check in checks if base is not None or not check.against]
        findings = [
            (problem.place(), _finding(check, problem))
            for check in wanted
            if readable or not check.sound
            for problem in check.find(ground)
        ]
    findings.sort(key=lambda placed: placed[0])
    found = tuple(finding for _, finding in findings)
    return LintReport(
        findings=found,
        tasks=len(surveyed.tasks),
        skipped=() if readable else tuple(check.id for check in wanted if check.sound),
        change=ground.change,
        checklist=tuple(answers(ground, found)) if readable else (),
    )


def _normalisers(project: Path, evals: Path | None) -> Sequence[Normaliser]:
    """What matching shall not see, read before all else: recordings are searched while the evals are read."""
    path = (evals or project / "evals") / CONFIG
    config = read_config(read_document(path, CONFIG))[0] if path.is_file() else None
    return config.normalisers if config is not None else ()


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
