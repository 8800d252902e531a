"""Redaction: what a recording may hold of what was sent. Nothing reaches the disk that has not passed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape.cassette import AgentStream, Chunks, Headers, Interaction, Request, Response
from tapegate.tape.scan import by_name, check, secret_found
from tapegate.tape.secrets.content import Undecodable, decode
from tapegate.tape.secrets.declared import Declared
from tapegate.tape.secrets.framing import is_binary
from tapegate.tape.secrets.headers import KEPT_REQUEST, KEPT_RESPONSE
from tapegate.tape.secrets.marker import Marker
from tapegate.tape.secrets.piece import Piece, content_encodings, of_interaction, of_stream, undecodable
from tapegate.tape.secrets.views import TooLarge
from tapegate.tape.wire import Asked


@dataclass(frozen=True, slots=True)
class _Body:
    data: bytes
    sizes: tuple[int, ...]
    headers: Headers
    changed: bool


class Redactor:
    """Keeps declared values, headers that no recording needs, and keys of known formats out of recordings.

    `values` maps names of environment variables to their values, an empty one where the variable is not set (its mark
    is known all the same). Raises `BadInput` (`secret_too_short`, `secret_is_a_mark`) for a value that cannot be told
    from ordinary text. Thread-safe. Its repr names the variables, never a value.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._declared = Declared(values)

    def __repr__(self) -> str:
        return f"Redactor({', '.join(self._declared.names)})"

    def redact(self, interaction: Interaction, index: int = 0) -> Interaction:
        """`interaction` as it may be written; `index` is its place in the recording, for messages.

        Headers outside the allow-list are dropped. Declared values become their marks, in every encoding; a body
        under a content-encoding that holds one is kept decoded, without that header. A body that was changed sets
        `redacted`; chunk sizes follow. Raises `CassetteError`: `secret_found` for anything else that is a secret,
        `decode_error` and `size_limit` for a body that cannot be read.
        """
        sent, received = self._declared.sent, self._declared.received
        request, response, chunks = interaction.request, interaction.response, interaction.chunks
        headers = _kept(sent, request.headers, KEPT_REQUEST)
        asked = _body(sent, f"the request body of interaction {index}", request.body, headers)
        headers = _kept(received, response.headers, KEPT_RESPONSE)
        answered = _body(received, f"the response body of interaction {index}", response.body, headers, chunks)
        result = replace(
            interaction,
            request=Request(request.method, _text(sent, request.uri), asked.headers, asked.data),
            response=Response(response.status, _text(received, response.reason), answered.headers, answered.data),
            chunks=_cut(chunks, answered.sizes),
            redacted=interaction.redacted or asked.changed or answered.changed,
        )
        pieces = list(of_interaction(result, index))
        _refuse([*check(pieces, frames=True), *self._left(pieces), *by_name(result, index)])
        return result

    def redact_stream(self, stream: AgentStream) -> AgentStream:
        """The agent's own answer as it may be written. Raises `CassetteError` like `redact`."""
        data, sizes = self._declared.received.replace(stream.body, stream.chunks.sizes)
        result = AgentStream(stream.dialect, data, _cut(stream.chunks, tuple(sizes)))
        pieces = [of_stream(result)]
        _refuse([*check(pieces, frames=True), *self._left(pieces)])
        return result

    def redact_asked(self, asked: Asked) -> Asked:
        """A live request as it would stand in a recording, so that it can be matched with one.

        Never raises: a request that could not be recorded is in no recording, and so it is a miss.
        """
        sent = self._declared.sent
        headers = [(name, value) for name, value in asked.headers if name.lower() in KEPT_REQUEST]
        try:
            path = _text(sent, asked.path)
            headers = [(name, _text(sent, value)) for name, value in headers]
            redacted = _body(sent, "", asked.body, {name: (value,) for name, value in headers})
        except CassetteError:
            return replace(asked, headers=tuple(headers))
        kept = tuple((name, value) for name, value in headers if name in redacted.headers)
        return replace(asked, path=path, headers=kept, body=redacted.data)

    def _left(self, pieces: Iterable[Piece | Problem]) -> Iterator[Problem]:
        """Declared values where no mark can take their place: in gzip, or cut over the frames of a stream."""
        for piece in pieces:
            if isinstance(piece, Piece):
                try:
                    left = list(self._declared.left(piece.data, frames=piece.body))
                except TooLarge:
                    continue  # a problem of `check`
                for value, how in left:
                    place = f"{piece.where}, {how},"
                    yield secret_found("declared_value", f"the value of {value.name}", place, value.digest)


def _body(marker: Marker, where: str, body: bytes, headers: Headers, chunks: Chunks | None = None) -> _Body:
    sizes = chunks.sizes if chunks else (len(body),)
    encodings = content_encodings(headers)
    try:
        content = decode(body, sizes, encodings, whole=chunks is None or chunks.ended == "eof")
    except Undecodable as error:
        raise CassetteError(undecodable(where, encodings, error)) from None
    if is_binary(content.data):
        return _Body(body, sizes, headers, changed=False)  # a value in it refuses: see `Redactor._left`
    if content.encoded:
        if not marker.holds(content.data):
            return _Body(body, sizes, headers, changed=False)
        headers = {name: values for name, values in headers.items() if name.lower() != "content-encoding"}
    data, new_sizes = marker.replace(content.data, content.sizes)
    return _Body(data, tuple(new_sizes), headers, changed=data != body)


def _kept(marker: Marker, headers: Headers, kept: Mapping[str, str]) -> Headers:
    return {
        name: tuple(_text(marker, value) for value in values)
        for name, values in headers.items()
        if name.lower() in kept
    }


def _text(marker: Marker, text: str) -> str:
    data = text.encode("utf-8", "surrogateescape")
    redacted, _ = marker.replace(data)
    return text if redacted is data else redacted.decode("utf-8", "surrogateescape")


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise CassetteError.all(problems)


def _cut(chunks: Chunks, sizes: tuple[int, ...]) -> Chunks:
    """`chunks` with new sizes; a chunk of which nothing is left is dropped, its time with it."""
    kept = [(size, at) for old, size, at in zip(chunks.sizes, sizes, chunks.at_us, strict=True) if size or not old]
    return replace(chunks, sizes=tuple(size for size, _ in kept), at_us=tuple(at for _, at in kept))
