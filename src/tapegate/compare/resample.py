"""Resampling by a counter through sha256: the same draws on every machine, without a generator's state.

Only where a whole distribution would be too long to count (`exact`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = "golden"
RESAMPLES = 2_000
FLIPS = 10_000
_ROWS = 500
"""Choices held in memory at a time."""


def bootstrap_sums(diffs: Sequence[int], resamples: int = RESAMPLES, seed: str = SEED) -> list[int]:
    """The sums of `resamples` resamples, ascending. Draw d of resample r takes the difference at
    `int(sha256(f"{seed}:{r}:{d}")[:8], big endian) mod n`.
    """
    draws = _draws(len(diffs), resamples, seed)
    values = _whole(diffs, max(map(abs, diffs)) * len(diffs))
    return sorted(int(total) for total in values[draws].sum(axis=1))


def sign_flips(diffs: Sequence[int], flips: int = FLIPS, seed: str = SEED) -> tuple[int, int, int]:
    """Of `flips` random choices of a sign for each difference: in how many the sum is at most as low as the one
    observed, at least as high, and at least as far from zero. Sign d of choice r is bit d mod 256 of
    `sha256(f"{seed}:{r}:{d // 256}")`, least significant first.
    """
    sizes = [abs(diff) for diff in diffs if diff]
    observed, total = sum(diffs), sum(sizes)
    values = _whole(sizes, total)
    low = high = far = 0
    for start in range(0, flips, _ROWS):
        signs = _signs(len(sizes), start, min(start + _ROWS, flips), seed)
        for drawn in (2 * (signs * values).sum(axis=1) - total).tolist():
            low += drawn <= observed
            high += drawn >= observed
            far += abs(drawn) >= abs(observed)
    return low, high, far


def _whole(values: Sequence[int], largest: int) -> NDArray[Any]:
    """Values to take sums of, none beyond `largest`. Beyond 64 bits numpy would wrap around silently; Python's own
    integers are slower and never do."""
    return np.array(values, dtype=np.int64 if 2 * largest < 2**62 else object)


def _signs(count: int, first: int, end: int, seed: str) -> NDArray[np.uint8]:
    blocks = range(-(-count // 256))
    digests = b"".join(
        sha256(f"{seed}:{row}:{block}".encode()).digest() for row in range(first, end) for block in blocks
    )
    bits = np.unpackbits(np.frombuffer(digests, np.uint8), bitorder="little")
    return bits.reshape(end - first, -1)[:, :count]


@lru_cache(maxsize=4)
def _draws(count: int, resamples: int, seed: str) -> NDArray[np.int64]:
    """Which difference each draw takes. Every measure of one stratum has as many, so it is kept for the next."""
    suffixes = [str(draw).encode() for draw in range(count)]
    digests = bytearray()
    for resample in range(resamples):
        prefix = sha256(f"{seed}:{resample}:".encode())
        for suffix in suffixes:
            digest = prefix.copy()
            digest.update(suffix)
            digests += digest.digest()[:8]
    places = np.frombuffer(digests, dtype=">u8") % np.uint64(count)
    return places.astype(np.int64).reshape(resamples, count)
