"""Bytes into lines, wherever the chunks are cut."""

from __future__ import annotations

from tapegate.model.trace import Violation

LINE_LIMIT = 1_000_000
"""Bytes that one line may hold, its end not counted."""


class Lines:
    """Cuts bytes into lines at LF, CR and CRLF only: U+2028 and U+0085 are text.

    Holds no more than one line in memory. A line over the limit and a line that is not UTF-8 come out as
    a `Violation` in their place; what follows them is read on.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._after_cr = False
        self._overlong = False
        self._number = 1

    def feed(self, data: bytes) -> list[str | Violation]:
        """The lines that `data` completes, without their ends."""
        if not data:
            return []
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        found: list[str | Violation] = []
        for piece in data.splitlines(keepends=True):
            content = piece.rstrip(b"\r\n")
            if not self._overlong:
                self._pending += content
                if len(self._pending) > self._limit:
                    self._overlong = True
                    self._pending.clear()
                    found.append(line_limit(self._number, self._limit))
            if len(content) < len(piece):
                if not self._overlong:
                    found.append(decoded(bytes(self._pending), self._number))
                self._pending.clear()
                self._overlong = False
                self._number += 1
        return found

    def close(self) -> str | Violation | None:
        """What followed the last line end: a line without an end, or None."""
        if not self._pending:
            return None
        tail, self._pending = bytes(self._pending), bytearray()
        return decoded(tail, self._number, last=True)


def decoded(line: bytes, number: int, *, last: bool = False) -> str | Violation:
    """A line as text, strictly; `last`: where it ends inside a character, the stream was cut off."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        if last and error.reason == "unexpected end of data":
            return Violation("truncated", f"the stream ends inside a character of line {number}")
        bad = line[error.start : error.end].hex(" ")
        return Violation("invalid_utf8", f"line {number}, byte {error.start}: {bad} is not UTF-8")


def line_limit(number: int, limit: int) -> Violation:
    """What a line over the limit comes out as."""
    return Violation("line_limit", f"line {number} is longer than {limit} bytes; its content was not read")
