"""Hides `<thinking>` and `<private>` from the user, while the text is still arriving.

A model's reasoning and a reader's private notes are inside these tags. Rules:

- Tags nest, in any case, with or without attributes. Text shows only where no hidden tag is open.
- A tag that is never closed hides everything to the end.
- No part of a tag is ever shown, also not at the end of the text (`…<thin` loses its last five characters).
- What is taken out leaves no tag behind: `<<private>x</private>private>` is two tags, not one.
- Nothing is held back that can no longer become a tag.
"""

from __future__ import annotations

HIDDEN = ("thinking", "private")

_STARTS = frozenset(f"<{slash}{name}" for name in HIDDEN for slash in ("", "/"))
_PREFIXES = frozenset(start[:length] for start in _STARTS for length in range(1, len(start) + 1))
_AFTER_NAME = frozenset(" \t\r\n\f\v/>")


class ContentFilter:
    """Feed it pieces, show what it returns; the result does not depend on where the pieces were cut.

    What it still holds when the text ends is the beginning of a tag, and is never shown.
    """

    def __init__(self) -> None:
        self._open = dict.fromkeys(HIDDEN, 0)
        self._tag = ""  # `<thinking` or `</thinking`, from its name to its `>`
        self._slash = False  # whether the last character inside that tag was `/`
        self._hidden_start = ""  # beginning of a tag, within hidden text
        # Beginnings of tags, within shown text. Each waits for what becomes of the next: should that turn out to be
        # a tag and go away, the text behind it continues the one before.
        self._held: list[str] = []

    @property
    def hiding(self) -> bool:
        """Whether a hidden tag is open, or being read."""
        return bool(self._tag) or any(self._open.values())

    def feed(self, piece: str) -> str:
        """What of the text so far has become safe to show."""
        if "<" not in piece and not (self._held or self.hiding):
            return piece  # most of all text: no tag is open, and none begins
        shown: list[str] = []
        for char in piece:
            if self._tag:
                self._inside_tag(char)
            elif self.hiding:
                self._inside_hidden(char)
            else:
                self._outside(char, shown)
        return "".join(shown)

    def _outside(self, char: str, shown: list[str]) -> None:
        if self._held and self._held[-1].lower() in _STARTS and char in _AFTER_NAME:
            self._enter(self._held.pop().lower(), char)
        elif self._held and (self._held[-1] + char).lower() in _PREFIXES:
            self._held[-1] += char
        elif char == "<":
            self._held.append(char)
        else:
            shown += [*self._held, char]
            self._held.clear()

    def _inside_hidden(self, char: str) -> None:
        start = self._hidden_start
        if start in _STARTS and char in _AFTER_NAME:
            self._hidden_start = ""
            self._enter(start, char)
        elif start + char.lower() in _PREFIXES:
            self._hidden_start += char.lower()
        else:
            self._hidden_start = "<" if char == "<" else ""

    def _enter(self, start: str, char: str) -> None:
        self._tag, self._slash = start, False
        if not start.startswith("</"):
            self._open[start[1:]] += 1  # before its `>`: a tag that never ends hides what follows it
        self._inside_tag(char)

    def _inside_tag(self, char: str) -> None:
        if char == ">":
            name = self._tag.strip("</")
            if self._tag.startswith("</") or self._slash:
                self._open[name] = max(0, self._open[name] - 1)
            self._tag = ""
        elif char == "<":
            self._tag = ""
            if self.hiding:
                self._hidden_start = char
            else:
                self._held.append(char)
        self._slash = char == "/"


def visible(text: str) -> str:
    """`text` without hidden tags and what they hold."""
    return ContentFilter().feed(text)
