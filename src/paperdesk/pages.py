"""The view of one paper that `/paper/{id}` links lead to."""

from __future__ import annotations

from html import escape

from paperdesk.paper import Paper

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Paperdesk</title>
<style>body{{font:1.05rem/1.6 Georgia,serif;max-width:40rem;margin:2rem auto;padding:0 1rem}}p.by{{color:#555}}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="by">{authors}, {year}. Topic: {topic}.</p>
{body}
</main>
</body>
</html>
"""


def paper_page(paper: Paper) -> str:
    """`paper` as a plain HTML page, without private notes and file path."""
    return _PAGE.format(
        title=escape(paper.title),
        authors=escape(paper.authors),
        year=paper.year,
        topic=escape(paper.topic),
        body="\n".join(_block(block.strip()) for block in paper.public_body.split("\n\n") if block.strip()),
    )


def _block(block: str) -> str:
    if block.startswith("#"):
        return f"<h2>{escape(block.lstrip('# '))}</h2>"
    return f"<p>{escape(block)}</p>"
