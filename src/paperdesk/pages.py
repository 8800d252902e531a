"""The pages: the chat with its files, and the view of one paper that `/paper/{id}` links lead to.

No build step: what the browser gets is what lies in the folder `page`.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files

from paperdesk.library import Summary
from paperdesk.paper import Paper, dated

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS = {
    # Nothing but our own files runs or loads, whatever a model or a paper writes.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Paperdesk</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/page.css">
</head>
<body>
<header><a href="/">← Back to the desk</a></header>
<main>
<h1>{title}</h1>
<p class="by">{authors}, {year}. Topic: {topic}.</p>
{body}
</main>
</body>
</html>
"""


def page_file(name: str) -> tuple[bytes, str] | None:
    """A file of the chat page and its media type; None when there is none."""
    for entry in files("paperdesk").joinpath("page").iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if entry.name == name and suffix in TYPES:
            return entry.read_bytes(), TYPES[suffix]
    return None


def paper_page(paper: Paper, summary: Summary | None = None) -> str:
    """`paper` as a plain HTML page, without private notes and file path; what ingestion made of it comes first."""
    blocks = [block.strip() for block in paper.public_body.split("\n\n") if block.strip()]
    if blocks and blocks[0].startswith("#") and blocks[0].lstrip("# ") == paper.title:
        del blocks[0]
    body = [_block(block) for block in blocks]
    return _PAGE.format(
        title=escape(paper.title),
        authors=escape(paper.authors),
        year=dated(paper.year),
        topic=escape(paper.topic),
        body="\n".join(body if summary is None else [_short(summary), *body]),
    )


def _short(summary: Summary) -> str:
    findings = "".join(f"<li>{escape(finding)}</li>" for finding in summary.key_findings)
    return f'<section class="short"><h2>In short</h2><p>{escape(summary.summary)}</p><ul>{findings}</ul></section>'


def _block(block: str) -> str:
    if block.startswith("#"):
        return f"<h2>{escape(block.lstrip('# '))}</h2>"
    return f"<p>{escape(block)}</p>"
