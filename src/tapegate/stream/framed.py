"""The parsers of framed dialects: one over lines, one over server-sent events. What a frame means, a reader says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from tapegate.model.trace import Event, Json, Violation
from tapegate.stream.foreign import refuse_foreign, stray_line
from tapegate.stream.frame import BadFrame, read_object
from tapegate.stream.lines import LINE_LIMIT, Lines
from tapegate.stream.order import Done, Order, Step
from tapegate.stream.sse import Item, Message, Sse, Stray, Unfinished


class LineReader(Protocol):
    """Says what a line means."""

    name: str
    """The dialect's name."""

    def read(self, line: str) -> Iterable[Step]:
        """The events of one line. Raises `BadFrame`."""


class MessageReader(Protocol):
    """Says what a server-sent event with a JSON object means."""

    name: str
    """The dialect's name."""

    def read(self, event: str, frame: dict[str, Json]) -> Iterable[Step]:
        """The events of one frame; `event` is the name it was sent under. Raises `BadFrame`."""


class _Framed:
    def __init__(self) -> None:
        self._order = Order()
        self._mixed: set[str] = set()

    def _events(self, read: Callable[[], Iterable[Step]]) -> list[Event]:
        """The events of one frame; of a bad one, what came before the fault stays."""
        found: list[Event] = []
        try:
            for event in self._order.admit(read()):
                found.append(event)  # noqa: PERF402 - what came before the fault must stay
        except BadFrame as error:
            if error.code == "mixed_format":
                # One is enough: an interleaved stream has hundreds.
                if error.message in self._mixed:
                    return found
                self._mixed.add(error.message)
            found.append(Violation(error.code, error.message))
        return found


class LineParser(_Framed):
    """A dialect whose frames are lines. Blank lines mean nothing."""

    def __init__(self, reader: LineReader, limit: int = LINE_LIMIT) -> None:
        super().__init__()
        self._reader = reader
        self._lines = Lines(limit)

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes."""
        return [event for line in self._lines.feed(data) for event in self._line(line)]

    def close(self) -> list[Event]:
        """What the end of the stream adds. A last line without a line end counts where it is whole."""
        tail = self._lines.close()
        found = self._line(tail) if tail else []
        cut = isinstance(tail, Violation)
        if tail and not cut and any(isinstance(e, Violation) and e.code == "malformed_frame" for e in found):
            found, cut = [_cut(str(tail))], True
        return [*found, *self._order.end(cut=cut)]

    def _line(self, line: str | Violation) -> list[Event]:
        if isinstance(line, Violation):
            return [line]
        return self._events(lambda: self._reader.read(line)) if line.strip() else []


class SseParser(_Framed):
    """A dialect whose frames are server-sent events with a JSON object each; `[DONE]` after the last is allowed."""

    def __init__(self, reader: MessageReader, limit: int = LINE_LIMIT) -> None:
        super().__init__()
        self._reader = reader
        self._sse = Sse(limit)

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes."""
        return [event for item in self._sse.feed(data) for event in self._item(item)]

    def close(self) -> list[Event]:
        """What the end of the stream adds."""
        found = [event for item in self._sse.close() for event in self._item(item)]
        return [*found, *self._order.end(cut=bool(found))]

    def _item(self, item: Item) -> list[Event]:
        match item:
            case Violation():
                return [item]
            case Unfinished(text):
                # Clients stop at the marker, and some servers at its last byte.
                return [] if text.strip() == "[DONE]" else [_cut(text)]
            case _:
                return self._events(lambda: self._steps(item))

    def _steps(self, item: Message | Stray) -> Iterable[Step]:
        if isinstance(item, Stray):
            raise stray_line(item.line, self._reader.name, "a field of an event stream: data, event, id or retry")
        if item.data.strip() == "[DONE]":
            return [Done()]
        frame = read_object(item.data)
        refuse_foreign(frame, self._reader.name)
        return self._reader.read(item.event, frame)


def _cut(text: str) -> Violation:
    return Violation("truncated", f"the stream ended inside a frame: {text[-60:]!r}")
