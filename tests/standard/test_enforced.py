"""What of the standard no check of a project can show, because Tapegate itself must keep it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tapegate.run import plan
from tapegate.standard.checks import recordings

SHOWN = """
import sys
for name in {modules!r}:
    __import__(name)
print(*sorted(name for name in sys.modules if name.startswith({aside!r})))
"""
JUDGE = ("tapegate.grade.judge", "tapegate.grade.audit")


def imported(*modules: str) -> list[str]:
    """What of the judge is loaded once some modules are."""
    program = SHOWN.format(modules=modules, aside=JUDGE)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_gate_knows_no_judge() -> None:
    """Nothing that `tapegate run` loads could call one: PR and nightly are decided without."""
    gate = ("tapegate.cli.run", "tapegate.cli.gate", "tapegate.grade.session", "tapegate.run.replay")
    assert imported(*gate) == []
    assert "tapegate.grade.judge.ask" in imported("tapegate.grade.audit.bench")


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
