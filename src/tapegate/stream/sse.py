"""Server-sent events, incrementally (WHATWG HTML, section 9.2.6 "Interpreting an event stream")."""

from __future__ import annotations

from dataclasses import dataclass

from tapegate.model.trace import Violation
from tapegate.stream.lines import LINE_LIMIT, Lines

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Message:
    """One event: its name (`message` where none was given), its data, and the last id seen."""

    event: str
    data: str
    id: str


@dataclass(frozen=True, slots=True)
class Stray:
    """A line that is no field of an event stream. The specification drops it; a check must see it."""

    line: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What the stream ended in the middle of: a client never sees it."""

    text: str


Item = Message | Stray | Unfinished | Violation


class Sse:
    """Cuts bytes into server-sent events. Memory is bounded by twice the limit."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._lines = Lines(limit)
        self._limit = limit
        self._first = True
        self._event = ""
        self._data: list[str] = []
        self._size = 0
        self._id = ""
        self._spoiled = False
        self.retry_ms: int | None = None
        """Reconnection time that the server asked for."""

    def feed(self, data: bytes) -> list[Item]:
        """The events that `data` completes, in order, with what does not belong between them."""
        found: list[Item] = []
        for line in self._lines.feed(data):
            if isinstance(line, Violation):
                # An event that lost a line would be read as something it is not.
                self._spoiled = True
                found.append(line)
            else:
                found += self._line(line)
            self._first = False
        return found

    def close(self) -> list[Item]:
        """What the stream ended in the middle of, if anything."""
        tail = self._lines.close()
        if isinstance(tail, Violation):
            return [tail]
        if tail and not tail.startswith(":"):
            found = self._line(tail)
            if any(isinstance(item, Violation) for item in found):
                return found
            if not self._data:
                return [Unfinished(tail)]
        if self._data and not self._spoiled:
            text = "\n".join(self._data)
            self._data.clear()
            return [Unfinished(text)]
        return []

    def _line(self, line: str) -> list[Item]:
        if self._first:
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        if line.startswith(":"):
            return []
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._size += len(value) + 1
            if self._size > self._limit:
                over, self._spoiled = not self._spoiled, True
                self._data.clear()
                return [Violation("line_limit", f"an event holds more than {self._limit} characters")] if over else []
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id":
            if "\0" not in value:
                self._id = value
        elif name == "retry":
            if value.isascii() and value.isdigit() and len(value) <= 9:
                self.retry_ms = int(value)
        else:
            return [Stray(line)]
        return []

    def _dispatch(self) -> list[Item]:
        whole = self._data and not self._spoiled
        found: list[Item] = [Message(self._event or "message", "\n".join(self._data), self._id)] if whole else []
        self._event, self._data, self._size, self._spoiled = "", [], 0, False
        return found
