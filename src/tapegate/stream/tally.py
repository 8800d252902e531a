"""Keeps a stream that breaks its protocol in every frame from filling the trace with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tapegate.model.trace import Event, Violation
from tapegate.stream.parser import Parser

VIOLATION_LIMIT = 20
"""Violations of one code that a trace holds; the others are counted."""


class Tally:
    """A parser that passes on another one's events, of each kind of violation the first `VIOLATION_LIMIT`."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._seen: Counter[str] = Counter()

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes."""
        return self._pass(self._parser.feed(data))

    def close(self) -> list[Event]:
        """What the end of the stream adds, and how many violations were left out."""
        last = self._pass(self._parser.close())
        left_out = {code: seen - VIOLATION_LIMIT for code, seen in self._seen.items() if seen > VIOLATION_LIMIT}
        return [*last, *(Violation(code, f"{count} more of this kind") for code, count in left_out.items())]

    def _pass(self, events: Iterable[Event]) -> list[Event]:
        passed = []
        for event in events:
            if isinstance(event, Violation):
                self._seen[event.code] += 1
                if self._seen[event.code] > VIOLATION_LIMIT:
                    continue
            passed.append(event)
        return passed
