"""The value of one environment variable, recognised in every encoding it may wear."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from tapegate.tape.secrets.base64run import BREAK, PLUS, SLASH, digit_class, forms
from tapegate.tape.secrets.rule import compile_bytes, fingerprint

_IN_BASE64 = 48
"""Bytes of a value that are looked for in base64, before a run is decoded and searched for all of it."""
_BACKSLASH = r"(?:\\|%(?:25)*5[cC])"
_SHORT_ESCAPES = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


def mark(name: str) -> str:
    """What stands in a recording where the value of the environment variable `name` stood."""
    return f"REDACTED_{name}"


@dataclass(frozen=True)
class Value:
    """One value, and the patterns that find it. Its text is in no repr."""

    name: str
    text: str = field(repr=False)

    @property
    def mark(self) -> bytes:
        """What takes its place."""
        return mark(self.name).encode()

    @property
    def digest(self) -> str:
        """Its fingerprint, for messages."""
        return fingerprint(self._bytes)

    @cached_property
    def spelled(self) -> str:
        """A pattern of it raw, JSON-escaped and percent-encoded, or partly each."""
        return "".join(map(_spellings, self.text))

    @cached_property
    def in_hex(self) -> str:
        """A pattern of its bytes in hexadecimal."""
        return f"(?i:{self._bytes.hex()})"

    @cached_property
    def in_base64(self) -> str:
        """A pattern of base64 that holds its first bytes, raw or escaped, at any alignment, wrapped or not."""
        text = self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        escaped = (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], quote(self._bytes, safe=""))
        shapes: set[str] = set()
        for spelled in {self._bytes, *(each.encode() for each in escaped)}:
            sets = [frozenset({byte}) for byte in spelled[:_IN_BASE64]]
            shapes.update(f"{BREAK}?".join(map(_digit, form)) for form in forms(sets))
        return "|".join(sorted(shapes))

    @cached_property
    def plain(self) -> Any:
        """Finds it spelled or in hexadecimal; group 1 is set where it is hexadecimal."""
        return compile_bytes(f"{self.spelled}|({self.in_hex})", max_mem=1 << 28)

    @property
    def _bytes(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")


def _spellings(char: str) -> str:
    """A pattern of every way to write `char`: percent-encoding, JSON's escapes (also of strings in strings), itself.

    The longer ways come first: the last character of `…%` must not be found as the first of `…%25`.
    """
    raw = char.encode("utf-8", "surrogateescape")
    plain = "".join(f"\\x{byte:02x}" for byte in raw)
    percent = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in raw)
    ways = [percent]
    if not "\udc80" <= char <= "\udcff":
        units = char.encode("utf-16-be").hex()
        ways.append("".join(rf"{_BACKSLASH}+(?i:u{units[at : at + 4]})" for at in range(0, len(units), 4)))
    if char in _SHORT_ESCAPES:
        ways.append(rf"{_BACKSLASH}+{_SHORT_ESCAPES[char]}")
    if char in "\"'/":
        ways.append(rf"{_BACKSLASH}+(?:{percent}|{plain})")
    if char == "\\":
        ways.append(rf"(?:{_BACKSLASH}{_BACKSLASH})+")
    ways += [plain, *[r"\+"] * (char == " ")]
    return f"(?:{'|'.join(ways)})"


def _digit(digits: frozenset[int]) -> str:
    ways = [digit_class(digits)] + [SLASH] * (63 in digits) + [PLUS] * (62 in digits)
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
