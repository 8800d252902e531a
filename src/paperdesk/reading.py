"""The knowledge skill `paper.read`: a paper as sections and key findings instead of raw text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperdesk.paper import Paper

_NOTE = re.compile(r"<private>(.*?)</private>", re.IGNORECASE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the paper under one heading."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the skill makes of a paper."""

    sections: tuple[Section, ...]
    key_findings: tuple[str, ...]
    """The sentences with figures in them, of the sections that state results."""
    notes: tuple[str, ...]
    """The reader's private notes."""

    @classmethod
    def of(cls, paper: Paper) -> Reading:
        """The reading of `paper`; text before its first heading is its section `Summary`."""
        parts = re.split(r"^#+ +(.+)$", paper.public_body, flags=re.MULTILINE)
        headed = [("Summary", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
        sections = tuple(Section(heading.strip(), sentences(text)) for heading, text in headed if text.strip())
        return cls(
            sections=sections,
            key_findings=tuple(
                sentence
                for section in sections
                if section.heading.lower() in ("findings", "results", "summary")
                for sentence in section.sentences
                if any(char.isdigit() for char in sentence)
            ),
            notes=tuple(" ".join(note.split()) for note in _NOTE.findall(paper.body)),
        )


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a piece of prose, each on one line."""
    return tuple(sentence for sentence in _SENTENCE_END.split(" ".join(text.split())) if sentence)
