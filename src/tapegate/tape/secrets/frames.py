"""What a stream says piece by piece, put together: a key cut over frames is a key, though no byte range holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

_LINE = re.compile(rb"^(?:data|[0-9a-z]{1,2}):[ \t]*|^(?=[{\[])", re.MULTILINE)
"""The start of a frame's JSON: an SSE `data:` line, an AI SDK `0:` line, a line of NDJSON."""


class _Place:
    """A place in the JSON of frames."""

    __slots__ = ("below", "said")

    def __init__(self) -> None:
        self.below: dict[Any, _Place] = {}
        self.said: list[str] = []
        """The strings that stand there, in the frames' order."""


def joined(text: bytes) -> Iterator[bytes]:
    """For each place in the JSON of the frames of `text`, the strings that stand there, joined in the frames' order."""
    if b"\n" not in text:
        return
    root = _Place()
    places = [root]
    for match in _LINE.finditer(text):
        start = match.end()
        end = text.find(b"\n", start)
        try:
            frame = orjson.loads(text[start : end if end >= 0 else None])
        except orjson.JSONDecodeError:
            continue
        _collect(frame, root, places)
    for place in places:
        if len(place.said) > 1:
            yield "".join(place.said).encode("utf-8")


def _collect(frame: Any, root: _Place, places: list[_Place]) -> None:
    todo: list[tuple[_Place, Any]] = [(root, frame)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, str):
            place.said.append(value)
        elif isinstance(value, list):
            inside = _below(place, None, places)
            todo.extend((inside, item) for item in reversed(value))
        elif isinstance(value, dict):
            # Providers tell parallel tool calls and choices apart by an index inside the object.
            if isinstance(value.get("index"), int):
                place = _below(place, value["index"], places)
            for key, item in value.items():
                if isinstance(item, str):  # most values are: no detour over the list
                    _below(place, key, places).said.append(item)
                elif item and isinstance(item, list | dict):
                    todo.append((_below(place, key, places), item))


def _below(place: _Place, step: Any, places: list[_Place]) -> _Place:
    found = place.below.get(step)
    if found is None:
        found = place.below[step] = _Place()
        places.append(found)
    return found
