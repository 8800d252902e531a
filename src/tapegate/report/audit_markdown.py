"""An audit as Markdown, in which nobody's text is anything but text."""

from __future__ import annotations

from tapegate.model.audit import Audit
from tapegate.report.audit_story import Quoted, Section, Table, story
from tapegate.report.inert import inline_code, visible

MOST = 700
"""Characters of a quoted text: 80 words and then some."""


def render(audit: Audit) -> str:
    """The whole report."""
    return "\n".join(line for number, section in enumerate(story(audit)) for line in _section(number, section))


def _section(number: int, section: Section) -> list[str]:
    lines = [f"{'##' if number == 0 else '###'} {section.title}", ""]
    lines += [f"- {_text(line)}" for line in section.lines]
    if section.lines:
        lines.append("")
    return [*lines, *_table(section.table), ""] if section.table is not None else lines


def _table(table: Table) -> list[str]:
    rows = [table.head, tuple("---" for _ in table.head), *table.rows]
    return [f"| {' | '.join(map(_text, row))} |" for row in rows]


def _text(text: str) -> str:
    if isinstance(text, Quoted):
        return inline_code(text, MOST)
    return " ".join(visible(text).replace("|", "¦").split())
