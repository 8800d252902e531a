"""A few words of a text for a message, with what a reader cannot see made visible."""

from __future__ import annotations

import unicodedata

from tapegate.oracles import invisible

AROUND = 24
"""Characters shown before and after a place."""
LONGEST = 96
"""Characters of the place itself that are shown."""


def visible(text: str) -> str:
    """`text` on one line, with invisible and control characters written as escapes."""
    escaped = invisible.ANY.sub(lambda found: _escape(found.group()), text)
    return escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def excerpt(text: str, start: int, end: int) -> str:
    """The span of `text` and a little around it, on one line."""
    shown_end = min(end, start + LONGEST)
    before, after = max(0, start - AROUND), min(len(text), shown_end + AROUND)
    return f"{'…' if before else ''}{visible(text[before:after])}{'…' if after < len(text) else ''}"


def named(char: str) -> str:
    """`U+200B ZERO WIDTH SPACE`."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'without a name')}"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
