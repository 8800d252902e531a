"""Plain text: all bytes are what the user sees."""

from __future__ import annotations

from tapegate.model.trace import Event, Text, Violation
from tapegate.stream.lines import LINE_LIMIT, decoded, line_limit


class PlainText:
    """A `Text` a line, its line end included, and one for what follows the last line end.

    Cut at LF only, so that the pieces are the bytes again, and the same ones however the stream was cut. Plain text
    has no finish: nothing says whether it is complete. Of a line that is not UTF-8 the sound characters stay, behind
    the `Violation`.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._overlong = False
        self._number = 1

    def feed(self, data: bytes) -> list[Event]:
        """The lines that `data` completes."""
        found: list[Event] = []
        start = 0
        while start < len(data):
            end = data.find(b"\n", start) + 1 or len(data)
            self._grow(data[start:end], found)
            if data[end - 1 : end] == b"\n":
                found += self._flush()
                self._overlong = False
                self._number += 1
            start = end
        return found

    def close(self) -> list[Event]:
        """What followed the last line end."""
        return self._flush(last=True)

    def _grow(self, piece: bytes, found: list[Event]) -> None:
        if self._overlong:
            return
        self._pending += piece
        if len(self._pending) - piece.endswith(b"\n") > self._limit:
            self._overlong = True
            self._pending.clear()
            found.append(line_limit(self._number, self._limit))

    def _flush(self, *, last: bool = False) -> list[Event]:
        if not self._pending:
            return []
        line, self._pending = bytes(self._pending), bytearray()
        read = decoded(line, self._number, last=last)
        if isinstance(read, Violation):
            sound = line.decode(errors="ignore")
            return [read, Text(sound)] if sound else [read]
        return [Text(read)]
