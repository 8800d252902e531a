"""Where a stream fixture is cut: everywhere, or at a sample that is drawn by a fixed rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, count, islice, pairwise
from math import comb

MOST = 2000
"""Cuts that are tried of one stream: all of one and two cuts up to 62 places."""
WORK = 32 << 20
"""Bytes that are put to a subject in all: of a long stream, fewer cuts are tried."""

Cuts = tuple[int, ...]
"""Places at which a stream is cut, in bytes from its start."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The cuts of one stream."""

    tried: tuple[Cuts, ...]
    """In the order in which they are tried; the uncut stream is none of them."""
    possible: int
    """How many there are: of one place, of two, and of all at once."""

    @property
    def sampled(self) -> bool:
        """Whether some are not tried."""
        return len(self.tried) < self.possible


def cuts(stream: bytes, *, text: bool = False) -> Plan:
    """Every way to cut the stream into two or three pieces, and into all its bytes; beyond `MOST` a sample of them.

    With `text`, between characters only; a stream that is no UTF-8 has no characters, and raises UnicodeDecodeError.
    """
    places = _places(stream) if text else range(1, len(stream))
    everywhere = [tuple(places)] if len(places) > 2 else []
    possible = len(places) + comb(len(places), 2) + len(everywhere)
    most = max(16, min(MOST, WORK // max(1, len(stream))))
    if possible <= most:
        return Plan((*combinations(places, 1), *combinations(places, 2), *everywhere), possible)
    return Plan((*everywhere, *islice(_drawn(places, sha256(stream).digest()), most - len(everywhere))), possible)


def pieces(stream: bytes, cut: Cuts) -> list[bytes]:
    """The stream in its pieces."""
    ends = [0, *cut, len(stream)]
    return [stream[start:end] for start, end in pairwise(ends)]


def _places(stream: bytes) -> Sequence[int]:
    places, at = [], 0
    for char in stream.decode("utf-8"):
        at += len(char.encode("utf-8"))
        places.append(at)
    return places[:-1]


def _drawn(places: Sequence[int], seed: bytes) -> Iterator[Cuts]:
    """Cuts at one and at two places in turn, each once, drawn by counting sha256 from the stream's own."""
    seen: set[Cuts] = set()
    for number in count():
        drawn = sha256(seed + number.to_bytes(8, "big")).digest()
        first = places[int.from_bytes(drawn[:16], "big") % len(places)]
        second = places[int.from_bytes(drawn[16:], "big") % len(places)]
        cut = (first,) if number % 2 or first == second else (min(first, second), max(first, second))
        if cut not in seen:
            seen.add(cut)
            yield cut
