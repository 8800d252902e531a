"""Vectors without a model: words hashed into 256 places (the hashing trick, Weinberger et al., 2009).

Two texts are alike as far as they share words. That is less than an embedding model knows, but it is always there,
costs nothing, and is the same on every machine.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence

from paperdesk.rag.terms import terms

MODEL = "local-hash-256"
DIMENSIONS = 256


def embedded(text: str) -> list[float]:
    """The vector of a text, of length 1; all zeros for a text without words."""
    vector = [0.0] * DIMENSIONS
    for term, count in Counter(terms(text)).items():
        digest = hashlib.blake2b(term.encode(), digest_size=4).digest()
        sign = 1 if digest[3] % 2 else -1  # two words in one place do not add up
        vector[int.from_bytes(digest[:2]) % DIMENSIONS] += sign * (1 + math.log(count))
    length = math.sqrt(sum(part * part for part in vector))
    return [part / length for part in vector] if length else vector


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors, 0 beside a zero vector; in steps of 0.0001, so that all machines rank alike."""
    length = math.sqrt(sum(part * part for part in one) * sum(part * part for part in other))
    return round(sum(a * b for a, b in zip(one, other, strict=True)) / length, 4) if length else 0.0
