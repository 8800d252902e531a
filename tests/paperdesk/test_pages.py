"""The paper view."""

from __future__ import annotations

from paperdesk.pages import paper_page
from paperdesk.paper import Paper


def test_text_is_inert() -> None:
    """Markup in a paper is shown as text, and hidden parts are not shown."""
    evil = "<script>alert(1)</script>"
    paper = Paper("p-1", evil, evil, 2000, evil, f"## Of {evil}\n\n{evil} <private>secret</private>", "/Users/x.pdf")
    page = paper_page(paper)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 6
    assert "secret" not in page
    assert "/Users" not in page
