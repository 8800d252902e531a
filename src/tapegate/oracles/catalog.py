"""The metrics there are: one list that a reader sees whole, and a task's contract held against it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from tapegate.errors import UsageError
from tapegate.load.suggest import did_you_mean
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.oracles.citation_contract import CitationContract
from tapegate.oracles.content_filter_contract import ContentFilterContract
from tapegate.oracles.db_state import DbState
from tapegate.oracles.differential_ab import DifferentialAb
from tapegate.oracles.latency_cost import LatencyCost
from tapegate.oracles.oracle import (
    HELD_ALWAYS,
    INVARIANTS,
    Evidence,
    Oracle,
    outcome_path,
    problem_at,
    slot_path,
)
from tapegate.oracles.orchestration_contract import OrchestrationContract
from tapegate.oracles.outcomes import complementary, covers
from tapegate.oracles.output_hygiene import OutputHygiene
from tapegate.oracles.schema_contract import SchemaContract
from tapegate.oracles.tolerances import slot_kinds, tolerance_problems
from tapegate.oracles.tool_trace import ToolTrace
from tapegate.oracles.turns import TurnView, claims, turn_views

CATALOG: tuple[Oracle, ...] = (
    ToolTrace(),
    CitationContract(),
    OutputHygiene(),
    SchemaContract(),
    DbState(),
    DifferentialAb(),
    LatencyCost(),
    ContentFilterContract(),
    OrchestrationContract(),
)

_METRICS = ("grading", "deterministic_metrics")


def metric(name: str, catalog: Sequence[Oracle] = CATALOG) -> Oracle:
    """The metric of that name. Raises `UsageError` naming the known ones."""
    for oracle in catalog:
        if oracle.name == name:
            return oracle
    raise UsageError.of("unknown_metric", _unknown("metric", name, [oracle.name for oracle in catalog]))


def collisions(catalog: Sequence[Oracle]) -> list[str]:
    """Every name, slot or invariant that two metrics claim."""
    taken = {("invariant", name): "every trial" for name in HELD_ALWAYS}
    found = []
    for oracle in catalog:
        names = [("metric", oracle.name)]
        names += [("slot", slot) for slot in oracle.slots] + [("invariant", name) for name in oracle.invariants]
        for kind, name in names:
            if (kind, name) in taken:
                found.append(f"{kind} {name!r} belongs to {taken[kind, name]!r} and to {oracle.name!r}")
            taken[kind, name] = oracle.name
    return found


def invariants(catalog: Sequence[Oracle] = CATALOG) -> dict[str, str]:
    """Every invariant that a task may name, with one line on what it demands."""
    owned = {name: doc for oracle in catalog for name, doc in oracle.invariants.items()}
    return dict(sorted({**owned, **HELD_ALWAYS}.items()))


def needs(task: Task, catalog: Sequence[Oracle] = CATALOG) -> frozenset[Evidence]:
    """What a trace of the task must hold beside its events."""
    declared = [oracle for oracle in catalog if oracle.name in task.grading.deterministic_metrics]
    return frozenset(evidence for oracle in declared for evidence in oracle.needs(task))


def unjudged(task: Task, catalog: Sequence[Oracle] = CATALOG) -> str | None:
    """Why the declared metrics would leave a part of the task unjudged, or None where they judge all of it.

    A verdict is given only where this is None, so that nothing passes because nobody looked.
    """
    declared = [oracle for oracle in catalog if oracle.name in task.grading.deterministic_metrics]
    judged = {path for oracle in declared for path in claims(oracle, task)}
    for index, invariant in enumerate(task.expect.required_invariants):
        if (*INVARIANTS, index) not in judged and invariant not in HELD_ALWAYS:
            return f"no declared metric judges the invariant {invariant!r}"
    for oracle in catalog:
        if oracle not in declared and (claim := next(iter(claims(oracle, task)), None)) is not None:
            return f"{'.'.join(map(str, claim))} belongs to the metric {oracle.name!r}, which is not declared"
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        for slot in outcome.required_slots:
            if not any(slot in oracle.slots for oracle in catalog):
                return f"no metric knows the slot {slot!r}"
        for slot in (slot for turn in outcome.turns for slot in turn.required_slots):
            if not any(slot in oracle.slots for oracle in catalog if oracle.by_turn):
                return f"no metric judges the slot {slot!r} in a single answer"
        if not any(path[:3] == outcome_path(index) for path in judged):
            return f"accepted outcome {index} demands nothing, so anything would pass"
    return None


def check_contract(task: Task, catalog: Sequence[Oracle] = CATALOG) -> list[Problem]:
    """Everything wrong with what a task expects, in the order of its file: a task with a problem is not judged."""
    slots_fit: dict[str, bool] = {}
    problems = [
        *_metric_problems(task, catalog),
        *_invariant_problems(task, catalog),
        *_slot_problems(task, catalog, slots_fit),
    ]
    views = list(turn_views(task))
    for view in views:
        problems += map(view.problem, _slot_problems(view.task, catalog, slots_fit))
    sound = [oracle for oracle in catalog if slots_fit.get(oracle.name, True)]
    claimed = {oracle.name: list(claims(oracle, task)) for oracle in sound}
    for oracle in sound:
        problems += [*oracle.problems(task), *_declaration_problems(task, oracle, claimed[oracle.name])]
    for view in views:
        problems += map(view.problem, _turn_problems(view, catalog, sound))
    if len(sound) == len(catalog):
        outcomes = {path[:3] for paths in claimed.values() for path in paths}
        problems += [*_outcome_problems(task, catalog, outcomes), *tolerance_problems(task, catalog)]
    return sorted(problems, key=Problem.place)


def _turn_problems(view: TurnView, catalog: Sequence[Oracle], sound: Sequence[Oracle]) -> Iterator[Problem]:
    """What is wrong with the conditions on one answer, beside values that do not fit their slots."""
    able = [oracle for oracle in sound if oracle.by_turn]
    for index, outcome in enumerate(view.task.expect.accepted_outcomes):
        for slot in outcome.required_slots:
            owner = next((oracle for oracle in catalog if slot in oracle.slots), None)
            if owner is not None and not owner.by_turn:
                message = f"the slot {slot!r} is of the whole trial: {owner.name} cannot tell it for one answer"
                yield problem_at(view.task, slot_path(index, slot), "not_by_turn", message, "ask it outside of `turns`")
    for oracle in able:
        yield from oracle.problems(view.task)
    if len(sound) == len(catalog):
        claimed = {path[:3] for oracle in able for path in oracle.claims(view.task)}
        for index, place in enumerate(view.places):
            if place is not None and outcome_path(index) not in claimed:
                message = f"accepted outcome {index} demands nothing of this answer"
                yield problem_at(view.task, outcome_path(index), "vacuous_turn", message, "remove it, or say what")
        yield from tolerance_problems(view.task, able, borderline=False)


def _metric_problems(task: Task, catalog: Sequence[Oracle]) -> Iterator[Problem]:
    known = [oracle.name for oracle in catalog]
    declared = task.grading.deterministic_metrics
    for index, name in enumerate(declared):
        if name not in known:
            yield problem_at(task, (*_METRICS, index), "unknown_metric", _unknown("metric", name, known))
        elif name in declared[:index]:
            yield problem_at(task, (*_METRICS, index), "duplicate_entry", f"metric {name!r} is declared twice")


def _invariant_problems(task: Task, catalog: Sequence[Oracle]) -> Iterator[Problem]:
    known = invariants(catalog)
    required = task.expect.required_invariants
    for index, name in enumerate(required):
        if name not in known:
            yield problem_at(task, (*INVARIANTS, index), "unknown_invariant", _unknown("invariant", name, known))
        elif name in required[:index]:
            yield problem_at(task, (*INVARIANTS, index), "duplicate_entry", f"invariant {name!r} is required twice")


def _slot_problems(task: Task, catalog: Sequence[Oracle], fit: dict[str, bool]) -> Iterator[Problem]:
    owners = {slot: oracle for oracle in catalog for slot in oracle.slots}
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        for slot, value in outcome.required_slots.items():
            owner = owners.get(slot)
            if owner is None:
                yield problem_at(task, slot_path(index, slot), "unknown_slot", _unknown("slot", slot, owners))
                continue
            for flaw in owner.slots[slot].flaws(value):
                fit[owner.name] = False
                message = f"slot {slot!r}: {flaw.message}"
                fix = owner.slots[slot].doc
                yield problem_at(task, slot_path(index, slot, *flaw.path), flaw.code, message, fix)


def _declaration_problems(task: Task, oracle: Oracle, claimed: Sequence[Path]) -> Iterator[Problem]:
    """A metric is declared exactly where an expectation belongs to it."""
    declared = task.grading.deterministic_metrics
    claim = claimed[0] if claimed else None
    if claim is not None and oracle.name not in declared:
        what = ".".join(str(part) for part in claim)
        message = f"{what} belongs to the metric {oracle.name!r}, which grading.deterministic_metrics does not declare"
        yield problem_at(task, claim, "undeclared_metric", message, f"add {oracle.name} to deterministic_metrics")
    if claim is None and oracle.name in declared:
        message = f"metric {oracle.name!r} is declared, but no expectation of this task belongs to it"
        path = (*_METRICS, declared.index(oracle.name))
        yield problem_at(task, path, "unused_metric", message, "remove it, or add the expectation that is missing")


def _outcome_problems(task: Task, catalog: Sequence[Oracle], claimed: Container[Path]) -> Iterator[Problem]:
    kinds = slot_kinds(catalog)
    outcomes = task.expect.accepted_outcomes
    for index, outcome in enumerate(outcomes):
        path = outcome_path(index)
        if path not in claimed:
            message = f"accepted outcome {index} demands nothing, so anything would pass"
            yield problem_at(task, path, "vacuous_outcome", message)
            continue
        for earlier in range(index):
            if complementary(outcomes[earlier], outcome):
                message = (
                    f"outcomes {earlier} and {index} accept everything together: what the one misses, the other is"
                )
                yield problem_at(task, path, "vacuous_outcomes", message, "demand of both what a valid solution has")
            if covers(outcomes[earlier], outcome, kinds):
                twin = covers(outcome, outcomes[earlier], kinds)
                code = "duplicate_outcome" if twin else "subsumed_outcome"
                said = "is the same as" if twin else "is already accepted by"
                message = f"accepted outcome {index} {said} outcome {earlier}, which comes first"
                yield problem_at(task, path, code, message)
                break


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f"{kind} {name!r} is not known: {did_you_mean(name, known)}"
