"""How a recorded body is framed for a client: what both doors agree on, so that a client sees the same through either.

RFC 9110 §7.6.1 (headers of one connection), RFC 9112 §6 (length of a message).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tapegate.tape.wire import Answer, HeaderPairs

OF_ONE_CONNECTION = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that say something of a connection, not of the message."""

CHUNKED = ("transfer-encoding", "chunked")


class Framed(NamedTuple):
    """A response as the client shall see it."""

    end_to_end: HeaderPairs
    """Headers as recorded, but for those of one connection."""
    framing: HeaderPairs
    """The one header that frames the body, or none."""
    chunks: tuple[bytes, ...]
    """None of them empty."""
    chunked: bool
    """Whether each chunk is a chunk of HTTP too."""
    whole: bool
    """Whether the body ends; else the connection breaks after the last chunk."""

    @property
    def headers(self) -> HeaderPairs:
        """All of them."""
        return self.end_to_end + self.framing


@dataclass(frozen=True, slots=True)
class Announced:
    """What a message's own headers say of its framing."""

    end_to_end: HeaderPairs
    """All headers but those of one connection and the length."""
    chunked: bool
    length: int | None
    """Bytes, where that was announced in a way that can be believed."""


@lru_cache(maxsize=1024)
def announced(headers: HeaderPairs) -> Announced:
    """Tell the headers of the message from those of its connection."""
    dropped = set(OF_ONE_CONNECTION)
    chunked, lengths = False, set()
    for name, value in headers:
        match name.lower():
            case "connection":
                dropped.update(token.strip().lower() for token in value.split(","))
            case "transfer-encoding":
                chunked = chunked or "chunked" in value.lower()
            case "content-length":
                lengths.add(value.strip())
    dropped.add("content-length")
    length = lengths.pop() if len(lengths) == 1 else ""
    return Announced(
        end_to_end=tuple(pair for pair in headers if pair[0].lower() not in dropped),
        chunked=chunked,
        length=int(length) if length.isascii() and length.isdigit() and len(length) <= 18 else None,
    )


def frame(answer: Answer, method: str) -> Framed:
    """Frame a recorded answer.

    A body that broke off is sent in chunks without the last one, whatever it was framed by, so that every client
    notices. One that its reader closed ends well, unless it was announced to be longer: then nobody knows the rest.
    """
    said = announced(answer.headers)
    chunks = answer.chunks
    if b"" in chunks:
        chunks = tuple(filter(None, chunks))
    if bodiless(method, answer.status):
        kept = () if said.length is None or answer.status == 204 else (("content-length", str(said.length)),)
        return Framed(said.end_to_end, kept, (), chunked=False, whole=True)
    if len(chunks) == 1 and answer.ended == "eof" and not said.chunked:
        return Framed(said.end_to_end, (("content-length", str(len(chunks[0]))),), chunks, chunked=False, whole=True)
    size = sum(map(len, chunks))
    short = answer.ended == "client_closed" and said.length is not None and said.length > size
    whole = answer.ended != "error" and not short
    if said.chunked or len(chunks) > 1 or not whole:
        return Framed(said.end_to_end, (CHUNKED,), chunks, chunked=True, whole=whole)
    return Framed(said.end_to_end, (("content-length", str(size)),), chunks, chunked=False, whole=True)


def arrivals(answer: Answer) -> tuple[int, ...]:
    """When each chunk that is not empty arrived, microseconds after the request: as `Framed.chunks` has them."""
    return tuple(at for at, data in zip(answer.at_us, answer.chunks, strict=True) if data)


def in_bytes(text: str) -> bytes:
    """Text of a response's head: what its recorder read as Latin-1, or UTF-8 where another tool kept more than that."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")


def bodiless(method: str, status: int) -> bool:
    """Whether a response has no body whatever its headers say."""
    return method == "HEAD" or status in (204, 304) or status < 200
