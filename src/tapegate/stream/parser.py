"""What every dialect's parser is."""

from __future__ import annotations

from typing import Protocol

from tapegate.model.trace import Event


class Parser(Protocol):
    """Reads a stream's bytes into trace events as they arrive.

    The events of all calls together depend on the bytes alone, never on how they were cut. What breaks the
    protocol comes out as a `Violation` in its place, and reading goes on; no bytes raise.
    """

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes."""

    def close(self) -> list[Event]:
        """What the end of the stream adds."""
