"""Passages of papers."""

from __future__ import annotations

from paperdesk.paper import Paper, bundled
from paperdesk.rag.chunks import MAX_CHARS, chunks


def test_chunks_are_the_paper() -> None:
    """The passages of a paper hold all of its prose, once and in order, and nothing of its private notes."""
    for paper in bundled():
        found = chunks(paper)
        assert " ".join(" ".join(chunk.text for chunk in found).split()) == " ".join(paper.prose.split())
        assert [chunk.id for chunk in found] == [f"{paper.id}#{number}" for number in range(1, len(found) + 1)]
        assert max(len(chunk.text) for chunk in found) <= MAX_CHARS
        assert "Reader's note" not in str(found)


def test_a_long_sentence_stays_whole() -> None:
    """A sentence beyond the size is a passage of its own; a paper without text has none."""
    paper = Paper("p-1", "T", "A", 2000, "x", "## H\n\nOne. " + "Word " * 200 + "end. Two.")
    assert [len(chunk.text) > MAX_CHARS for chunk in chunks(paper)] == [False, True, False]
    assert chunks(Paper("p-1", "T", "A", 2000, "x", "")) == ()
