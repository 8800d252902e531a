"""What a metric is: a deterministic check of a trace against the part of a task that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Literal, Protocol

from tapegate.model.finding import Unmet
from tapegate.model.problem import Problem
from tapegate.model.run import TrialResult
from tapegate.model.source import Path
from tapegate.model.task import Outcome, Task
from tapegate.model.trace import Trace
from tapegate.oracles.slot import SlotKind

INVARIANTS: Path = ("expect", "required_invariants")
OUTCOMES: Path = ("expect", "accepted_outcomes")
PATTERNS: Path = ("expect", "forbidden_patterns")


Evidence = Literal["database", "offers"]
"""What is read of a trial only where a metric needs it: its database before and after, what models were offered."""

HELD_ALWAYS: Mapping[str, str] = {
    "no_network_attempt": "The subject reaches for nothing but its declared services.",
}
"""Invariants that every trial is held to, whatever its task says. A task may name them; no metric needs declaring."""


def outcome_path(index: int, *below: str | int) -> Path:
    """Where something of the accepted outcome `index` stands in a task."""
    return (*OUTCOMES, index, *below)


def slot_path(index: int, slot: str, *below: str | int) -> Path:
    """Where a slot of the accepted outcome `index` stands in a task."""
    return outcome_path(index, "required_slots", slot, *below)


def problem_at(task: Task, path: Path, code: str, message: str, fix: str | None = None) -> Problem:
    """A problem at the line of `path` in the task's file."""
    return Problem(code, message, file=task.source.file, line=task.source.line(*path), fix=fix)


class Oracle(Protocol):
    """A metric. A class that names this one as its base inherits what stands here as a default.

    The class's docstring is its page in the docs; `manual.SECTIONS` names the sections it must have.
    An oracle holds no state: the same task and trace give the same answer in any order, on any machine.
    """

    name: ClassVar[str]
    """What `grading.deterministic_metrics` calls it."""
    version: ClassVar[int]
    """Raised when the same trace may be judged differently than before."""
    codes: ClassVar[Mapping[str, str]]
    """Every code it may report, with one line on what it means."""
    slots: ClassVar[Mapping[str, SlotKind]]
    """The `required_slots` it owns."""
    invariants: ClassVar[Mapping[str, str]]
    """The `required_invariants` it owns, each with one line on what it demands."""
    by_turn: ClassVar[bool] = False
    """Whether its conditions can be asked of a single answer: they look at nothing but what a turn says and calls."""

    def claims(self, task: Task) -> Iterator[Path]:
        """The places in a task whose conditions it checks; a condition that demands nothing is none."""
        for index, invariant in enumerate(task.expect.required_invariants):
            if invariant in self.invariants:
                yield (*INVARIANTS, index)
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            for slot, value in outcome.required_slots.items():
                kind = self.slots.get(slot)
                if kind is not None and kind.demands(value):
                    yield slot_path(index, slot)

    def needs(self, task: Task) -> Iterable[Evidence]:
        """What a trace of this task must hold beside its events for this metric to judge it."""
        return ()

    def broken(self, task: Task, trace: Trace) -> Iterable[Unmet]:
        """The invariants and forbidden patterns of the task, as far as it owns them, that do not hold."""
        return ()

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterable[Unmet]:
        """The conditions of one accepted outcome, as far as it owns them, that do not hold."""
        return ()

    def differences(self, task: Task, base: TrialResult, head: TrialResult) -> Iterable[Unmet]:
        """The limits on a change, as far as it owns them, that the head exceeds; asked where two runs are compared."""
        return ()

    def problems(self, task: Task) -> Iterable[Problem]:
        """What is wrong with the task's contract beyond single slot values, which the catalog checks itself.

        It is asked only when every value of its slots fits, so that it may trust their types.
        """
        return ()
