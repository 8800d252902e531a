"""The standard's mandatory inventory, for the paths that declare a row of it."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.problem import Problem
from tapegate.model.task import Task
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground
from tapegate.standard.inventory import INVENTORY, Row


def _declared(ground: Ground) -> Iterator[tuple[str, Row, list[Task]]]:
    """Each path that declares a row, with the row and the path's tasks."""
    for path_id, path in ground.config.paths.items():
        if path.inventory is not None:
            tasks = [task for task in ground.survey.tasks if task.path_id == path_id]
            yield path_id, INVENTORY[path.inventory], tasks


def _evals(ground: Ground) -> Iterator[Problem]:
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
    for path_id, row, tasks in _declared(ground):
        used = {metric for task in tasks for metric in task.grading.deterministic_metrics}
        for metric, methods in row.methods.items():
            if metric not in used:
                yield ground.at(
                    "missing_method",
                    f"path {path_id!r} must use {metric} ({'; '.join(methods)}), and none of its evals declares it",
                    *("paths", path_id, "inventory"),
                    fix=f"add an expectation of {metric} to one of its tasks, and declare the metric there",
                )


def _blocking(ground: Ground) -> Iterator[Problem]:
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


def _undeclared(ground: Ground) -> Iterator[Problem]:
    for path_id, path in ground.config.paths.items():
        if path.inventory is None and path_id in INVENTORY:
            yield ground.at(
                "inventory_undeclared",
                f"path {path_id!r} has the id of a row of the standard's inventory and does not declare it",
                *("paths", path_id),
                fix=f"add `inventory: {path_id}`, so that its mandatory evals are held to be there",
            )


CHECKS = (
    Check("inventory", "A path that declares a row of the standard's inventory has its evals.", "finding", _evals),
    Check("methods", "The evals of such a path use the row's required deterministic methods.", "finding", _methods),
    Check("mandatory", "A mandatory eval fails the gate when it fails.", "finding", _blocking),
    Check("inventory_declared", "A path with an id of the standard's says which row it is.", "note", _undeclared),
)
