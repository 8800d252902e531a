"""A lint report as text for people, as JSON for programs, and as Markdown for a pull request. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tapegate.report.inert import inline_code, log_safe
from tapegate.standard.change import Change
from tapegate.standard.finding import LintFinding, LintReport, Severity

FORMAT = "tapegate.lint/1"

MOST = 50
"""Findings that Markdown lists; a summary of a step and a comment have bounds."""
LONGEST = 600
"""Characters of one text in Markdown."""

_WORDS: dict[Severity, tuple[str, str]] = {
    "unreadable": ("unreadable input", "unreadable inputs"),
    "finding": ("finding", "findings"),
    "note": ("note", "notes"),
}
_ANSWERS = {"yes": "yes", "no": "no", "not_asked": "not asked"}


def text(report: LintReport) -> str:
    """One paragraph a finding, `file:line: severity[id]: message` and its fix; with a change the checklist; and one
    line that sums up."""
    return "".join(f"{log_safe(line)}\n" for line in _lines(report))


def as_json(report: LintReport) -> str:
    """One JSON object: `schema`, `exit_code`, `tasks`, `skipped`, `fixed`, `findings`, `checklist` and `change`."""
    shown = {
        "schema": FORMAT,
        "exit_code": report.exit_code,
        "tasks": report.tasks,
        "skipped": list(report.skipped),
        "fixed": list(report.fixed),
        "findings": [asdict(finding) for finding in report.findings],
        "checklist": [asdict(answer) for answer in report.checklist],
        "change": _change(report.change) if report.change is not None else None,
    }
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def markdown(report: LintReport) -> str:
    """The checklist, what changed of the evals, and the findings; what files say stands in code."""
    return "\n".join(_markdown(report))


def summary(report: LintReport) -> str:
    """One line."""
    counted = [(report.count(severity), words) for severity, words in _WORDS.items()]
    said = [f"{number} {words[number != 1]}" for number, words in counted if number]
    tasks = "1 task" if report.tasks == 1 else f"{report.tasks} tasks"
    verdict = "clean" if report.exit_code == 0 else "not clean"
    return f"lint: {tasks}, {verdict}" + (f" ({', '.join(said)})" if said else "")


def place(finding: LintFinding) -> str:
    """`file:line`, `file`, or nothing."""
    return ":".join(str(part) for part in (finding.file, finding.line) if part is not None)


def _lines(report: LintReport) -> Iterator[str]:
    yield from (f"fixed: {fixed}" for fixed in report.fixed)
    for finding in report.findings:
        where = place(finding)
        yield f"{f'{where}: ' if where else ''}{finding.severity}[{finding.id}]: {finding.message}"
        if finding.fix:
            yield f"    fix: {finding.fix}"
    if report.skipped:
        yield f"not checked until all input can be read: {', '.join(report.skipped)}"
    if report.change is not None:
        for answer in report.checklist:
            yield f"{answer.number}. {answer.question} {_ANSWERS[answer.answer]}"
            yield from (f"   - {fact}" for fact in answer.facts)
    yield summary(report)


def _markdown(report: LintReport) -> Iterator[str]:
    yield f"## Tapegate {summary(report)}"
    yield ""
    if report.checklist:
        against = f", against {inline_code(report.change.base)}" if report.change is not None else ""
        yield f"### The standard's checklist{against}"
        yield ""
        for answer in report.checklist:
            box = "x" if answer.complies else " "
            yield f"- [{box}] {answer.number}. {answer.question} **{_ANSWERS[answer.answer]}**"
            yield from (f"  - {inline_code(fact, LONGEST)}" for fact in answer.facts)
        yield ""
    if report.change is not None and report.change.evals:
        yield from _evals(report.change)
    if report.findings:
        yield "### Findings"
        yield ""
        for finding in report.findings[:MOST]:
            where = place(finding)
            at = f"{inline_code(where)} " if where else ""
            yield f"- {finding.severity} `{finding.id}` {at}{inline_code(finding.message, LONGEST)}"
            if finding.fix:
                yield f"  - fix: {inline_code(finding.fix, LONGEST)}"
        if len(report.findings) > MOST:
            yield f"- and {len(report.findings) - MOST} more"
        yield ""


def _evals(change: Change) -> Iterator[str]:
    yield "### Evals that are not as they were"
    yield ""
    for each in change.evals[:MOST]:
        was = f" (was {inline_code(each.was)})" if each.was else ""
        yield f"- {inline_code(each.key)}{was}: {_KINDS[each.kind]}"
        yield from (f"  - no longer accepted: {inline_code(name)}" for name in each.dropped)
        for one in each.changes:
            sides = [inline_code(side, LONGEST) if side else "nothing" for side in (one.base, one.head)]
            yield f"  - {inline_code(one.place)}: {sides[0]} → {sides[1]}"
        yield from (f"  - note: {inline_code(note.note, LONGEST)}" for note in each.notes)
        if each.quarantined:
            yield f"  - quarantined {inline_code(each.quarantined, LONGEST)}"
        if each.reason:
            yield f"  - reason: {inline_code(each.reason, LONGEST)}"
    if len(change.evals) > MOST:
        yield f"- and {len(change.evals) - MOST} more"
    yield ""


_KINDS = {
    "added": "new",
    "removed": "gone",
    "renamed": "renamed",
    "contract": "asks for something else",
    "edited": "described or scored otherwise",
    "quarantined": "asks for the same",
}


def _change(change: Change) -> dict[str, Any]:
    return {
        "base": change.base,
        "commit": change.commit,
        "paths": [asdict(path) for path in change.paths],
        "new_paths": list(change.new_paths),
        "dropped_paths": [asdict(path) for path in change.dropped_paths],
        "dropped_rows": dict(change.dropped_rows),
        "config": list(change.config),
        "evals": [
            {
                "key": each.key,
                "was": each.was,
                "file": each.file,
                "kind": each.kind,
                "changes": [asdict(one) for one in each.changes],
                "dropped_outcomes": list(each.dropped),
                "notes": [note.model_dump(mode="json") for note in each.notes],
                "reason": each.reason,
                "quarantined": each.quarantined,
            }
            for each in change.evals
        ],
    }
