"""Searching recordings for secrets that should not be there: in replay, in CI and by `tapegate cassette scan`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tapegate.model.problem import Problem
from tapegate.tape.cassette import Cassette, Interaction
from tapegate.tape.secrets.detector import KNOWN
from tapegate.tape.secrets.frames import joined
from tapegate.tape.secrets.headers import (
    KEPT_REQUEST,
    KEPT_RESPONSE,
    credential_headers,
    credential_parameters,
)
from tapegate.tape.secrets.piece import Piece, of_interaction, of_stream
from tapegate.tape.secrets.rule import fingerprint
from tapegate.tape.secrets.views import INFLATED_LIMIT, TooLarge

FIX = (
    "revoke the key if this text has left your machine; name the variable that holds it in `secret_env` of "
    "evals/tapegate.yaml, so that its mark is recorded in its place, and record again"
)


def scan(cassette: Cassette, file: str | None = None, *, frames: bool = True) -> list[Problem]:
    """Every secret in `cassette`: keys of known formats and credentials by the name of their header or parameter.

    A problem is `secret_found` (rule, place and fingerprint; never the value), or `decode_error` and `size_limit` for
    a body that cannot be searched. Without `frames` keys that are cut over the frames of a stream are left out: they
    cost a parse of every frame (10 µs each), all else about 4 ms a megabyte. `file` is named in each problem.
    """
    parts = [part for i, each in enumerate(cassette.interactions) for part in of_interaction(each, i)]
    parts.append(of_stream(cassette.stream))
    found = list(check(parts, frames=frames))
    for index, interaction in enumerate(cassette.interactions):
        found += by_name(interaction, index)
    return [replace(problem, file=file) for problem in found]


def scan_bytes(data: bytes, file: str | None = None) -> list[Problem]:
    """Every key of a known format in any text, a foreign cassette for one. Problems name the line where they can."""
    return [replace(problem, file=file, line=line) for problem, line in _problems(Piece("this file", data), True)]


def check(parts: Iterable[Piece | Problem], *, frames: bool) -> Iterator[Problem]:
    """The problems among `parts`, and those of the keys in its pieces."""
    pieces = []
    for part in parts:
        if isinstance(part, Problem):
            yield part
        else:
            pieces.append(part)
    # All pieces at once: nearly every cassette is clean, and then these are the searches it costs.
    if not KNOWN.suspects(b"\n".join(piece.data for piece in pieces)):
        cut = (text for piece in pieces if frames and piece.body for text in joined(piece.data))
        # A line break between two texts would make the second look like the rest of base64 that was wrapped.
        if not KNOWN.suspects(b"\0".join(cut)):
            return
    for piece in pieces:
        for problem, _ in _problems(piece, frames and piece.body):
            yield problem


def by_name(interaction: Interaction, index: int) -> Iterator[Problem]:
    """Credentials that no format gives away, but the name of their header or query parameter."""
    sides = (
        ("request", interaction.request.headers, KEPT_REQUEST),
        ("response", interaction.response.headers, KEPT_RESPONSE),
    )
    for side, headers, kept in sides:
        for name, value in credential_headers(headers, kept):
            yield _problem("credential_header", f"the {side} header {name!r} of interaction {index}", value)
    for name, value in credential_parameters(interaction.request.uri):
        yield _problem("credential_parameter", f"the query parameter {name!r} of interaction {index}", value)


def secret_found(rule: str, service: str, place: str, digest: str) -> Problem:
    """The problem of a secret: its rule, its place and its fingerprint."""
    return Problem("secret_found", f"{place} holds a secret ({rule}: {service}; sha256 {digest}…)", fix=FIX)


def _problem(rule: str, place: str, value: str) -> Problem:
    digest = fingerprint(value.encode("utf-8", "surrogateescape"))
    return secret_found(rule, "a credential by its name", place, digest)


def _problems(piece: Piece, frames: bool) -> Iterator[tuple[Problem, int | None]]:
    try:
        sightings = KNOWN.find(piece.data, frames=frames)
    except TooLarge:
        message = f"gzip inside {piece.where} grows beyond {INFLATED_LIMIT} bytes, or too much looks like it"
        yield Problem("size_limit", message), None
        return
    for seen in sightings:
        line = piece.data.count(b"\n", 0, seen.span[0]) + 1 if seen.span else None
        yield secret_found(seen.rule, seen.service, piece.place(seen), seen.digest), line
