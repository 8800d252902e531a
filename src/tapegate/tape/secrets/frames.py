"""What a stream says piece by piece, put together: a key cut over frames is a key, though no byte range holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapegate.tape.secrets.framing import frames_of

_WHICH = ("index", "output_index", "contentBlockIndex", "toolCallId")
"""By these, inside an object, providers tell parallel tool calls, choices and parts apart."""


class _Place:
    """A place in the JSON of frames."""

    __slots__ = ("below", "said")

    def __init__(self) -> None:
        self.below: dict[Any, _Place] = {}
        self.said: list[str] = []
        """The strings that stand there, in the frames' order."""


def joined(text: bytes) -> Iterator[bytes]:
    """For each place in the JSON of the frames of `text`, the strings that stand there, joined in the frames' order.

    Text that is a frame of its own (`0:"…"`) stands where an object has its `text`: streams mix the two.
    """
    root = _Place()
    places = [root]
    for frame in frames_of(text):
        _collect({"text": frame} if isinstance(frame, str) else frame, root, places)
    for place in places:
        if len(place.said) > 1:
            yield "".join(place.said).encode("utf-8", "replace")


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
            for step in _WHICH:
                if isinstance(value.get(step), int | str):
                    place = _below(place, value[step], places)
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
