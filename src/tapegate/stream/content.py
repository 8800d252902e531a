"""A recorded body without its content encoding."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

Headers = Mapping[str, Sequence[str]]
"""Header names as they were sent, each with its values in order."""

DECODED_LIMIT = 50_000_000
"""Bytes that a body may unpack to: 1 kB of gzip can hold 1 MB."""


class Undecodable(ValueError):
    """A body whose encoding is unknown, or that is not encoded as its headers say."""


def header(headers: Headers, name: str) -> str:
    """The value of a header, several joined by a comma as HTTP joins them; empty where it is absent."""
    name = name.lower()
    return ", ".join(value for key, values in headers.items() if key.lower() == name for value in values)


def decode_body(headers: Headers, body: bytes) -> bytes:
    """The body with every content encoding undone; what came of a body that broke off. Raises `Undecodable`."""
    encodings = [part.strip().lower() for part in header(headers, "content-encoding").split(",")]
    for encoding in reversed(encodings):
        if encoding in ("", "identity"):
            continue
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise Undecodable(f"content-encoding {encoding!r}; readable are gzip, deflate and identity")
        body = _inflate(body, encoding)
    return body


def _inflate(body: bytes, encoding: str) -> bytes:
    # "deflate" is zlib by RFC 9110 and raw deflate from some servers.
    windows = (zlib.MAX_WBITS | 16,) if encoding != "deflate" else (zlib.MAX_WBITS, -zlib.MAX_WBITS)
    for window in windows:
        unpacker = zlib.decompressobj(window)
        try:
            unpacked = unpacker.decompress(body, DECODED_LIMIT)
        except zlib.error:
            continue
        if unpacker.unconsumed_tail:
            raise Undecodable(f"the body unpacks to more than {DECODED_LIMIT} bytes")
        return unpacked
    raise Undecodable(f"the body is not {encoding}, as its content-encoding says")
