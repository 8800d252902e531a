"""Conditions on single answers: each message of a task seen as a task of its own, and its answer as a trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tapegate.model.finding import Unmet
from tapegate.model.outcome import Outcome, Shape, TurnShape
from tapegate.model.problem import Problem
from tapegate.model.source import Path, Source
from tapegate.model.task import Task
from tapegate.model.trace import Trace, Turn
from tapegate.oracles.oracle import OUTCOMES, Oracle, outcome_path

_DEPTH = len(OUTCOMES) + 1
"""Parts of a path that name an accepted outcome."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """All that a task's accepted outcomes ask of one answer."""

    turn: int
    """Which message it answers, counted from 1."""
    task: Task
    """The task as if the message were the last, or the only one. Its outcomes have the places of the whole task's; one
    that asks nothing of this answer is empty."""
    places: tuple[int | None, ...]
    """By outcome, where under `turns` it stands what is asked of this answer."""
    whole: Task

    def origin(self, path: Path) -> Path:
        """Where in the whole task something of this view stands."""
        place = self.places[int(path[_DEPTH - 1])] if path[: _DEPTH - 1] == OUTCOMES and len(path) >= _DEPTH else None
        return path if place is None else (*path[:_DEPTH], "turns", place, *path[_DEPTH:])

    def part(self, trace: Trace) -> Trace:
        """What a trial did for this message; of a conversation it knows what was read before."""
        turns = trace.turns
        before = turns[: self.turn - 1] if self.whole.mode == "multi_turn" else ()
        earlier = tuple(event for turn in before for event in turn.events if not isinstance(event, Turn))
        return replace(turns[self.turn - 1], before=earlier)

    def unmet(self, one: Unmet) -> Unmet:
        """A condition of this view as one of the whole task."""
        return replace(one, path=self.origin(one.path), message=f"answer {self.turn}: {one.message}")

    def problem(self, one: Problem) -> Problem:
        """A problem of this view as one of the whole task."""
        return replace(one, message=f"turn {self.turn}: {one.message}")


def turn_views(task: Task) -> Iterator[TurnView]:
    """A view for each answer that an accepted outcome asks something of, in their order."""
    outcomes = task.expect.accepted_outcomes
    for turn in sorted({shape.turn for outcome in outcomes for shape in outcome.turns}):
        places = tuple(_place(outcome, turn) for outcome in outcomes)
        shapes = tuple(
            Outcome() if place is None else _alone(outcome.turns[place])
            for outcome, place in zip(outcomes, places, strict=True)
        )
        changed: dict[str, Any] = {
            "required_invariants": (),
            "forbidden_patterns": (),
            "differential": None,
            "accepted_outcomes": shapes,
        }
        if task.mode == "multi_turn":
            asked: dict[str, Any] = {"then": task.then[: turn - 1]}
        else:
            asked = {"mode": "single_turn", "input": task.messages[min(turn, len(task.messages)) - 1], "beside": ()}
        view = task.model_copy(update={**asked, "expect": task.expect.model_copy(update=changed)})
        yield TurnView(turn, view.at(_source(task.source, places)), places, task)


def claims(oracle: Oracle, task: Task) -> Iterator[Path]:
    """The places in a task whose conditions a metric checks, those on single answers among them."""
    yield from oracle.claims(task)
    if oracle.by_turn:
        for view in turn_views(task):
            yield from (view.origin(path) for path in oracle.claims(view.task))


def _place(outcome: Outcome, turn: int) -> int | None:
    return next((place for place, shape in enumerate(outcome.turns) if shape.turn == turn), None)


def _alone(shape: TurnShape) -> Outcome:
    return Outcome.model_construct(**{name: getattr(shape, name) for name in Shape.model_fields})


def _source(source: Source, places: Sequence[int | None]) -> Source:
    """Where the parts of a view stand: those of its outcomes under `turns`, all else where it is in the task."""
    moved = {(*outcome_path(index), "turns", place): index for index, place in enumerate(places) if place is not None}
    lines = {path: line for path, line in source.lines.items() if path[: len(OUTCOMES)] != OUTCOMES}
    for path, line in source.lines.items():
        index = moved.get(path[: _DEPTH + 2])
        if index is not None:
            lines[(*outcome_path(index), *path[_DEPTH + 2 :])] = line
    return Source(source.file, lines)
