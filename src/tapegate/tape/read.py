"""Bytes to a cassette: the fast reader for our own emission, the slow and safe one for anything else."""

from __future__ import annotations

from tapegate.tape import grammar, shape
from tapegate.tape.cassette import Cassette, Headers
from tapegate.tape.coding import Undecodable, decoded
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.refusal import refusal

FIRST_ROW = b"- request:"
"""How an interaction begins in our emission, at the left margin, where no recorded text can stand."""


def read(raw: bytes, file: str, limits: Limits = DEFAULT) -> Cassette:
    """The cassette that `raw` holds; `file` is what messages call it.

    A cassette without interactions is one: an agent may answer without calling anybody.

    Raises `CassetteError` and nothing else, whatever the bytes: `size_limit`, `cassette_corrupt`, `newer_format`,
    `not_tapegate`, `forbidden_tag`, `alias_limit`, `merge_key`, `duplicate_key`, `multi_document`, `decode_error`.
    """
    if len(raw) > limits.file_bytes:
        raise refusal("size_limit", f"{len(raw):,} bytes; a cassette may have {limits.file_bytes:,}", file)
    cassette = grammar.parse(raw)
    if cassette is None:
        # PyYAML is loaded only for a file that is not our own emission.
        from tapegate.tape.preflight import preflight

        cassette = shape.cassette(preflight(raw, file, limits))
    _check_bodies(cassette, raw, file, limits)
    return cassette


def _check_bodies(cassette: Cassette, raw: bytes, file: str, limits: Limits) -> None:
    for index, interaction in enumerate(cassette.interactions):
        request, response = interaction.request, interaction.response
        whole = interaction.chunks.ended == "eof"
        for name, wrong in (
            ("request", _wrong(request.headers, request.body, limits)),
            ("response", _wrong(response.headers, response.body, limits, whole=whole)),
        ):
            if wrong:
                code, message = wrong
                raise refusal(code, f"interactions[{index}].{name}.body: {message}", file, _line(raw, index))


def _wrong(headers: Headers, body: bytes, limits: Limits, *, whole: bool = True) -> tuple[str, str] | None:
    """Code and message of what is wrong with a body."""
    if len(body) > limits.body_bytes:
        return "size_limit", f"{len(body):,} bytes; a recorded body may have {limits.body_bytes:,}"
    try:
        decoded(headers, body, whole=whole, limit=limits.decoded_bytes)
    except Undecodable as error:
        return "size_limit" if error.too_large else "decode_error", str(error)
    return None


def _line(raw: bytes, index: int) -> int | None:
    """The line of interaction `index` in our own layout; None in another."""
    rows = [number for number, row in enumerate(raw.splitlines(), 1) if row.startswith(FIRST_ROW)]
    return rows[index] if index < len(rows) else None
