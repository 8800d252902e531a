"""Drift of the recordings: how old they are, from what they were made, and what moved between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from tapegate.load.suite import Suite
from tapegate.model.audit import Drift, Fresh, Recorded
from tapegate.tape.pins import ModelPin, Pin
from tapegate.tape.place import TRIAL
from tapegate.tape.store import pins_of

OLD_DAYS = 30
"""A recording older than that is named."""
UNSAID = "not said"
"""Of an answer that names no model: no other version, and no proof of the same."""
_SHOWN = 8


def drift(suite: Suite, as_of: date, fresh: Sequence[Fresh] | None) -> Drift:
    """The drift of all recordings of a suite's tasks, from their pins alone: nothing is replayed for it."""
    recordings = tuple(_recordings(suite, as_of))
    return Drift(
        as_of.isoformat(),
        recordings,
        tuple(_notes(suite, recordings)),
        None if fresh is None else tuple(fresh),
    )


def _recordings(suite: Suite, as_of: date) -> Iterator[Recorded]:
    for task in {task.recorded_as: task for task in suite.tasks}.values():
        pins = pins_of(suite.project, task.suite, task.recorded_as)
        for name, pin in sorted((pins.cassettes if pins else {}).items(), key=lambda item: _number(item[0])):
            yield _recorded(task.recorded_as, _number(name), pin, as_of)


def _number(name: str) -> int:
    found = TRIAL.fullmatch(name)
    return int(found[1]) if found else 0


def _recorded(key: str, trial: int, pin: Pin, as_of: date) -> Recorded:
    made = date.fromisoformat(pin.recorded_at[:10])
    return Recorded(
        key=key,
        trial=trial,
        age_days=max(0, (as_of - made).days),
        recorded_at=pin.recorded_at,
        commit=pin.commit,
        source=pin.source,
        source_kind=pin.source_kind,
        models=tuple(dict.fromkeys(map(_model, pin.models))),
        prompt_sha256=pin.prompt_sha256,
    )


def _model(model: ModelPin) -> str:
    build = f" ({model.fingerprint})" if model.fingerprint else ""
    return f"{model.requested} → {model.resolved or UNSAID}{build}"


def _notes(suite: Suite, recordings: Sequence[Recorded]) -> Iterator[str]:
    recorded = {one.key for one in recordings}
    wanting = (task for task in suite.tasks if task.mode != "stream_fixture")
    yield from _said(
        "has", "have", "no recording", (task.recorded_as for task in wanting if task.recorded_as not in recorded)
    )
    yield from _said(
        *("has", "have", f"recordings older than {OLD_DAYS} days"),
        (one.key for one in recordings if one.age_days > OLD_DAYS),
    )
    yield from _said(
        *("was", "were", "recorded from a work tree that differed from its commit"),
        (one.key for one in recordings if one.commit.endswith("+dirty")),
    )
    answered: dict[str, set[str]] = defaultdict(set)
    prompts: dict[str, set[str]] = defaultdict(set)
    for one in recordings:
        for model in one.models:
            requested, _, resolved = model.partition(" → ")
            if resolved != UNSAID:
                answered[requested].add(resolved)
        if one.prompt_sha256 is not None:
            prompts[one.key.rpartition("@")[2]].add(one.prompt_sha256)
    for requested, versions in sorted(answered.items()):
        if len(versions) > 1:
            yield f"{requested} was answered by {len(versions)} versions: {', '.join(sorted(versions))}"
    for path, hashes in sorted(prompts.items()):
        if len(hashes) > 1:
            yield f"path {path} was recorded under {len(hashes)} different system prompts"


def _said(one: str, many: str, what: str, keys: Iterable[str]) -> Iterator[str]:
    named = sorted(set(keys))
    if named:
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        has = f"1 task {one}" if len(named) == 1 else f"{len(named)} tasks {many}"
        yield f"{has} {what}: {', '.join(named[:_SHOWN])}{more}"
