"""One check of the standard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tapegate.model.problem import Problem
from tapegate.standard.finding import Severity
from tapegate.standard.ground import Ground


@dataclass(frozen=True, slots=True)
class Check:
    """What is checked, how much it matters, and how it is found."""

    id: str
    doc: str
    """One sentence: what holds in a project that passes."""
    severity: Severity
    find: Callable[[Ground], Iterable[Problem]]
    """Yields what is wrong; the code of a problem is the id of the finding."""
    sound: bool = True
    """Whether it is made only where all input could be read: on half a project it would find what is not so."""
