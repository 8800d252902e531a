"""The other readings of a text: what stands in it JSON-escaped, percent-encoded, in base64 or gzipped, undone once."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from tapegate.tape.secrets.base64run import runs
from tapegate.tape.secrets.rule import compile_once

INFLATED_LIMIT = 64 << 20
"""Bytes that the gzip members inside one text may grow to, together: what is larger is refused, not skipped."""

SEARCHED_LIMIT = 256 << 20
"""Bytes of a text that may be read as gzip, counted again for each place where a member seems to start: the name of a
file in its head has no end where no zero byte follows."""

_GZIP = b"\x1f\x8b\x08"
_GZIP_IN_BASE64 = b"H4sI"
_STEP = 1 << 20
_HEAD = 256
"""What is copied first, so that a text full of what only looks like gzip costs little for each."""
_LEAST = 20
"""Base64 digits in which no known key fits."""
# Only what a key or its name could be made of: `\u003c` and `%20` stand in much innocent text and hide nothing.
_JSON_HIDES = r"\\u00(?:2[b-fB-F]|3[0-9aAdD]|[4-7][0-9a-fA-F])"
_PERCENT_HIDES = r"%(?:2[bdBDfF]|3[0-9aAdD]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])"
ENCODED = rf"\x1f\x8b\x08|H4sI|\\/|{_JSON_HIDES}|{_PERCENT_HIDES}"
"""Matches in every text of which another reading than base64 exists."""
# A line break can cut an anchor in base64; what follows it then holds the rest of the key, 20 digits and more.
# Two patterns, each with a literal start, because RE2 leaps to one with memchr: 20 times the speed of an alternation.
_WRAPPED = r"\n[ \t]*[0-9A-Za-z+/_-]{20}"
_WRAPPED_IN_JSON = r"\\n[0-9A-Za-z+/_-]{20}"
_JSON_ESCAPE = re.compile(rb"\\+u([0-9a-fA-F]{4})|\\+(.)", re.DOTALL)
_CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


class TooLarge(ValueError):
    """Gzip members that grow beyond `INFLATED_LIMIT`, or so much that looks like them that it is beyond
    `SEARCHED_LIMIT`."""


@dataclass(frozen=True, slots=True)
class View:
    """One reading of a text, or of a part of it."""

    data: bytes
    encoding: str = ""
    """What was undone: `base64`, `gzip`, `percent-encoding`, `JSON escapes`, or two of them; empty: the text itself."""
    span: tuple[int, int] | None = None
    """The part of the text it was read from; None where `data` is the whole of it."""


def hides(text: bytes, encoded: Any) -> bool:
    """Whether `text` may hold what only another reading shows. `encoded`: `ENCODED` or the base64 of what is sought."""
    return (
        encoded.search(text) is not None
        or (b"\n" in text and compile_once(_WRAPPED).search(text) is not None)
        or (b"\\n" in text and compile_once(_WRAPPED_IN_JSON).search(text) is not None)
    )


def views(text: bytes, in_base64: Any) -> Iterator[View]:
    """`text` as it is, then every other reading of it.

    `in_base64` matches base64 in which something sought may stand: a run that it does not match is not decoded.
    Raises `TooLarge`.
    """
    flat = [View(text)]
    if b"\\/" in text or compile_once(_JSON_HIDES).search(text) is not None:
        flat.append(View(json_unescaped(text), "JSON escapes"))
    if compile_once(_PERCENT_HIDES).search(text) is not None:
        flat.append(View(unquote_to_bytes(text), "percent-encoding"))
    yield from flat
    inflater = _Inflater()
    for start, end, data in inflater.members(text):
        yield View(data, "gzip", (start, end))
    seen: set[bytes] = set()
    for view in flat:
        for run in runs(view.data, _LEAST):
            if run.digits in seen:
                continue
            seen.add(run.digits)
            span = None if view.encoding else (run.start, run.end)
            if in_base64.search(run.digits) is not None:
                for phase in range(4):
                    yield View(run.decoded(phase), "base64", span)
            at = run.digits.find(_GZIP_IN_BASE64)
            if at >= 0:
                for _, _, data in inflater.members(run.decoded(at)):
                    yield View(data, "base64 and gzip", span)


def json_unescaped(text: bytes) -> bytes:
    r"""`text` with the escapes of JSON strings undone, also where a string stands in a string (`\\\"`)."""
    return _JSON_ESCAPE.sub(_unescape, text)


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1] is not None:
        return chr(int(match[1], 16)).encode("utf-8", "surrogatepass")
    return _CONTROL.get(match[2], match[2])


class _Inflater:
    """Undoes the gzip members in one text, within one limit for all of them."""

    def __init__(self) -> None:
        self._left = INFLATED_LIMIT
        self._unread = SEARCHED_LIMIT

    def members(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Start, end and content of each member; a broken one up to where it breaks."""
        at = data.find(_GZIP)
        while at >= 0:
            content, size = self._inflate(memoryview(data)[at:])
            if content:
                yield at, at + size, content
            at = data.find(_GZIP, at + max(size, 1))

    def _inflate(self, data: memoryview) -> tuple[bytes, int]:
        """What the member at the start of `data` holds, and its size; 1 where it has no end."""
        inflate = zlib.decompressobj(31)
        pieces: list[bytes] = []
        fed = 0
        while not inflate.eof and fed < len(data):
            rest = bytes(data[fed : fed + (_STEP if fed else _HEAD)])
            fed += len(rest)
            self._unread -= len(rest)
            if self._unread < 0:
                raise TooLarge
            while rest and not inflate.eof:
                try:
                    pieces.append(inflate.decompress(rest, _STEP))
                except zlib.error:
                    return b"".join(pieces), 1  # a broken member, or three bytes that only look like the start of one
                self._left -= len(pieces[-1])
                if self._left < 0:
                    raise TooLarge
                rest = inflate.unconsumed_tail
        return b"".join(pieces), fed - len(inflate.unused_data) if inflate.eof else 1
