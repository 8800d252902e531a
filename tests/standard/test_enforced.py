"""What of the standard no check of a project can show, because Tapegate itself must keep it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tapegate.run import plan
from tapegate.standard.checks import recordings

SOURCE = Path(__file__).parents[2] / "src"
JUDGE = ("tapegate.grade.judge", "tapegate.grade.audit")


def imports(path: Path) -> set[str]:
    """Every module that a file imports anywhere in it, also within functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return found


def reached(*modules: str) -> set[str]:
    """Every module of Tapegate that some modules can come to load."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        place = SOURCE / module.replace(".", "/")
        file = next((each for each in (place.with_suffix(".py"), place / "__init__.py") if each.is_file()), None)
        if file is not None and module not in seen:
            seen.add(module)
            waiting += imports(file)
    return seen


def test_the_gate_knows_no_judge() -> None:
    """Nothing that `tapegate run` loads, at once or on the way, could call one: PR and nightly are decided without."""
    gate = reached("tapegate.cli.run", "tapegate.cli.gate", "tapegate.grade.session", "tapegate.run.replay")
    assert len(gate) > 100
    assert sorted(module for module in gate if module.startswith(JUDGE)) == []
    assert "tapegate.grade.judge.ask" in reached("tapegate.grade.audit.bench")


def test_a_quality_fact_decides_nothing(bench: Any) -> None:
    """Whatever is scored, the contract that verdicts hang on is the same."""
    from tapegate.grade import contract
    from tapegate.load.suite import load_suite

    before = contract.digest(load_suite(bench.root).tasks[0])
    task = "evals/retrieval/RET-01@P1.yaml"
    bench.put(task, f"{(bench.root / task).read_text()}  quality: {{facts: [{{name: x, any_of: [y]}}]}}\n")
    assert contract.digest(load_suite(bench.root).tasks[0]) == before


@pytest.mark.parametrize("trials", [1, 2, 5])
def test_lint_wants_what_nightly_replays(trials: int, bench: Any) -> None:
    """Three trials of a flaky-prone task: the number is the plan's own."""
    assert recordings.NIGHTLY_TRIALS == plan.NIGHTLY_TRIALS
    bench.swap("evals/retrieval/RET-01@P1.yaml", "grading:", f"flaky_prone: true\ntrials: {trials}\ngrading:")
    (found,) = bench.lint().findings
    from tapegate.load.suite import load_suite

    wanted = len(list(plan.numbers(load_suite(bench.root).tasks[0], "nightly")))
    assert f"wants {wanted} trials, and {wanted - 1} of them" in found.message
