"""Text as a leak would read once its disguises are taken off, with the way back to where it stood.

Taken off, in rounds until nothing changes: invisible characters, accents, compatibility forms (NFKD: full-width,
mathematical, circled letters), letters and brackets that only look like ASCII, HTML entities (also escaped twice),
percent escapes, backslash escapes, HTML comments. Case stays: a pattern says whether it minds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from urllib.parse import unquote_to_bytes

from tapegate.oracles import invisible

ROUNDS = 4
"""How deep escapes may be nested: `&amp;amp;lt;` is three. A bound keeps the work linear."""

_LOOKALIKES = str.maketrans(
    {
        lookalike: letter
        for letter, lookalikes in {
            "<": "‹〈⟨˂ᐸ❮❰◁⟪《",
            ">": "›〉⟩˃ᐳ❯❱▷⟫》",
            "/": "⁄∕⧸╱",
            # Cyrillic, Greek, Armenian, IPA, then the small capital.
            "a": "аαɑᴀ", "b": "ʙ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еᴇ", "f": "ꜰ", "g": "ցɡɢ", "h": "һհʜ", "i": "іιıɪ",
            "j": "јᴊ", "k": "кκᴋ", "l": "ӏʟ", "m": "ᴍ", "n": "ոηпɴ", "o": "оοօᴏ", "p": "рρᴘ", "q": "ԛ", "r": "гʀ",
            "s": "ѕꜱ", "t": "тτᴛ", "u": "υսᴜ", "v": "νѵᴠ", "w": "ԝᴡ", "x": "хχ", "y": "уγʏ", "z": "ᴢ",
            "A": "АΑ", "B": "ВΒ", "C": "СϹ", "D": "ᎠⅮ", "E": "ЕΕ", "G": "Ԍ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
            "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "V": "Ѵ", "X": "ХΧ", "Y": "ҮΥ", "Z": "Ζ",
        }.items()
        for lookalike in lookalikes
    }
)  # fmt: skip
"""Characters drawn like an ASCII one to which NFKD does not lead, as far as tags and paths need them."""
_NEGATED = "≮≯"
"""NFKD would leave the very bracket that these deny."""
_UNICODE = re.compile(r"[^\x00-\x7f]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_DISGUISE = re.compile(r"[&%\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|<!--")
"""What an ASCII text must hold for folding to change it."""
_ESCAPE = re.compile(
    r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,7};?|[A-Za-z][A-Za-z0-9]{1,31};?)"
    r"|(?:%[0-9A-Fa-f]{2})+"
    r"|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}"
    r"|\\[<>/\[\]|_]"
)
_TAGS = re.compile(f"[{invisible.TAGS}]")
_TAG_CHARACTERS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text that knows where each of its characters came from."""

    raw: str
    text: str
    origins: Sequence[int]
    """For each character of `text` the index in `raw` of the character or escape it came from."""

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of `raw` behind a span of `text`."""
        if not self.text or start >= len(self.text):
            return len(self.raw), len(self.raw)
        last = self.origins[end] if end < len(self.text) else len(self.raw)
        return self.origins[start], max(last, self.origins[start])


def fold(raw: str) -> Folded:
    """`raw` without its disguises. The last few answers are kept: several checks ask for the same one."""
    if raw.isascii() and _DISGUISE.search(raw) is None:
        return Folded(raw, raw, range(len(raw)))
    return _fold(raw)


def foldings(raw: str) -> tuple[Folded, ...]:
    """Every reading of `raw` that a leak check must see: as it stands, folded, and with tag characters decoded."""
    plain, folded = Folded(raw, raw, range(len(raw))), fold(raw)
    readings = [plain] if folded.text == raw else [plain, folded]
    if _TAGS.search(raw) is not None:
        readings.append(fold(raw.translate(_TAG_CHARACTERS)))  # one character each, so places stay what they are
    return tuple(readings)


def unveiled(raw: str) -> Folded:
    """`raw` without its invisible characters; all that a reader sees stays as it is."""
    return _rewritten(Folded(raw, raw, range(len(raw))), invisible.ANY, lambda _: "")


@lru_cache(maxsize=4)
def _fold(raw: str) -> Folded:
    folded = Folded(raw, raw, range(len(raw)))
    for _ in range(ROUNDS):
        folded = _without_unicode(folded)
        before = folded
        folded = _without_comments(_rewritten(folded, _ESCAPE, _unescaped))
        if folded is before:
            break
    return folded


def _without_unicode(folded: Folded) -> Folded:
    table = {ord(char): _bare(char) for char in set(folded.text) if _UNICODE.match(char)}
    if all(len(bare) == 1 for bare in table.values()):
        return Folded(folded.raw, folded.text.translate(table), folded.origins)
    return _rewritten(folded, _UNICODE, _bare)


@lru_cache(maxsize=4096)
def _bare(char: str) -> str:
    """What is left of a character: nothing of an invisible one or an accent, an ASCII letter of one drawn like it."""
    if char in _NEGATED:
        return char
    if invisible.ANY.match(char) is not None:
        return ""
    letters = unicodedata.normalize("NFKD", char.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _rewritten(folded: Folded, pattern: re.Pattern[str], rewrite: Callable[[str], str]) -> Folded:
    pieces: list[str] = []
    origins: list[int] = []
    done = 0
    for found in pattern.finditer(folded.text):
        start, piece = found.start(), rewrite(found.group())
        pieces += (folded.text[done:start], piece)
        origins.extend(folded.origins[done:start])
        origins.extend([folded.origins[start]] * len(piece))
        done = found.end()
    if not done:
        return folded
    pieces.append(folded.text[done:])
    origins.extend(folded.origins[done:])
    return Folded(folded.raw, "".join(pieces), origins)


def _unescaped(escape: str) -> str:
    if escape.startswith("&"):
        return unescape(escape)
    if escape.startswith("%"):
        return unquote_to_bytes(escape).decode("utf-8", "replace")
    if escape[1] in "uUx":
        code = int(escape[2:].strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else escape
    return escape[1:]


def _without_comments(folded: Folded) -> Folded:
    start = folded.text.find("<!--")
    if start < 0:
        return folded
    pieces: list[str] = []
    origins: list[int] = []
    done = 0
    while start >= 0 and (end := folded.text.find("-->", start + 4)) >= 0:
        pieces.append(folded.text[done:start])
        origins.extend(folded.origins[done:start])
        done = end + len("-->")
        start = folded.text.find("<!--", done)
    if not done:
        return folded
    pieces.append(folded.text[done:])
    origins.extend(folded.origins[done:])
    return Folded(folded.raw, "".join(pieces), origins)
