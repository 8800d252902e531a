"""How replays match: what tests the plumbing only is no evidence for a mandatory eval."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.inventory import INVENTORY


def _loose(ground: Ground) -> Iterator[Problem]:
    """A task whose path declares a row of the inventory, and whose id is an eval of that row, has no
    `match: conversation`."""
    for task in ground.survey.tasks:
        row = ground.config.paths[task.path_id].inventory
        if row is not None and task.id in INVENTORY[row].evals and task.setup.match != "exact":
            yield Problem(
                "loose_match",
                f"{task.key} is mandatory, and answers to another prompt would be played to it",
                task.source.file,
                task.source.line("setup", "match"),
                fix="remove `match: conversation` and record the task again",
            )


CHECKS = (
    Check(
        "matching",
        "A mandatory eval is replayed from what was recorded for its very requests.",
        "finding",
        _loose,
        {"loose_match": "A mandatory eval has `match: conversation`."},
    ),
)
