"""A paper, and the Markdown files that the bundled ones come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from paperdesk.content_filter import visible

FENCE = "---\n"
_FIELDS = ("id", "title", "authors", "year", "topic", "source_path")


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the library, private notes and all."""

    id: str
    title: str
    authors: str
    year: int
    topic: str
    body: str
    """Markdown. The reader's own notes stand in `<private>` tags."""
    source_path: str = ""
    """Where the reader keeps the original; never shown."""

    @property
    def public_body(self) -> str:
        """The body without the reader's private notes."""
        return re.sub(r"\n{3,}", "\n\n", visible(self.body))

    @property
    def prose(self) -> str:
        """What search reads: the public body without its headings."""
        return re.sub(r"^#+ .*\n+", "", self.public_body, flags=re.MULTILINE)

    @classmethod
    def parse(cls, text: str) -> Paper:
        """A paper from Markdown with a header of `key: value` lines between two `---` lines.

        Raises `ValueError` when the header lacks a field or holds one that is not known.
        """
        opening, header, body = text.split(FENCE, 2) if text.count(FENCE) >= 2 else ("?", "", "")
        pairs = dict(line.split(": ", 1) for line in header.splitlines() if ": " in line)
        if opening or set(pairs) != set(_FIELDS):
            raise ValueError(
                f"a paper's header has {sorted(pairs)}: expected {sorted(_FIELDS)} between two '---' lines"
            )
        return cls(
            id=pairs["id"],
            title=pairs["title"],
            authors=pairs["authors"],
            year=int(pairs["year"]),
            topic=pairs["topic"],
            body=body.strip(),
            source_path=pairs["source_path"],
        )


def dated(year: int) -> str:
    """A year as it is read; 0 is one that is not known."""
    return str(year) if year else "n.d."


def bundled() -> Iterator[Paper]:
    """The papers that come with Paperdesk, by id."""
    for entry in sorted(files("paperdesk").joinpath("papers").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".md"):
            yield Paper.parse(entry.read_text(encoding="utf-8"))
