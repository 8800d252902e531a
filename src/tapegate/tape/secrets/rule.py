"""A known key format, and the sighting of one. Neither ever holds the key in a form that could be printed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from tapegate.tape.secrets.placeholder import is_placeholder

_DIGIT = re.compile(rb"[0-9]")


def compile_bytes(pattern: str, *, max_mem: int = 64 << 20) -> Any:
    """A compiled RE2 pattern that reads bytes as bytes, valid UTF-8 or not.

    Never `re2.Set`: when its automaton outgrows `max_mem` it answers "no match", and a scanner must not fail open;
    a plain pattern falls back to a slower search there.
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = max_mem
    options.log_errors = False
    return re2.compile(pattern.encode("latin-1"), options)


@cache
def compile_once(pattern: str) -> Any:
    """`compile_bytes`, remembered: for patterns that stand in the source, never for one made of a secret."""
    return compile_bytes(pattern)


@dataclass(frozen=True, slots=True)
class Rule:
    """One key format of one service."""

    id: str
    """Stable snake_case id; reports and allow-lists name it."""
    service: str
    """Whose key it is, as a person would say it."""
    pattern: str
    """RE2 over bytes; group 1 is the key, what surrounds it is context."""
    anchors: tuple[str, ...]
    """Text of which every match holds at least one: what is looked for inside base64, before anything is decoded."""
    bits: float = 3.0
    """Least Shannon entropy of the key, in bits per character: what is below is a placeholder."""
    gist: str = ""
    """A pattern that matches in all that `pattern` matches in, and starts later: for keys whose prefix comes late."""
    any_case: bool = False
    """Whether the anchors count in any case."""
    digit: bool = False
    """Whether text without a digit is no key but an identifier: `settings.openai.api_key`."""

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where keys of this format stand in `data`, placeholders left out."""
        compiled, at = compile_once(self.pattern), 0
        # Each search goes on where the last *key* ended: the context after it may be the context before the next.
        while (match := compiled.search(data, at)) is not None:
            start, end = match.span(1)
            key = data[start:end]
            if not is_placeholder(key, self.bits) and (not self.digit or _DIGIT.search(key) is not None):
                yield start, end
            at = max(end, at + 1)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A key that was found: which format, where, and a fingerprint of it. Never the key."""

    rule: str
    service: str
    digest: str
    """See `fingerprint`."""
    span: tuple[int, int] | None
    """Where in the bytes that were searched: the key, or the encoded run that holds it; None: known to no byte."""
    encoding: str = ""
    """What had to be undone first: `base64`, `gzip`, `percent-encoding`, `JSON escapes`; empty: nothing."""


def fingerprint(secret: bytes) -> str:
    """First eight hex digits of the sha256 of `secret`: enough to tell two apart, no help to guess one."""
    return hashlib.sha256(secret).hexdigest()[:8]
