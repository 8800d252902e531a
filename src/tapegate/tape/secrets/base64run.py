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

from tapegate.tape.secrets.rule import compile_bytes

BREAK = r"(?:(?:\\+r)?\\+n|\r?\n[ \t]*)"
PLUS = r"(?:[+-]|\\+u002[bB]|%2[bB])"
SLASH = r"(?:[/_]|\\+/|\\+u002[fF]|%2[fF])"
_EQUALS = r"(?:=|\\+u003[dD]|%3[dD])"
_CHAR = rf"(?:[0-9A-Za-z]|{PLUS}|{SLASH})"
_TOKEN = re.compile(rf"({BREAK})|({PLUS})|({SLASH})|({_EQUALS})|([0-9A-Za-z]+)".encode())
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
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

    def decoded(self, phase: int) -> bytes:
        """Its bytes when the first group of four starts at digit `phase`; the last may be made of fewer bits."""
        digits = self.digits[phase:]
        return binascii.a2b_base64(digits[: len(digits) - (len(digits) % 4 == 1)] + b"=" * (-len(digits) % 4 % 3))

    def encoded(self, phase: int, data: bytes) -> bytes:
        """The run that decodes to `data` from digit `phase` on, dressed as this one is."""
        url_safe = not _standard(self.text)
        encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
        head = self.digits[:phase].translate(bytes.maketrans(b"+/", b"-_")) if url_safe else self.digits[:phase]
        left = len(self.digits) - phase
        new = head + encode(data) + (self.digits[-1:] if left % 4 == 1 else b"")
        seen: dict[int, bytes] = {}
        width = 0
        for match in _TOKEN.finditer(self.text):
            kind = match.lastindex or 0
            if kind == 1 and kind not in seen:
                width = len(_digits(self.text[: match.start()]))
            seen.setdefault(kind, match[0])
        if 4 not in seen:
            new = new.rstrip(b"=")
        lines = [new[at : at + width] for at in range(0, len(new), width)] if width else [new]
        for kind, plain in ((4, b"="), (3, b"/"), (2, b"+")):
            if len(seen.get(kind, b"")) > 1:
                lines = [line.replace(plain, seen[kind]) for line in lines]
        return seen.get(1, b"").join(lines)


def runs(text: bytes, least: int) -> Iterator[Run]:
    """Every run of `least` base64 digits and more in `text`."""
    pattern = rf"(?:(?:{_CHAR}{{60,}}{BREAK})+{_CHAR}+|{_CHAR}{{{least},}}){_EQUALS}{{0,2}}"
    for match in compile_bytes(pattern).finditer(text):
        start, end = match.span()
        found = text[start:end]
        yield Run(start, end, found, _digits(found))


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


def _standard(text: bytes) -> bool:
    return b"-" not in text and b"_" not in text


def _digits(text: bytes) -> bytes:
    if b"\\" in text or b"%" in text or b"\n" in text:
        # By kind of token: line break, plus, slash, padding, plain digits.
        text = b"".join((b"", b"", b"+", b"/", b"=", match[0])[match.lastindex or 0] for match in _TOKEN.finditer(text))
    return text.translate(_TO_STANDARD).rstrip(b"=")
