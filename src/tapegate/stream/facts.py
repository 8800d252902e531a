"""What a provider says of its answer beside the answer: which model it was, and the tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tapegate.model.trace import Json, Usage


@dataclass(slots=True)
class Facts:
    """Gathered while an answer is read; None is what it did not say."""

    model: str | None = None
    """The model that the provider says it used."""
    version: str | None = None
    """Its resolved version or build fingerprint, where the provider names one beside the model."""
    usage: Usage | None = None


def count(usage: Mapping[str, Json], *names: str) -> int | None:
    """The first of `names` that is a number of tokens; None where none is. Absent is never 0."""
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def total(*counts: int | None) -> int:
    """The sum of the counts that are there."""
    return sum(part for part in counts if part is not None)
