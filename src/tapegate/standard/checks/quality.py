"""Invariants and quality are kept apart: what must hold is not scored, and what is scored decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tapegate.model.problem import Problem
from tapegate.model.task import QualityFact, Task
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground


def _mixed(ground: Ground) -> Iterator[Problem]:
    """A fact of `grading.quality` is an invariant in disguise where it is called like one, or where a wording of it is
    a forbidden pattern, a hidden tag or a private path; it decides as well as scores where every accepted outcome
    demands a fact of the same name or of the same wordings."""
    for task in ground.survey.tasks:
        for index, fact in enumerate(task.grading.quality.facts):
            for code, why in _faults(ground, task, fact):
                yield Problem(
                    code,
                    f"quality fact {fact.name!r} of {task.key} {why}",
                    task.source.file,
                    task.source.line("grading", "quality", "facts", index),
                    fix="make it an invariant or a forbidden pattern, which gates"
                    if code == "quality_invariant"
                    else "score it, or demand it; not both",
                )


def _faults(ground: Ground, task: Task, fact: QualityFact) -> Iterator[tuple[str, str]]:
    from tapegate.oracles.catalog import invariants
    from tapegate.oracles.hidden_tags import hidden_tags
    from tapegate.oracles.private_paths import private_paths

    named = re.sub(r"\W+", "_", fact.name.casefold())
    wordings = [*fact.any_of, *fact.all]
    bare = {wording.strip("/") for wording in wordings}
    if named in invariants(ground.catalog):
        yield "quality_invariant", "is called like an invariant: it would be scored, and gate nothing"
    elif bare & {pattern.strip("/") for pattern in task.expect.forbidden_patterns}:
        yield "quality_invariant", "asks about a forbidden pattern: it would be scored, and gate nothing"
    elif any(any(hidden_tags(text)) or any(private_paths(text)) for text in wordings):
        yield "quality_invariant", "asks about a hidden tag or a private path: it would be scored, and gate nothing"
    demanded = [
        [said for shape in outcome.shapes for said in shape.required_slots.get("facts", ())]
        for outcome in task.expect.accepted_outcomes
    ]
    if all(any(_same(fact, other) for other in facts) for facts in demanded):
        yield "quality_decides", "is demanded by every accepted outcome, and so decides as well"


def _same(fact: QualityFact, other: object) -> bool:
    if not isinstance(other, dict):
        return False
    return other.get("name") == fact.name or (
        (list(other.get("any_of", ())), list(other.get("all", ()))) == (list(fact.any_of), list(fact.all))
    )


CHECKS = (
    Check(
        "quality_apart",
        "Nothing that must hold is scored as quality.",
        "finding",
        _mixed,
        {
            "quality_invariant": "An invariant is scored as quality, where it gates nothing.",
            "quality_decides": "A fact is scored as quality and demanded as well.",
        },
    ),
)
