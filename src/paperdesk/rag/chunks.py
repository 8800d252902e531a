"""Passages of papers: some sentences of one section, small enough to be judged and quoted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paperdesk.paper import Paper
from paperdesk.reading import Reading

MAX_CHARS = 500


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage; never of a private note."""

    id: str
    """`p-moss-02#3`: the paper, and which of its passages."""
    paper_id: str
    title: str
    heading: str
    text: str


def chunks(paper: Paper) -> tuple[Chunk, ...]:
    """The passages of a paper, in its order."""
    return tuple(
        Chunk(f"{paper.id}#{number}", paper.id, paper.title, heading, text)
        for number, (heading, text) in enumerate(_passages(paper), 1)
    )


def _passages(paper: Paper) -> Iterator[tuple[str, str]]:
    for section in Reading.of(paper).sections:
        passage = ""
        for sentence in section.sentences:
            if passage and len(passage) + len(sentence) >= MAX_CHARS:
                yield section.heading, passage
                passage = ""
            passage = f"{passage} {sentence}".strip()
        if passage:
            yield section.heading, passage
