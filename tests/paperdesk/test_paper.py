"""Papers and the bundled library."""

from __future__ import annotations

import re

import pytest

from paperdesk.paper import Paper, bundled

HEADER = "---\nid: p-x-1\ntitle: T\nauthors: A Lab\nyear: 2020\ntopic: t\nsource_path: /Users/reader/x.pdf\n---\n"


def test_parse() -> None:
    """A Markdown file with a header becomes a paper."""
    paper = Paper.parse(HEADER + "\n## Findings\n\nSeven.\n")
    assert paper == Paper("p-x-1", "T", "A Lab", 2020, "t", "## Findings\n\nSeven.", "/Users/reader/x.pdf")


@pytest.mark.parametrize(
    "text", ["", "no header", HEADER.replace("year: 2020\n", ""), HEADER.replace("topic", "subject"), "x" + HEADER]
)
def test_parse_refuses(text: str) -> None:
    """A header that lacks a field, or holds another, is refused."""
    with pytest.raises(ValueError, match="a paper's header has"):
        Paper.parse(text)


def test_public_body_and_prose() -> None:
    """Private notes are in neither, headings only in the public body."""
    paper = Paper.parse(HEADER + "## Findings\n\nSeven.\n\n<private>Eight.</private>\n\n## Limits\n\nNine.\n")
    assert paper.public_body == "## Findings\n\nSeven.\n\n## Limits\n\nNine."
    assert paper.prose == "Seven.\n\nNine."


def test_bundled_papers() -> None:
    """There are twelve papers, each of 150 to 350 words and rich in figures, with unique ids and titles."""
    papers = list(bundled())
    assert len(papers) == len({paper.id for paper in papers}) == len({paper.title for paper in papers}) == 12
    for paper in papers:
        assert re.fullmatch(r"p-[a-z]+-\d\d", paper.id)
        assert 150 <= len(paper.prose.split()) <= 350, paper.id
        assert len(re.findall(r"\d+", paper.prose)) >= 8, paper.id


def test_something_is_hidden() -> None:
    """Two papers hold a private note, every one a file path, so that there is something to keep back."""
    papers = list(bundled())
    assert sum("<private>" in paper.body for paper in papers) == 2
    assert all(paper.source_path.startswith("/Users/") for paper in papers)
    assert not any("/Users/" in paper.public_body for paper in papers)
