"""Characters that a reader cannot see: which they are, and where one is at home all the same.

The tables are written out rather than asked of `unicodedata`, whose answers change with the Python version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction of what stands around them (Trojan Source, CVE-2021-42574)."""

CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"
"""C0 and C1 controls that are no white space."""

TAGS = "\U000e0000-\U000e007f"
"""Tag characters: an invisible copy of ASCII."""

HIDDEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
)
"""Zero-width, filler, variation and format characters."""

ANY = re.compile(f"[{CONTROL}{BIDI}{TAGS}{HIDDEN}]")
"""One character that shows nothing."""

NEEDS_NEIGHBOURS = "\u061c\u200d\u200e\u200f\ufe0f" + "".join(chr(code) for code in range(0xE0030, 0xE0080))
"""Characters for which what follows may decide whether they are at home."""

_BIDI = re.compile(f"[{BIDI}]")
_PICTURE = re.compile(
    "[#*0-9\u00a9\u00ae\u203c\u2049\u20e3\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\ufe0f]"
)
"""What a picture character may follow in an emoji."""
_IDEOGRAPH = re.compile("[\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_JOINING = re.compile("[\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
"""Scripts whose spelling needs the joiners: Arabic, Syriac, Indic, Tibetan, Burmese, Khmer, Mongolian."""
_UNSPACED = re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3\uaa60-\uaa7f]")
"""Thai, Lao, Burmese and Khmer: words have no spaces between them, and a zero-width one says where a line may end."""
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
"""Its vowels are told apart by a separator and variation selectors of their own."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,7}\U000e007f")
"""A flag emoji of a region: a black flag, the region's code, the end mark."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A character of a text that shows nothing."""

    index: int
    char: str

    @property
    def bidi(self) -> bool:
        """Whether it changes the direction of the text around it."""
        return _BIDI.match(self.char) is not None


def unseen(text: str) -> Iterator[Unseen]:
    """The invisible characters of a text, in order, without those that its script or an emoji needs."""
    if text.isascii() and text.isprintable():
        return
    flags = {index for flag in _FLAG.finditer(text) for index in range(*flag.span())}
    right_to_left, line_end = False, -1
    for found in ANY.finditer(text):
        index, char = found.start(), found.group()
        if index in flags:
            continue
        if char in "\u061c\u200e\u200f":
            if index > line_end:  # asked once a line: a line of nothing but marks must not cost its square
                start = text.rfind("\n", 0, index) + 1
                line_end = end if (end := text.find("\n", index)) >= 0 else len(text)
                right_to_left = _RIGHT_TO_LEFT.search(text, start, line_end) is not None
            at_home = right_to_left
        else:
            at_home = _at_home(char, text[index - 1 : index], text[index + 1 : index + 2])
        if not at_home:
            yield Unseen(index, char)


def _at_home(char: str, before: str, after: str) -> bool:
    if "\ufe00" <= char <= "\ufe0f":
        if before.isascii():
            return after == "\u20e3" and _PICTURE.match(before) is not None
        return before != "\ufe0f" and bool(_PICTURE.match(before) or _IDEOGRAPH.match(before))
    if "\U000e0100" <= char <= "\U000e01ef":
        return _IDEOGRAPH.match(before) is not None
    if char == "\u200d" and _PICTURE.match(before) and _PICTURE.match(after):
        return not before.isascii() and not after.isascii()
    if char in "\u200c\u200d":
        return _JOINING.match(before) is not None
    if char == "\u200b":
        return _UNSPACED.match(before) is not None and _UNSPACED.match(after) is not None
    if "\u180b" <= char <= "\u180f":
        return _MONGOLIAN.match(before) is not None
    return False
