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
        inflater = _Inflater(gzip=name != "deflate")
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


class _Inflater:
    """Undoes gzip of one member or many, or deflate with or without its zlib header."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inflate = zlib.decompressobj(31) if gzip else None
        self._left = DECODED_LIMIT
        self.ended = False
        """Whether all that was fed is whole."""

    def feed(self, data: bytes) -> bytes:
        pieces = []
        while data:
            if self._inflate is None or self._inflate.eof:
                self._inflate = self._next(data)
            try:
                pieces.append(self._inflate.decompress(data, _PIECE))
            except zlib.error as error:
                raise Undecodable("decode_error", str(error)) from None
            self._left -= len(pieces[-1])
            if self._left < 0:
                raise Undecodable("size_limit", f"it grows beyond {DECODED_LIMIT} bytes") from None
            data = self._inflate.unconsumed_tail or self._inflate.unused_data
            self.ended = self._inflate.eof and not data
        return b"".join(pieces)

    def _next(self, data: bytes) -> zlib._Decompress:
        if self._gzip:
            return zlib.decompressobj(31)
        if self._inflate is not None:
            raise Undecodable("decode_error", "bytes follow its end")
        # RFC 9110 8.4.1.2 means the zlib format; some servers send bare deflate, and clients take both.
        header = len(data) >= 2 and data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
        return zlib.decompressobj(15 if header else -15)
