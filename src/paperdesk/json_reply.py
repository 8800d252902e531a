"""The JSON object in what a model wrote, though it may have put it into a fence or into prose."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from paperdesk.content_filter import visible


def object_in(text: str) -> dict[str, Any] | None:
    """The one JSON object in `text`; None where there is none, or more than one that differ.

    Hidden tags and what they hold do not count. Objects inside an object are part of it. `NaN`, `Infinity` and keys
    that stand there twice are no JSON.
    """
    found: list[dict[str, Any]] = []
    text = visible(text)
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found += [value] if value not in found else []
        at = text.find("{", end)
    return found[0] if len(found) == 1 else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands there twice")
    return made


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
