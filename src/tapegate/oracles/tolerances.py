"""Accepted bands and borderline bands, put onto the slots that they widen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tapegate.load.suggest import did_you_mean
from tapegate.model.outcome import Shape
from tapegate.model.part import Band
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.oracles.oracle import Oracle, outcome_path, problem_at
from tapegate.oracles.slot import SlotKind

BORDERLINE: Path = ("expect", "borderline")

Kinds = Mapping[str, SlotKind]
S = TypeVar("S", bound=Shape)


def tolerant(task: Task, catalog: Sequence[Oracle], *, borderline: bool = False) -> Task:
    """The task with each slot as wide as its tolerance makes it; with `borderline`, as that band makes it beyond.

    An outcome without a band stays as it is, and so does a task without any.
    """
    extra = task.expect.borderline if borderline else {}
    if not extra and not any(outcome.tolerances for outcome in task.expect.accepted_outcomes):
        return task
    kinds = slot_kinds(catalog)
    outcomes = tuple(_wider(_wider(one, one.tolerances, kinds), extra, kinds) for one in task.expect.accepted_outcomes)
    expect = task.expect.model_copy(update={"accepted_outcomes": outcomes})
    return task.model_copy(update={"expect": expect}).at(task.source)


def slot_kinds(catalog: Sequence[Oracle]) -> Kinds:
    """Every slot that a metric owns."""
    return {slot: kind for oracle in catalog for slot, kind in oracle.slots.items()}


def _wider(outcome: S, bands: Mapping[str, Band], kinds: Kinds) -> S:
    slots = dict(outcome.required_slots)
    for name, band in bands.items():
        slot, _, entry = name.partition(".")
        if slot in slots and slot in kinds and (value := _widened(kinds[slot], slots[slot], entry, band)) is not None:
            slots[slot] = value
    return outcome.model_copy(update={"required_slots": slots}) if slots != outcome.required_slots else outcome


def _widened(kind: SlotKind, value: Any, entry: str, band: Band) -> Any:
    """The value with the band; None where the slot takes none under that name."""
    if not entry:
        return kind.widened(value, band) if kind.widened is not None else None
    try:
        return kind.entries(value, entry, band) if kind.entries is not None else None
    except KeyError:
        return None


def tolerance_problems(task: Task, catalog: Sequence[Oracle], *, borderline: bool = True) -> Iterator[Problem]:
    """Bands of slots that are not there, that take none, that are none, or that leave nothing demanded.

    A borderline band is looked for in the conditions on single answers too; without `borderline` in none.
    """
    kinds = slot_kinds(catalog)
    outcomes = task.expect.accepted_outcomes
    for index, outcome in enumerate(outcomes):
        for name, band in outcome.tolerances.items():
            path = outcome_path(index, "tolerances", name)
            yield from _band_problems(task, path, band, outcomes=[outcome], kinds=kinds)
    if not borderline:
        return
    shapes = [shape for outcome in outcomes for shape in outcome.shapes]
    widened = [_wider(shape, shape.tolerances, kinds) for shape in shapes]
    for name, band in task.expect.borderline.items():
        yield from _band_problems(task, (*BORDERLINE, name), band, outcomes=widened, kinds=kinds)


def _band_problems(task: Task, path: Path, band: Band, *, outcomes: Sequence[Shape], kinds: Kinds) -> Iterator[Problem]:
    name = str(path[-1])
    slot, _, entry = name.partition(".")
    if not band.abs and not band.rel:
        message = f"the band of {name!r} has no width"
        yield problem_at(task, path, "vacuous_tolerance", message, "write abs, rel or both")
        return
    having = [outcome for outcome in outcomes if slot in outcome.required_slots and slot in kinds]
    values = [outcome.required_slots[slot] for outcome in having]
    if not values:
        known = sorted({known for outcome in outcomes for known in outcome.required_slots})
        message = f"{name!r} names no slot that is required here: {did_you_mean(slot, known)}"
        yield problem_at(task, path, "unknown_tolerance", message)
        return
    widened = [_widened(kinds[slot], value, entry, band) for value in values]
    if all(value is None for value in widened):
        taken = sorted(known for known, kind in kinds.items() if kind.widened or kind.entries)
        said = f"has no entry {entry!r}" if entry and kinds[slot].entries else "takes no tolerance under that name"
        message = f"the slot {slot!r} {said} (slots that take one: {', '.join(taken)})"
        yield problem_at(task, path, "unknown_tolerance", message)
    for value in widened:
        if value is not None and not kinds[slot].demands(value):
            message = f"with this band nothing is left that {name!r} demands"
            yield problem_at(task, path, "vacuous_tolerance", message, "make it narrower, or remove the slot")
            return
