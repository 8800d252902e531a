"""An answer to a question of the standard's compliance checklist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, answered from facts."""

    number: int
    """In the standard's checklist."""
    question: str
    answer: Literal["yes", "no", "not_asked"]
    """`not_asked`: there is nothing to answer from; the facts say why."""
    complies: bool
    """Whether the standard is kept in what the question is about."""
    facts: tuple[str, ...]
    """What the answer rests on; what does not comply first."""
