"""What stands in the matrix: a change of Paperdesk, and what the gate must make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["code", "prompt", "schema", "filter", "SQL", "policy", "tool", "page", "model"]
"""What a change is a change of."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of one file that stands there exactly once, and what stands there instead."""

    file: str
    """Below `src/paperdesk`."""
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One change, and the eval that it is put to."""

    eval: str
    """`RET-01@A1`; an eval of several cases is put to all of them."""
    name: str
    """What a person calls it."""
    kind: Kind
    edits: tuple[Edit, ...] = ()
    seed: int | None = None
    """The scripted model's seed in place of the task's: another course that it takes. Recorded under it."""
    recorded: bool = False
    """Whether it is judged on recordings made under it: what changes a request would only be stale on the shipped."""

    @property
    def records(self) -> bool:
        """Whether recordings are made before it is judged."""
        return self.recorded or self.seed is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect(Variant):
    """A change for the worse: the eval must give `fail`, by this metric, with one of these codes."""

    metric: str
    codes: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour(Variant):
    """A change that is as good: the eval must pass, though the agent does something else than in what is shipped."""
