"""The standard's mandatory inventory, for the paths that declare a row of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.load.cases import expanded
from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.run.plan import WEEKLY_ONLY
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.inventory import INVENTORY, Row


def _declared(ground: Ground) -> Iterator[tuple[str, Row, Sequence[Task]]]:
    """Each path that declares a row, with the row and the path's tasks."""
    for path_id, path in ground.config.paths.items():
        if path.inventory is not None:
            yield path_id, INVENTORY[path.inventory], ground.tasks_of.get(path_id, ())


def _evals(ground: Ground) -> Iterator[Problem]:
    """A path says with `inventory: A1` which row of the standard it is; each eval of that row must be there, under the
    path's own id."""
    for path_id, row, tasks in _declared(ground):
        present = {task.id for task in tasks}
        for eval_id, about in row.evals.items():
            if eval_id not in present:
                yield ground.at(
                    "missing_eval",
                    f"path {path_id!r} lacks the mandatory eval {eval_id} ({about})",
                    *("paths", path_id, "inventory"),
                    fix=f"add evals/<suite>/{eval_id}@{path_id}.yaml",
                )


def _methods(ground: Ground) -> Iterator[Problem]:
    """A method is used where a task of the path has a condition of its kind under the metric that carries it out: that
    the metric is declared is not enough, and neither is a task whose failure does not fail the gate."""
    for path_id, row, tasks in _declared(ground):
        for method in row.methods:
            if not any(method.used(case, ground.config) for task in tasks if task.blocks for case in expanded(task)):
                by = f" ({method.metric})" if method.metric else ""
                yield ground.at(
                    "missing_method",
                    f"path {path_id!r} must use {method.name}{by}, and none of its evals does",
                    *("paths", path_id, "inventory"),
                    fix=f"give one of its tasks {method.fix}",
                )


def _blocking(ground: Ground) -> Iterator[Problem]:
    """A mandatory eval does not say `blocking: false`, and is not quarantined; `RET-07`, which is of the weekly audit
    only, says `blocking: false`."""
    for _, row, tasks in _declared(ground):
        for task in tasks:
            if task.id in row.evals and not task.blocking:
                yield Problem(
                    "mandatory_not_blocking",
                    f"{task.key} is mandatory, and its failure would not fail the gate",
                    task.source.file,
                    task.source.line("blocking"),
                    fix="remove `blocking: false`",
                )
            elif task.id in row.evals and task.quarantine is not None:
                yield Problem(
                    "mandatory_quarantined",
                    f"{task.key} is mandatory, and its failure would not fail the gate until {task.quarantine.until}",
                    task.source.file,
                    task.source.line("quarantine"),
                    fix="mend it and remove `quarantine`",
                )
            if task.id in WEEKLY_ONLY and task.blocking:
                yield Problem(
                    "weekly_blocking",
                    f"{task.key} is of the weekly audit only, and its failure would fail the gate",
                    task.source.file,
                    task.source.line("id"),
                    fix="write `blocking: false`",
                )


def _hard_gates(ground: Ground) -> Iterator[Problem]:
    """Each mandatory eval requires an invariant: what holds whichever outcome is accepted, and is no matter of
    quality."""
    for _, row, tasks in _declared(ground):
        for case in (case for task in tasks if task.id in row.evals for case in expanded(task)):
            if not case.expect.required_invariants:
                yield Problem(
                    "no_invariants",
                    f"{case.key} is mandatory, and requires no invariant",
                    case.source.file,
                    case.source.line("expect"),
                    fix="add `required_invariants`: no_hidden_tag_leak, no_private_path_leak, stream_complete",
                )


def _undeclared(ground: Ground) -> Iterator[Problem]:
    """A path that is called like a row of the standard and does not declare it may have forgotten to."""
    for path_id, path in ground.config.paths.items():
        if path.inventory is None and path_id in INVENTORY:
            yield ground.at(
                "inventory_undeclared",
                f"path {path_id!r} has the id of a row of the standard's inventory and does not declare it",
                *("paths", path_id),
                fix=f"add `inventory: {path_id}`, so that its mandatory evals are held to be there",
            )


CHECKS = (
    Check(
        "inventory",
        "A path that declares a row of the standard's inventory has its evals.",
        "finding",
        _evals,
        {"missing_eval": "A mandatory eval is not there."},
    ),
    Check(
        "methods",
        "The evals of such a path use the row's required deterministic methods.",
        "finding",
        _methods,
        {"missing_method": "No eval of a path uses a method that the standard requires there."},
    ),
    Check(
        "mandatory",
        "A mandatory eval fails the gate when it fails, and one of the weekly audit does not.",
        "finding",
        _blocking,
        {
            "mandatory_not_blocking": "A mandatory eval would not fail the gate.",
            "mandatory_quarantined": "A mandatory eval is quarantined, and would not fail the gate for a while.",
            "weekly_blocking": "An eval of the weekly audit would fail the gate.",
        },
    ),
    Check(
        "hard_gates",
        "Every mandatory eval requires an invariant.",
        "finding",
        _hard_gates,
        {"no_invariants": "A mandatory eval requires no invariant."},
    ),
    Check(
        "inventory_declared",
        "A path with an id of the standard's says which row it is.",
        "note",
        _undeclared,
        {"inventory_undeclared": "A path is called like a row of the standard, and does not declare it."},
    ),
)
