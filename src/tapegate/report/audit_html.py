"""An audit as one HTML file: no script, no network, light and dark."""

from __future__ import annotations

from html import escape

from tapegate.model.audit import Audit
from tapegate.report.audit_story import Quoted, Section, story
from tapegate.report.inert import visible

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886; }
th { font-weight: 600; } td { overflow-wrap: break-word; font-variant-numeric: tabular-nums; }
td:first-child { min-width: 9rem; } td:not(:first-child):not(:has(q)) { white-space: nowrap; }
p { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
q { quotes: none; font-style: italic; } td q { display: block; min-width: 14rem; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(audit: Audit) -> str:
    """The whole page."""
    sections = story(audit)
    body = "\n".join(_section(number, section) for number, section in enumerate(sections))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(sections[0].title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section(number: int, section: Section) -> str:
    level = "h1" if number == 0 else "h2"
    parts = [f"<section>\n<{level}>{_text(section.title)}</{level}>"]
    parts += [f"<p>{_text(line)}</p>" for line in section.lines]
    if section.table is not None:
        head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in section.table.head)
        rows = "\n".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in section.table.rows)
        parts.append(
            f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>'
        )
    return "\n".join([*parts, "</section>"])


def _text(text: str) -> str:
    shown = escape(visible(text))
    return f"<q>{shown}</q>" if isinstance(text, Quoted) else shown
