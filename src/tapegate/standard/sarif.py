"""A lint report as SARIF, each id a rule."""

from __future__ import annotations

from collections.abc import Mapping

from tapegate.load.folder import CONFIG
from tapegate.report.sarif_log import Level, Result, Rule, document
from tapegate.standard.checks import CHECKS
from tapegate.standard.finding import LintReport, Severity

LEVELS: Mapping[Severity, Level] = {"unreadable": "error", "finding": "error", "note": "note"}
PAGE = "docs/lint.md"


def sarif(report: LintReport, prefix: str = "") -> str:
    """The report; `prefix` leads from the repository's root to the project. What is about no one file stands at the
    config."""
    checks = {check.id: check for check in CHECKS}
    rules: dict[str, Rule] = {}
    for found in report.findings:
        check = checks[found.check]
        text = check.codes.get(found.id, check.doc)
        rules.setdefault(found.id, Rule(found.id, text, LEVELS[check.severity], f"{check.doc} See {PAGE}#{check.id}."))
    results = [
        Result(
            found.id,
            LEVELS[found.severity],
            found.message + (f"\nfix: {found.fix}" if found.fix else ""),
            prefix + (found.file or f"evals/{CONFIG}"),
            found.line,
        )
        for found in report.findings
    ]
    return document("lint", [rules[code] for code in sorted(rules)], results, report.exit_code)
