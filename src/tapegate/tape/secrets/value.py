"""The value of one environment variable, recognised in every encoding it may wear."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tapegate.tape.secrets.base64run import BREAK, PLUS, SLASH, digit_class, forms
from tapegate.tape.secrets.rule import compile_bytes, fingerprint

_IN_BASE64 = 48
"""Bytes of a value that are looked for in base64, before a run is decoded and searched for all of it."""
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
        """A pattern of base64 that holds its first bytes, at any alignment, wrapped or not."""
        sets = [frozenset({byte}) for byte in self._bytes[:_IN_BASE64]]
        return "|".join(f"{BREAK}?".join(map(_digit, form)) for form in forms(sets))

    @cached_property
    def plain(self) -> Any:
        """Finds it spelled or in hexadecimal; group 1 is set where it is hexadecimal."""
        return compile_bytes(f"{self.spelled}|({self.in_hex})", max_mem=1 << 28)

    @property
    def _bytes(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")


def _spellings(char: str) -> str:
    """A pattern of every way to write `char`: itself, JSON's escapes (also of strings in strings), percent-encoding."""
    raw = char.encode("utf-8", "surrogateescape")
    ways = ["".join(f"\\x{byte:02x}" for byte in raw), "".join(f"%(?:25)*(?i:{byte:02x})" for byte in raw)]
    if not "\udc80" <= char <= "\udcff":
        units = char.encode("utf-16-be").hex()
        ways.append("".join(rf"\\+(?i:u{units[at : at + 4]})" for at in range(0, len(units), 4)))
    if char in "\"'/\\":
        ways.append(rf"\\+{ways[0]}")
    if char in _SHORT_ESCAPES:
        ways.append(rf"\\+{_SHORT_ESCAPES[char]}")
    if char == " ":
        ways.append(r"\+")
    return f"(?:{'|'.join(ways)})"


def _digit(digits: frozenset[int]) -> str:
    ways = [digit_class(digits)] + [SLASH] * (63 in digits) + [PLUS] * (62 in digits)
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
