"""A lint report as text for people and as JSON for programs. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from tapegate.report.inert import log_safe
from tapegate.standard.finding import LintFinding, LintReport, Severity

FORMAT = "tapegate.lint/1"

_WORDS: dict[Severity, tuple[str, str]] = {
    "unreadable": ("unreadable input", "unreadable inputs"),
    "finding": ("finding", "findings"),
    "note": ("note", "notes"),
}


def text(report: LintReport) -> str:
    """One paragraph a finding, `file:line: severity[id]: message` and its fix, and one line that sums up."""
    return "".join(f"{log_safe(line)}\n" for line in _lines(report))


def as_json(report: LintReport) -> str:
    """One JSON object: `schema`, `exit_code`, `tasks`, `skipped` and `findings`."""
    shown = {
        "schema": FORMAT,
        "exit_code": report.exit_code,
        "tasks": report.tasks,
        "skipped": list(report.skipped),
        "findings": [asdict(finding) for finding in report.findings],
    }
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def _lines(report: LintReport) -> Iterator[str]:
    for finding in report.findings:
        yield f"{_place(finding)}{finding.severity}[{finding.id}]: {finding.message}"
        if finding.fix:
            yield f"    fix: {finding.fix}"
    if report.skipped:
        yield f"not checked until all input can be read: {', '.join(report.skipped)}"
    yield _summary(report)


def _place(finding: LintFinding) -> str:
    place = ":".join(str(part) for part in (finding.file, finding.line) if part is not None)
    return f"{place}: " if place else ""


def _summary(report: LintReport) -> str:
    counted = [(report.count(severity), words) for severity, words in _WORDS.items()]
    said = [f"{number} {words[number != 1]}" for number, words in counted if number]
    tasks = "1 task" if report.tasks == 1 else f"{report.tasks} tasks"
    verdict = "clean" if report.exit_code == 0 else "not clean"
    return f"lint: {tasks}, {verdict}" + (f" ({', '.join(said)})" if said else "")
