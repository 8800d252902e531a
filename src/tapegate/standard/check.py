"""One check of the standard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tapegate.model.problem import Problem
from tapegate.standard.finding import Severity
from tapegate.standard.ground import Ground


@dataclass(frozen=True, slots=True)
class Check:
    """What is checked, how much it matters, and how it is found. Its entry in docs/lint.md is made of this."""

    id: str
    doc: str
    """One sentence: what holds in a project that passes."""
    severity: Severity
    find: Callable[[Ground], Iterable[Problem]]
    """Yields what is wrong; the code of a problem is the id of the finding. Its docstring says how it decides."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """Each id that its findings may have, with one line on what it means."""
    sound: bool = True
    """Whether it is made only where all input could be read: on half a project it would find what is not so."""
    against: bool = False
    """Whether it looks at a change, and so needs a base."""
    more: bool = False
    """Whether findings may have other ids than `codes` names: those of the reader that refuses an input."""
