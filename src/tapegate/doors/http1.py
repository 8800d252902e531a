"""Responses as bytes of HTTP/1.1 (RFC 9112)."""

from __future__ import annotations

from functools import lru_cache

from tapegate.doors.framing import Framed, in_bytes
from tapegate.tape.wire import Answer, HeaderPairs

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"


@lru_cache(maxsize=1024)
def head(status: int, reason: str, headers: HeaderPairs) -> bytes:
    """Status line and headers, without the empty line that ends them.

    Raises ValueError on a line break inside: a recording must not be able to write headers of its own.
    """
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    for line in lines:
        if "\r" in line or "\n" in line or "\0" in line:
            raise ValueError(f"a recorded response has a line break in its head: {line!r}")
    return b"".join(in_bytes(line) + b"\r\n" for line in lines)


def chunk(data: bytes) -> bytes:
    """One HTTP chunk; `data` is not empty."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def response(answer: Answer, framed: Framed, *, close: bool, old: bool) -> list[bytes]:
    """A whole response in pieces: head, then each chunk of the body, then what ends it.

    `old` is a client of HTTP/1.0, which knows no chunks: its body is announced a byte too long where it broke off.
    """
    framing, chunks, ending = framed.framing, framed.chunks, b""
    if old and framed.chunked:
        size = sum(map(len, chunks)) + (not framed.whole)
        framing = (("content-length", str(size)),)
    elif framed.chunked:
        chunks = tuple(map(chunk, chunks))
        ending = LAST_CHUNK if framed.whole else b""
    # The head without its length is the same for most answers, and found again.
    first = head(answer.status, answer.reason, framed.end_to_end)
    for name, value in framing:
        first += f"{name}: {value}\r\n".encode()
    return [first, b"connection: close\r\n\r\n" if close else b"\r\n", *chunks, ending]
