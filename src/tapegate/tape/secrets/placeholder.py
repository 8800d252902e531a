"""Telling a key from what merely stands in for one: `sk-xxxx`, `AKIA…EXAMPLE`, a mark of redaction."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

_WORDS = re.compile(
    rb"redacted|filtered|scrubbed|example|placeholder|dummy|changeme|(?:your|fake|mock|test|sample)[_-]?(?:api|key|token)"
    rb"|\*{3}|\.{3}|x{6}|0{10}|<|\$\{",
    re.IGNORECASE,
)
_RUN = 8
"""Characters in ascending order, `12345678` or `abcdefgh`, that no random key holds (below 1e-9 a key)."""


def is_placeholder(value: bytes, bits: float) -> bool:
    """Whether `value` cannot be a key: a stand-in's words, an alphabet, or entropy below `bits` per character."""
    return entropy(value) < bits or _WORDS.search(value) is not None or _ascends(value)


def entropy(value: bytes) -> float:
    """Shannon entropy of the bytes of `value`, in bits per byte; 0 for nothing."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def _ascends(value: bytes) -> bool:
    run = 1
    for before, after in pairwise(value):
        run = run + 1 if after == before + 1 or (before, after) == (ord("9"), ord("0")) else 1
        if run >= _RUN:
            return True
    return False
