"""A request and an answer as a door sees them: what every door trades with the tape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tapegate.tape.cassette import Ended

HeaderPairs = tuple[tuple[str, str], ...]
"""Header names and values in the order they were sent, duplicates kept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that reached a door."""

    service: str
    method: str
    path: str
    """Path and query as they follow the service's address."""
    headers: HeaderPairs
    body: bytes
    lane: str = ""
    """Which of several concurrent sessions asks, where the service tells them apart (`lanes`)."""


class Answer(NamedTuple):
    """What a door gives the client. Framing headers are as recorded: the door replaces them by its own.

    A tuple, because one is made for every request: a frozen dataclass of nine fields takes three times as long.
    """

    status: int
    reason: str
    headers: HeaderPairs
    chunks: tuple[bytes, ...]
    at_us: tuple[int, ...]
    """Arrival of each chunk, microseconds after the request."""
    ended: Ended = "eof"
    missed: bool = False
    """Whether no recording answers the request: then this is the refusal."""
    lost: Literal["timeout", "reset"] | None = None
    """Where nothing at all is answered: the client waits until it gives up, or its connection is reset."""
    paced: bool = False
    """Whether each chunk keeps its time, also where a replay gives all others at once."""


SILENCE = Answer(status=0, reason="", headers=(), chunks=(), at_us=(), lost="timeout")
"""No answer at all."""
