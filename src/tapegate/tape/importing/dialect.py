"""What a file of another tool holds: its exchanges, in recorded order, and what it holds beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tapegate.tape.importing.exchange import Exchange, Unreadable, is_exchange, read_exchange
from tapegate.tape.importing.yaml_values import FIX, read_yaml
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.refusal import refusal


@dataclass(frozen=True, slots=True)
class Found:
    """The contents of one file."""

    exchanges: tuple[Exchange, ...]
    others: int
    """Interactions that are no HTTP: calls of a model inside the process, and the like."""
    is_cassette: bool
    """Whether it holds interactions at all, were it none of them."""


NOT_A_CASSETTE = Found((), 0, is_cassette=False)


def read_foreign(raw: bytes, file: str, limits: Limits = DEFAULT) -> Found:
    """Everything in a file that is YAML or JSON by its name.

    Raises `CassetteError`: what `read_yaml` raises, `not_json`, and `unknown_dialect` for an interaction of HTTP that
    cannot be read, with its place.
    """
    if len(raw) > limits.file_bytes:
        raise refusal("size_limit", f"{len(raw):,} bytes; a cassette may have {limits.file_bytes:,}", file, None, FIX)
    document = _json(raw, file) if file.endswith(".json") else read_yaml(raw, file, limits)
    if is_exchange(document):  # one exchange a file: the test agent of dd-trace-py
        return Found((_exchange(document, 0, file),), 0, is_cassette=True)
    if isinstance(document, list):  # before vcrpy 1.0 a cassette was the list itself
        interactions: Any = document
    elif isinstance(document, dict) and "interactions" in document:
        interactions = document["interactions"]
    else:
        return NOT_A_CASSETTE
    rows = list(interactions.values()) if isinstance(interactions, dict) else interactions
    if rows is None:
        rows = []
    if not isinstance(rows, list) or (document is interactions and not any(map(is_exchange, rows))):
        return NOT_A_CASSETTE
    exchanges = [_exchange(row, place, file) for place, row in enumerate(rows) if is_exchange(row)]
    return Found(tuple(exchanges), len(rows) - len(exchanges), is_cassette=True)


def _exchange(row: dict[str, Any], place: int, file: str) -> Exchange:
    try:
        return read_exchange(row)
    except Unreadable as error:
        raise refusal("unknown_dialect", f"interactions[{place}]: {error}", file, None, FIX) from None


def _json(raw: bytes, file: str) -> Any:
    try:
        return json.loads(raw, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise refusal("not_json", f"not JSON: {error}", file, getattr(error, "lineno", None), FIX) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, _ in pairs if [other for other, _ in pairs].count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found
