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


def _hiding(ground: Ground) -> Iterator[Problem]:
    """A field that `normalisers` names is taken out of each recorded request; what the model is told stays: its name,
    the system prompt, messages, results of tools and the tools on offer. Ids, signatures and keys of caches are none
    of that."""
    for number, rule in enumerate(ground.config.normalisers):
        where = sorted(key for (_, key), found in ground.recordings.items() if number in found.hiding)
        if where:
            more = f" and {len(where) - 1} more" if len(where) > 1 else ""
            yield ground.at(
                "normaliser_hides",
                f"{rule.path!r} of {rule.service!r} is what the model is told in {where[0]}{more}: a change of it would"
                " be played the old answers, and never be stale",
                *("normalisers", number, "path"),
                fix="name the field that is volatile, and no text around it; for a date or an id in a text, set"
                " `setup.clock` or `setup.seed`",
            )


CHECKS = (
    Check(
        "matching",
        "A mandatory eval is replayed from what was recorded for its very requests.",
        "finding",
        _loose,
        {"loose_match": "A mandatory eval has `match: conversation`."},
    ),
    Check(
        "normalisers",
        "No normaliser takes out of requests what a model is told.",
        "finding",
        _hiding,
        {"normaliser_hides": "A prompt, a message or a tool is taken for a volatile field."},
    ),
)
