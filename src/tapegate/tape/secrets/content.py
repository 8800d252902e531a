"""A body without its content-encoding, chunk by chunk."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

DECODED_LIMIT = 64 << 20
"""Bytes that a body may grow to when its content-encoding is undone."""
KNOWN = ("gzip", "x-gzip", "deflate", "identity")
"""Content-encodings that can be undone here."""

_PIECE = 1 << 20


class Undecodable(ValueError):
    """A body that is not what its content-encoding says; the text says why and quotes none of it."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        """`decode_error` or `size_limit`."""
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Content:
    """What a body says."""

    data: bytes
    sizes: tuple[int, ...]
    """Bytes of `data` that could be read when each chunk had arrived."""
    encoded: bool
    """Whether a content-encoding was undone."""


def decode(body: bytes, sizes: Sequence[int], encodings: Sequence[str], *, whole: bool) -> Content:
    """`body` with `encodings` (values of content-encoding headers) undone, the last one first.

    A body that is not `whole`, because its stream broke off, is undone as far as it goes. An empty one stays as it is:
    that is what HEAD, 204 and 304 answer. Raises `Undecodable`.
    """
    names = [name.strip().lower() for value in encodings for name in value.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    for name in names:
        if name not in KNOWN:
            raise Undecodable("decode_error", f"nothing here undoes it; known are {', '.join(KNOWN)}")
    if not body or not names:
        return Content(body, tuple(sizes), encoded=False)
    for name in reversed(names):
        start, pieces = 0, []
        inflater = _Inflater(_window(name, body[:2]), many=name != "deflate")
        for size in sizes:
            pieces.append(inflater.feed(body[start : start + size]))
            start += size
        pieces.append(inflater.feed(body[start:]))
        if whole and not inflater.ended:
            raise Undecodable("decode_error", "it breaks off before its end")
        tail = pieces.pop()
        sizes = [len(piece) for piece in pieces]
        body = b"".join(pieces) + tail
    return Content(body, tuple(sizes), encoded=True)


def _window(name: str, head: bytes) -> int:
    """What zlib calls wbits. RFC 9110 8.4.1.2 means the zlib format by deflate; some servers send it bare."""
    if name != "deflate":
        return 31
    return 15 if len(head) == 2 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0 else -15


class _Inflater:
    """Undoes one compressed text, or `many` one after the other, as gzip allows."""

    def __init__(self, window: int, *, many: bool) -> None:
        self._window = window
        self._many = many
        self._inflate = zlib.decompressobj(window)
        self._left = DECODED_LIMIT
        self.ended = False
        """Whether all that was fed is whole."""

    def feed(self, data: bytes) -> bytes:
        """What `data`, which follows all that was fed before, adds to the text."""
        pieces = [b""]
        # A full piece may leave output behind in zlib although all input went in.
        while data or (len(pieces[-1]) == _PIECE and not self._inflate.eof):
            if self._inflate.eof:
                if not self._many:
                    raise Undecodable("decode_error", "bytes follow its end")
                self._inflate = zlib.decompressobj(self._window)
            try:
                pieces.append(self._inflate.decompress(data, _PIECE))
            except zlib.error as error:
                raise Undecodable("decode_error", str(error)) from None
            self._left -= len(pieces[-1])
            if self._left < 0:
                raise Undecodable("size_limit", f"it grows beyond {DECODED_LIMIT} bytes")
            data = self._inflate.unconsumed_tail or self._inflate.unused_data
            self.ended = self._inflate.eof and not data
        return b"".join(pieces)
