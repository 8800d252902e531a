"""What a stream says piece by piece, put together: a key cut over frames is a key, though no byte range holds it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import orjson

_LINE = re.compile(rb"^(?:data|[0-9a-z]{1,2}):[ \t]*|^(?=[{\[])", re.MULTILINE)
"""The start of a frame's JSON: an SSE `data:` line, an AI SDK `0:` line, a line of NDJSON."""


def joined(text: bytes) -> Iterator[bytes]:
    """For each place in the JSON of the frames of `text`, the strings that stand there, joined in the frames' order."""
    if b"\n" not in text:
        return
    places: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for match in _LINE.finditer(text):
        start = match.end()
        end = text.find(b"\n", start)
        try:
            frame = orjson.loads(text[start : end if end >= 0 else None])
        except orjson.JSONDecodeError:
            continue
        _collect(frame, places)
    for strings in places.values():
        if len(strings) > 1:
            yield "".join(strings).encode("utf-8")


def _collect(frame: Any, places: dict[tuple[Any, ...], list[str]]) -> None:
    todo: list[tuple[tuple[Any, ...], Any]] = [((), frame)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, str):
            places[place].append(value)
        elif isinstance(value, list):
            todo.extend(((*place, None), item) for item in reversed(value))
        elif isinstance(value, dict):
            # Providers tell parallel tool calls and choices apart by an index inside the object.
            inside = (*place, value.get("index")) if isinstance(value.get("index"), int) else place
            todo.extend(((*inside, key), item) for key, item in value.items())
