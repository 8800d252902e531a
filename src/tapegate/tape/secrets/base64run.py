r"""Base64 inside other text: finding it, undoing it, and writing it again.

A run may be of either alphabet, wrapped into lines of 60 digits and more, and escaped by JSON (`\/`, `\u002b`, `\n`) or
a URL (`%2B`). It may start anywhere in the text that holds it, so all four ways to cut it into fours are tried.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tapegate.tape.secrets.rule import compile_once

BREAK = r"(?:(?:\\+r)?\\+n|\r?\n[ \t]*)"
PLUS = r"(?:\+|\\+u002[bB]|%2[bB])"
SLASH = r"(?:/|\\+/|\\+u002[fF]|%2[fF])"
_EQUALS = r"(?:=|\\+u003[dD]|%3[dD])"
_STANDARD = rf"(?:[0-9A-Za-z]|{PLUS}|{SLASH})"
_URL_SAFE = "[0-9A-Za-z_-]"
_TOKEN = re.compile(rf"({BREAK})|({PLUS})|({SLASH})|({_EQUALS})|([0-9A-Za-z_-]+)".encode())
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_TO_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ANY = frozenset(range(256))


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text that may be base64."""

    start: int
    end: int
    """Where it stands in the text it was found in."""
    text: bytes
    """As it stands there."""
    digits: bytes
    """Its base64 digits in the standard alphabet: unwrapped, unescaped, without padding."""
    url_safe: bool
    """Which alphabet it is in; both where it holds letters and digits alone."""

    def decoded(self, phase: int) -> bytes:
        """Its bytes when the first group of four starts at digit `phase`; the last may be made of fewer bits."""
        digits = self.digits[phase:]
        return binascii.a2b_base64(digits[: len(digits) - (len(digits) % 4 == 1)] + b"=" * (-len(digits) % 4 % 3))

    def encoded(self, phase: int, data: bytes, *, bare: bool = False) -> bytes:
        """The run that decodes to `data` from digit `phase` on: dressed as this one is, or `bare` digits."""
        stray = self.digits[-1:] if (len(self.digits) - phase) % 4 == 1 else b""
        new = self.digits[:phase] + base64.b64encode(data).rstrip(b"=") + stray
        if self.url_safe:
            new = new.translate(_TO_URL_SAFE)
        return new if bare else self._dressed(new, phase)

    def _dressed(self, digits: bytes, phase: int) -> bytes:
        seen: dict[int, bytes] = {}
        width = len(digits) + 4
        for match in _TOKEN.finditer(self.text):
            if match.lastindex == 1 and 1 not in seen:
                width = len(_digits(self.text[: match.start()]))
            seen.setdefault(match.lastindex or 0, match[0])
        if 4 in seen or (len(self.digits) - phase) % 4 == 0:
            digits += b"=" * (-(len(digits) - phase) % 4 % 3)
        lines = [digits[at : at + width] for at in range(0, len(digits), width)]
        percent = any(token.startswith(b"%") for token in seen.values())
        for kind, plain, escaped in ((4, b"=", b"%3D"), (3, b"/", b"%2F"), (2, b"+", b"%2B")):
            written = seen.get(kind, escaped if percent else plain)
            if len(written) > 1:
                lines = [line.replace(plain, written) for line in lines]
        return seen.get(1, b"").join(lines)


def runs(text: bytes, least: int) -> Iterator[Run]:
    """Every run of `least` base64 digits and more in `text`: those of the URL-safe alphabet, then of the standard one.

    In that order, because `/` is a digit of the latter: to it, the segments of a path are one run.
    """
    for digit, url_safe in ((_URL_SAFE, True), (_STANDARD, False)):
        pattern = rf"(?:(?:{digit}{{60,}}{BREAK})+{digit}+|{digit}{{{least},}}){_EQUALS}{{0,2}}"
        for match in compile_once(pattern).finditer(text):
            start, end = match.span()
            found = text[start:end]
            yield Run(start, end, found, _digits(found), url_safe)


def forms(sets: Iterable[frozenset[int]]) -> Iterator[list[frozenset[int]]]:
    """How bytes out of `sets`, one set a byte, look in base64: for each of the three alignments, the digits' sets.

    Digits of which nothing is known are left out at both ends. Digits are numbers, 0 to 63.
    """
    known = list(sets)
    for alignment in range(3):
        padded = [_ANY] * alignment + known + [_ANY] * 2
        digits = []
        for index in range((len(known) + alignment) * 8 // 6 + 1):
            at, shift = divmod(index * 6, 8)
            first = {a << 8 >> (10 - shift) & 63 for a in padded[at]}
            second = {b >> (10 - shift) for b in padded[at + 1]}
            digits.append(frozenset(a | b for a in first for b in second))
        while digits and len(digits[0]) == 64:
            digits.pop(0)
        while digits and len(digits[-1]) == 64:
            digits.pop()
        yield digits


def digit_class(digits: frozenset[int]) -> str:
    """A pattern of one base64 digit out of `digits`, in either alphabet."""
    plain = "".join(chr(_ALPHABET[digit]) for digit in sorted(digits) if digit < 62)
    return f"[{plain}{'/_' if 63 in digits else ''}{'+-' if 62 in digits else ''}]"


def _digits(text: bytes) -> bytes:
    if b"\\" in text or b"%" in text or b"\n" in text:
        # By kind of token: line break, plus, slash, padding, plain digits.
        text = b"".join((b"", b"", b"+", b"/", b"=", match[0])[match.lastindex or 0] for match in _TOKEN.finditer(text))
    return text.translate(_TO_STANDARD).rstrip(b"=")
