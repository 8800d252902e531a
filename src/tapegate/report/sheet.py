"""A Markdown page of sections within a number of bytes, cut between items, the last sections first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_RESERVED = 400
"""Bytes kept for what says that a section was cut."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its items; without an item it is left out."""

    title: str
    items: Sequence[str]
    """Each whole by itself, ending with a line break."""
    short: Sequence[str]
    """The same items in as few words as possible; as long as `items`."""
    most: int
    """Items that are shown."""
    folded: bool = False
    """Whether a reader has to open it."""
    counts: Sequence[int] | None = None
    """How many tasks each item tells of, as long as `items`; None where each tells of one."""

    def lines(self, room: int) -> str:
        """The section within `room` bytes: items whole, then short, then counted; empty where not even that fits."""
        if not self.items:
            return ""
        opened, closed = self._frame()
        left = room - len(opened.encode()) - len(closed.encode()) - _RESERVED
        shown: list[str] = []
        for place, item in enumerate(self.items[: self.most]):
            fitting = next((text for text in (item, self.short[place]) if len(text.encode()) + 1 <= left), None)
            if fitting is None:
                break
            shown.append(fitting)
            left -= len(fitting.encode()) + 1
        if not shown and room < _RESERVED:
            return ""
        counts = self.counts if self.counts is not None else [1] * len(self.items)
        more = sum(counts[len(shown) :])
        if more:
            shown.append(f"… and {more:,} more; the report has them all.\n")
        return opened + "\n".join(shown) + closed

    def _frame(self) -> tuple[str, str]:
        if not self.folded:
            return f"{self.title}\n\n", "\n"
        return f"<details><summary>{self.title.removeprefix('### ')}</summary>\n\n", "\n</details>\n\n"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole page."""

    head: Sequence[str]
    sections: Sequence[Section]
    """The most important first."""
    foot: Sequence[str]

    def within(self, most_bytes: int) -> str:
        """The page in at most `most_bytes`, valid wherever it was cut."""
        head, foot = "\n".join([*self.head, ""]), "\n".join(self.foot)
        room = most_bytes - len(head.encode()) - len(foot.encode())
        parts = []
        for section in self.sections:
            text = section.lines(room)
            parts.append(text)
            room -= len(text.encode())
        return head + "".join(parts) + foot
