"""The standard's mandatory inventory holds the shipped evals: none of them can go unnoticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tapegate.load.suite import load_suite
from tapegate.model.task import Task
from tapegate.standard.checks import CHECKS
from tapegate.standard.inventory import INVENTORY
from tapegate.standard.lint import lint

ROOT = Path(__file__).parents[2]
SUITE = load_suite(ROOT)
ROWS = {path_id: INVENTORY[path.inventory] for path_id, path in SUITE.config.paths.items() if path.inventory}
MANDATORY = [task for task in SUITE.tasks if task.path_id in ROWS and task.id in ROWS[task.path_id].evals]
OF_THE_INVENTORY = [check for check in CHECKS if check.id in ("inventory", "scope_evals")]


@pytest.fixture(scope="module")
def evals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped evals."""
    root = tmp_path_factory.mktemp("inventory")
    shutil.copytree(ROOT / "evals", root / "evals")
    (root / "src").mkdir()
    return root


@pytest.mark.parametrize("task", MANDATORY, ids=lambda task: task.key)
def test_an_eval_that_is_deleted_fails_lint(task: Task, evals: Path) -> None:
    """Each in turn: lint names it, and the row of the standard that asks for it; with it, nothing is found."""
    path = evals / task.source.file
    text = path.read_bytes()
    # A suite of one task must not go with it: an empty folder is another finding.
    others = [one for one in SUITE.tasks if one.suite == task.suite and one is not task]
    path.unlink()
    if not others:
        path.parent.rmdir()
    try:
        report = lint(evals, checks=OF_THE_INVENTORY)
    finally:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    assert report.exit_code == 1
    missing = [found for found in report.findings if found.id == "missing_eval"]
    assert len(missing) == 1
    assert f"path {task.path_id!r} lacks the mandatory eval {task.id} " in missing[0].message


def test_all_of_them_are_there(evals: Path) -> None:
    """Every row of the standard is declared by one path, every id of it has its task, and lint finds none missing."""
    declared = [path.inventory for path in SUITE.config.paths.values() if path.inventory]
    assert sorted(declared) == sorted(INVENTORY)
    assert {(task.path_id, task.id) for task in MANDATORY} == {
        (path_id, eval_id) for path_id, row in ROWS.items() for eval_id in row.evals
    }
    assert lint(evals, checks=OF_THE_INVENTORY).findings == ()
