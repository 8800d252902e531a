"""Hides `<thinking>` and `<private>` from the user, while the text is still arriving.

A model's reasoning and a reader's private notes are inside these tags. Rules:

- Tags nest, in any case, with or without attributes. Text shows only where no hidden tag is open.
- A tag that is never closed hides everything to the end.
- No part of a tag is ever shown, also not at the end of the text (`…<thin` loses its last five characters).
- Nothing is held back that can no longer become a tag.
"""

from __future__ import annotations

import re

HIDDEN = ("thinking", "private")

_TAG = re.compile(rf"<(/?)({'|'.join(HIDDEN)})(?=[\s/>])", re.IGNORECASE)
_CANDIDATES = tuple(f"<{slash}{name}" for name in HIDDEN for slash in ("", "/"))


class ContentFilter:
    """Feed it pieces, show what it returns; the result does not depend on where the pieces were cut.

    What it still holds when the text ends is the beginning of a tag, and is never shown.
    """

    def __init__(self) -> None:
        self._held = ""  # could still become a tag
        self._open = dict.fromkeys(HIDDEN, 0)
        self._tag: tuple[str, bool] | None = None  # name and whether it closes, from its name to its '>'
        self._slash = False  # whether the tag's last character so far was '/'

    @property
    def hiding(self) -> bool:
        """Whether a hidden tag is open."""
        return self._tag is not None or any(self._open.values())

    def feed(self, piece: str) -> str:
        """What of the text so far has become safe to show."""
        text, self._held = self._held + piece, ""
        shown: list[str] = []
        at = 0
        while at < len(text):
            if self._tag is not None:
                at = self._through_tag(text, at)
                continue
            start = text.find("<", at)
            if start < 0:
                start = len(text)
            if not self.hiding:
                shown.append(text[at:start])
            if start == len(text):
                break
            found = _TAG.match(text, start)
            if found:
                self._enter(found[2].lower(), closing=bool(found[1]))
                at = found.end()
            elif self._may_become_tag(text[start:]):
                self._held = text[start:]
                break
            else:
                if not self.hiding:
                    shown.append("<")
                at = start + 1
        return "".join(shown)

    def _enter(self, name: str, *, closing: bool) -> None:
        # Counted before its '>' arrives: a tag that never ends hides what follows it.
        if not closing:
            self._open[name] += 1
        self._tag, self._slash = (name, closing), False

    def _through_tag(self, text: str, at: int) -> int:
        """Skip the attributes of a tag; the place after its '>', or of the '<' that cuts it short."""
        assert self._tag is not None
        name, closing = self._tag
        for place in range(at, len(text)):
            char = text[place]
            if char == "<":
                self._tag = None
                return place
            if char == ">":
                if self._slash or closing:
                    self._open[name] = max(0, self._open[name] - 1)
                self._tag = None
                return place + 1
            self._slash = char == "/"
        return len(text)

    @staticmethod
    def _may_become_tag(tail: str) -> bool:
        lowered = tail.lower()
        return any(candidate.startswith(lowered) for candidate in _CANDIDATES)


def visible(text: str) -> str:
    """`text` without hidden tags and what they hold."""
    return ContentFilter().feed(text)
