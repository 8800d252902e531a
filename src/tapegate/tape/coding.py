"""Content encodings of recorded bodies: whether the bytes are what their header says, and what they decode to."""

from __future__ import annotations

import zlib

from tapegate.tape.cassette import Headers
from tapegate.tape.limits import DEFAULT

_GZIP = zlib.MAX_WBITS | 16
_WINDOWS = {"gzip": (_GZIP,), "x-gzip": (_GZIP,), "deflate": (zlib.MAX_WBITS, -zlib.MAX_WBITS)}
"""RFC 9110 §8.4.1; `deflate` is zlib by the letter and raw deflate in practice."""


class Undecodable(ValueError):
    """A body that its content encoding does not decode."""

    def __init__(self, message: str, *, too_large: bool = False) -> None:
        self.too_large = too_large
        super().__init__(message)


def decoded(headers: Headers, body: bytes, *, whole: bool = True, limit: int = DEFAULT.decoded_bytes) -> bytes | None:
    """The body without its content encoding; None for an encoding that is not known here (br, zstd).

    `whole` says that the body was read to its end: then a compressed stream must end too. An empty body stays empty,
    whatever the header says (RFC 9110 §15.3.5, and every HEAD).

    Raises `Undecodable`, also where more than `limit` bytes would come out.
    """
    for coding in reversed(_codings(headers)):
        if not body or coding == "identity":
            continue
        if coding not in _WINDOWS:
            return None
        body = _inflated(coding, body, whole, limit)
    return body


def _codings(headers: Headers) -> list[str]:
    rows = [value for name, values in headers.items() if name.lower() == "content-encoding" for value in values]
    return [coding.strip().lower() for row in rows for coding in row.split(",") if coding.strip()]


def _inflated(coding: str, body: bytes, whole: bool, limit: int) -> bytes:
    failure = zlib.error()
    for window in _WINDOWS[coding]:
        try:
            return _inflate(coding, window, body, whole, limit)
        except zlib.error as error:
            failure = error
    raise Undecodable(f"content-encoding says {coding}, the body is not: {failure}; it starts with {body[:8]!r}")


def _inflate(coding: str, window: int, body: bytes, whole: bool, limit: int) -> bytes:
    out: list[bytes] = []
    left = limit
    while body:  # gzip members may follow one another (RFC 1952 §2.2)
        stream = zlib.decompressobj(window)
        piece = stream.decompress(body, left + 1)
        left -= len(piece)
        if left < 0:
            raise Undecodable(f"content-encoding {coding}: more than {limit:,} bytes come out", too_large=True)
        out.append(piece)
        if not stream.eof:
            if whole:
                raise Undecodable(f"content-encoding says {coding}, the stream breaks off after {len(body):,} bytes")
            break
        body = stream.unused_data
    return b"".join(out)
