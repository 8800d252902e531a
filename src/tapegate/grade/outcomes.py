"""The accepted outcomes: the first that holds is named, of the others every unmet condition is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tapegate.grade.docket import Docket
from tapegate.grade.replay import cut_short
from tapegate.model.finding import Severity, Unmet
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.oracle import Oracle, outcome_path
from tapegate.oracles.tolerances import tolerant
from tapegate.oracles.turns import turn_views


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a task's accepted outcomes, by their index."""

    holding: int | None
    """The first that holds; None where none does."""
    unmet: tuple[tuple[Unmet, ...], ...]
    """Of each, the conditions that do not hold."""
    unknown: frozenset[int]
    """Those that a metric could not judge."""
    borderline: int | None = None
    """Where none holds, the first that misses only inside its borderline bands."""


def judge_outcomes(docket: Docket, trace: Trace, oracles: Sequence[Oracle]) -> Judged:
    """What became of the accepted outcomes; the findings of those that do not hold are entered.

    Where none holds, an outcome is still open if a metric could not judge it, or if the trace was cut short and every
    condition it lacks might have been met by what did not happen any more. Where no outcome is open, the task fails,
    unless one misses only inside a band that the task declares as borderline: then it needs review.
    """
    unmet, unknown = _unmet(docket.task, trace, oracles, docket)
    holding = [index for index, lacking in enumerate(unmet) if not lacking and index not in unknown]
    borderline = None if holding or unknown else _borderline(docket.task, trace, oracles, docket)
    cut = cut_short(trace)
    closed = [any(one.final or not cut for _, one in lacking) for lacking in unmet]
    for index, lacking in enumerate(unmet):
        for metric, one in lacking:
            severity: Severity = "note"
            if borderline is not None:
                severity = "needs_review" if index == borderline else "note"
            elif not holding and all(closed):
                # What a miss kept from happening is no reproach, even where another condition already fails.
                severity = "fail" if one.final or not cut else "note"
            elif not holding and not closed[index]:
                severity = "stale"
            docket.report(metric, one, severity, outcome=index)
    if borderline is not None:
        message = f"accepted outcome {borderline} is missed only inside its borderline band"
        docket.say("grading", "borderline", "needs_review", message, path=outcome_path(borderline), outcome=borderline)
    return Judged(
        holding[0] if holding else None,
        tuple(tuple(one for _, one in lacking) for lacking in unmet),
        frozenset(unknown),
        borderline,
    )


def _unmet(
    task: Task, trace: Trace, oracles: Sequence[Oracle], docket: Docket, *, borderline: bool = False
) -> tuple[list[list[tuple[str, Unmet]]], set[int]]:
    """Of each outcome the conditions that do not hold, by metric, and the outcomes that a metric could not judge."""
    whole = tolerant(task, oracles, borderline=borderline)
    turns = [(view, tolerant(view.task, oracles, borderline=borderline), view.part(trace)) for view in turn_views(task)]
    unmet: list[list[tuple[str, Unmet]]] = []
    unknown: set[int] = set()
    crashed: set[str] = set()
    for index, outcome in enumerate(whole.expect.accepted_outcomes):
        lacking: list[tuple[str, Unmet]] = []
        for oracle in oracles:
            try:
                lacking += [(oracle.name, one) for one in oracle.unmet(index, outcome, whole, trace)]
                for view, asked, part in turns if oracle.by_turn else ():
                    found = oracle.unmet(index, asked.expect.accepted_outcomes[index], asked, part)
                    lacking += [(oracle.name, view.unmet(one)) for one in found]
            except Exception as error:  # noqa: BLE001 - whatever a metric raises, the task is not judged by it
                unknown.add(index)
                if oracle.name not in crashed:
                    crashed.add(oracle.name)
                    docket.crashed(oracle.name, error)
        unmet.append(lacking)
    return unmet, unknown


def _borderline(task: Task, trace: Trace, oracles: Sequence[Oracle], docket: Docket) -> int | None:
    """The first outcome that holds once the task's borderline bands count as accepted too."""
    if not task.expect.borderline:
        return None
    unmet, unknown = _unmet(task, trace, oracles, docket, borderline=True)
    return next((index for index, lacking in enumerate(unmet) if not lacking and index not in unknown), None)
