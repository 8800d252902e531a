"""Where two contracts of one task differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tapegate.grade.contract import contract
from tapegate.model.diff import ContractChange
from tapegate.model.task import Task

LONGEST = 300
"""Characters of a value that are shown."""
OUTCOMES = "expect.accepted_outcomes"
_ABSENT = object()


def changes(base: Task, head: Task) -> tuple[ContractChange, ...]:
    """Every value that differs, in document order. Lists of whole shapes (accepted outcomes, patterns, invariants) are
    told by what was added and dropped, not by index."""
    return tuple(_changes(contract(base), contract(head), ""))


def dropped_outcomes(base: Task, head: Task) -> tuple[str, ...]:
    """The names of base's accepted outcomes that head does not have word for word any more."""
    kept = [outcome.model_dump(exclude={"name"}) for outcome in head.expect.accepted_outcomes]
    return tuple(
        outcome.name or f"outcome {number}"
        for number, outcome in enumerate(base.expect.accepted_outcomes, 1)
        if outcome.model_dump(exclude={"name"}) not in kept
    )


def _changes(base: Any, head: Any, place: str) -> Iterator[ContractChange]:
    if isinstance(base, dict) and isinstance(head, dict):
        for key in [*base, *(key for key in head if key not in base)]:
            below = f"{place}.{key}" if place else str(key)
            yield from _changes(base.get(key, _ABSENT), head.get(key, _ABSENT), below)
    elif isinstance(base, list) and isinstance(head, list):
        yield from (ContractChange(place, _shown(item), "") for item in base if item not in head)
        yield from (ContractChange(place, "", _shown(item)) for item in head if item not in base)
        if base != head and not any(item not in head for item in base) and not any(item not in base for item in head):
            yield ContractChange(place, _shown(base), _shown(head))
    elif type(base) is not type(head) or base != head:
        yield ContractChange(place, _shown(base), _shown(head))


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
