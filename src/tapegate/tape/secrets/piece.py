"""The parts of a recording that can hold a secret, each with the words that say where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from tapegate.model.problem import Problem
from tapegate.tape.cassette import AgentStream, Headers, Interaction
from tapegate.tape.secrets.content import Undecodable, decode
from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.rule import Sighting

_NAME_LIMIT = 40
"""Characters of a JSON key that a place names."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a recording, decoded."""

    where: str
    """`the response body of interaction 0`."""
    data: bytes
    body: bool = False
    """Whether it is a body: then a place in it is named, and it may consist of frames."""

    def place(self, sighting: Sighting) -> str:
        """Where in this piece a key was seen, in words that hold nothing of the key."""
        if not self.body:
            return self.where
        if sighting.encoding == "frames":
            return f"{self.where}, cut over the frames of the stream"
        path = _json_path(self.data, sighting)
        at = f" at {path}" if path else f" at byte {sighting.span[0]}" if sighting.span else ""
        return f"{self.where}{at}{f', behind {sighting.encoding}' if sighting.encoding else ''}"


def of_interaction(interaction: Interaction, index: int) -> Iterator[Piece | Problem]:
    """The pieces of an interaction; a problem in place of a body that is not what its content-encoding says."""
    request, response = interaction.request, interaction.response
    yield Piece(f"the uri of interaction {index}", _bytes(request.uri))
    yield from _of_headers("request", request.headers, index)
    yield from of_body(f"the request body of interaction {index}", request.body, request.headers, whole=True)
    yield Piece(f"the reason phrase of interaction {index}", _bytes(response.reason))
    yield from _of_headers("response", response.headers, index)
    whole = interaction.chunks.ended == "eof"
    yield from of_body(f"the response body of interaction {index}", response.body, response.headers, whole=whole)


def of_stream(stream: AgentStream) -> Piece:
    """The agent's own answer."""
    return Piece("the agent stream", stream.body, body=True)


def of_body(where: str, body: bytes, headers: Headers, *, whole: bool) -> Iterator[Piece | Problem]:
    """A body without its content-encoding, or the problem with it."""
    encodings = content_encodings(headers)
    try:
        yield Piece(where, decode(body, (), encodings, whole=whole).data, body=True)
    except Undecodable as error:
        yield undecodable(where, encodings, error)


def undecodable(where: str, encodings: tuple[str, ...], error: Undecodable) -> Problem:
    """The problem of a body that is not what its content-encoding says."""
    return Problem(
        error.code,
        f"{where} has the content-encoding {', '.join(encodings)!r}, and cannot be read by it: {error}",
        fix="record it again with an accept-encoding of identity or gzip",
    )


def content_encodings(headers: Headers) -> tuple[str, ...]:
    """The values of the content-encoding headers, whatever the case of their name."""
    return tuple(value for name, values in headers.items() if name.lower() == "content-encoding" for value in values)


def _of_headers(side: str, headers: Headers, index: int) -> Iterator[Piece]:
    for name, values in headers.items():
        for value in values:
            yield Piece(f"the {side} header {name!r} of interaction {index}", _bytes(value))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _json_path(data: bytes, sighting: Sighting) -> str | None:
    """The path of the first string or key in a JSON body that holds what was seen; None where it is no JSON."""
    try:
        todo: list[tuple[str, Any]] = [("$", orjson.loads(data))]
    except orjson.JSONDecodeError:
        return None
    sought = (sighting.rule, sighting.digest)
    while todo:
        path, value = todo.pop()
        if isinstance(value, str) and sought in _seen(value):
            return path
        if isinstance(value, list):
            todo.extend((f"{path}[{index}]", item) for index, item in reversed(list(enumerate(value))))
        elif isinstance(value, dict):
            for key, item in reversed(value.items()):
                seen = _seen(key)
                if sought in seen:
                    return f"a key of {path}"
                todo.append((f"{path}{'.<a key with a secret>' if seen else _step(key)}", item))
    return None


def _seen(text: str) -> set[tuple[str, str]]:
    return {(seen.rule, seen.digest) for seen in KNOWN.find(text.encode("utf-8"))}


def _step(key: str) -> str:
    short = key[:_NAME_LIMIT]
    return f".{short}" if short.isidentifier() else f"[{short!r}]"
