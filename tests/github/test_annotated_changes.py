"""Annotations of a comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tapegate.github.annotations import MOST, of_run
from tapegate.model.diff import Compared, Diff, Stratum, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult


def finding(key: str, **changes: Any) -> Finding:
    """A finding of a task."""
    values = {"metric": "tool_trace", "code": "path_not_allowed", "severity": "fail", "message": f"{key} went astray"}
    return Finding(**{**values, "file": f"evals/{key}.yaml", "line": 7, "trial": 1, **changes})


def task(key: str, verdict: Verdict, *findings: Finding, blocking: bool = True) -> TaskResult:
    """A task of one trial."""
    trial = TrialResult(1, verdict, None, (), "a" * 64, "c" * 64, Metrics(), findings)
    name, _, path = key.partition("@")
    return TaskResult(key, name, "s", path, f"evals/{key}.yaml", verdict, None, (), blocking, Metrics(), (trial,))


def change(key: str, base: Verdict, head: Verdict, **more: Any) -> TaskDiff:
    """What became of a task."""
    values: dict[str, Any] = {
        "base_key": key,
        "file": f"evals/{key}.yaml",
        "blocking": True,
        "stratum": Stratum.SAME_RECORDINGS,
        "base_verdict": base,
        "head_verdict": head,
        "by_base_contract": None,
        "by_base_contract_findings": (),
        "contract": (),
        "dropped_outcomes": (),
        "trials": (),
        **more,
    }
    return TaskDiff(key=key, **values)


def diff(*tasks: TaskDiff) -> Diff:
    """A comparison in which these tasks changed."""
    side = Compared("main", "", "sha256:0", 1, None, True, 0)
    return Diff("pr", side, side, (), tasks, (), (), (), Gate(False, 1, ()))


def run(*tasks: TaskResult) -> Run:
    """A run of these tasks."""
    return Run("pr", False, tasks, Gate(False, 1, ()))


def test_regressions_come_first_and_say_so() -> None:
    """What failed before stands after what a change broke, also where it stood first by name."""
    made = run(
        *(task(f"OLD-{n:02}@A1", Verdict.FAIL, finding(f"OLD-{n:02}@A1")) for n in range(12)),
        task("RET-01@A1", Verdict.FAIL, finding("RET-01@A1")),
    )
    lines = of_run(made, "", diff(change("RET-01@A1", Verdict.PASS, Verdict.FAIL)))
    assert len(lines) == MOST
    assert lines[0] == (
        "::error file=evals/RET-01@A1.yaml,line=7,title=RET-01@A1 passed before%3A tool_trace path_not_allowed"
        "::RET-01@A1 went astray"
    )
    assert lines[-1] == "::error title=Tapegate::4 more findings are in the step summary"


def test_a_comparison_that_fails_shows_an_error() -> None:
    """Where every task passes, as beyond a budget, its reasons do; not where the base could not be run."""
    made = replace(run(task("RET-01@A1", Verdict.PASS)), gate=Gate(True, 0, ()))
    over = replace(diff(), gate=Gate(False, 1, ("a budget is exceeded",)))
    assert of_run(made, "", over) == ["::error title=Tapegate%3A the comparison failed::a budget is exceeded"]
    unavailable = replace(over, base=replace(over.base, problem="missing"), gate=Gate(False, 3, ("no base",)))
    assert of_run(made, "", unavailable) == []


def test_a_regression_is_an_error_though_it_stopped_blocking() -> None:
    """`blocking: false` in the same change does not make it a warning."""
    made = run(task("RET-01@A1", Verdict.FAIL, finding("RET-01@A1"), blocking=False))
    assert of_run(made, "", diff(change("RET-01@A1", Verdict.PASS, Verdict.FAIL)))[0].startswith("::error ")
    assert of_run(made)[0].startswith("::warning ")


LOOSENED = change(
    "RET-01@A1",
    Verdict.PASS,
    Verdict.PASS,
    stratum=Stratum.CONTRACT_CHANGED,
    by_base_contract=Verdict.FAIL,
    by_base_contract_findings=(finding("RET-01@A1"),),
)
LIMITS = (finding("RET-01@A1"),)
MOVED_TRIAL = TrialDiff(1, Verdict.PASS, Verdict.PASS, None, None, True, (), False, None, (), (), (), LIMITS)
MOVED = change("RET-01@A1", Verdict.PASS, Verdict.PASS, trials=(MOVED_TRIAL,))


@pytest.mark.parametrize(
    ("told", "kind", "name"),
    [
        (LOOSENED, "warning", "RET-01@A1 fails by the base's contract"),
        (MOVED, "error", "RET-01@A1 changed too much"),
    ],
    ids=["loosened", "moved"],
)
def test_what_passes_and_yet_changed_for_the_worse_is_annotated(told: TaskDiff, kind: str, name: str) -> None:
    """A loosened contract warns, a limit that was exceeded fails, each at its line."""
    (line,) = of_run(run(task("RET-01@A1", Verdict.PASS)), "sub/", diff(told))
    assert line.startswith(f"::{kind} file=sub/evals/RET-01@A1.yaml,line=7,title={name}%3A ")


def test_without_a_comparison_nothing_is_new() -> None:
    """The run alone is annotated as ever."""
    made = run(task("RET-01@A1", Verdict.FAIL, finding("RET-01@A1")))
    assert of_run(made, "", diff()) == of_run(made)
    assert of_run(replace(made, tasks=()), "", diff()) == []
