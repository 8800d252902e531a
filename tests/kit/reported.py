"""Runs to report on, shared by the tests of reports and of what GitHub is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult

FILE = "evals/retrieval/{key}.yaml"


def finding(**changes: Any) -> Finding:
    """An unmet condition of an accepted outcome."""
    key = changes.pop("key", "RET-02@A1")
    values: dict[str, Any] = {
        "metric": "citation_contract",
        "code": "too_few_local_citations",
        "severity": "fail",
        "message": "The answer cites too few local papers.",
        "file": FILE.format(key=key),
        "line": 21,
        "trial": 1,
        "outcome": 0,
        "expected": "at least 1 link to /paper/{id}",
        "got": "none",
    }
    return Finding(**{**values, **changes})


def task(key: str, verdict: Verdict, *findings: Finding, outcome: int | None = None, **changes: Any) -> TaskResult:
    """A task of one trial."""
    metrics = Metrics(1200, 34, 1234, None, 1201, 840, 2, 2)
    tools = changes.pop("tool_path", ("search_local", "read_paper"))
    trial = TrialResult(1, verdict, outcome, tools, "a" * 64, "c" * 64, metrics, findings)
    values: dict[str, Any] = {
        "key": key,
        "id": key.split("@")[0],
        "suite": "retrieval",
        "path_id": key.split("@")[1],
        "file": FILE.format(key=key),
        "verdict": verdict,
        "outcome": outcome,
        "outcome_names": ("searches, then reads", None),
        "blocking": True,
        "metrics": metrics,
        "trials": (trial,),
    }
    return TaskResult(**{**values, **changes})


@pytest.fixture
def passed() -> Run:
    """A run in which all holds."""
    tasks = (
        task("RET-01@A1", Verdict.PASS, outcome=0),
        task("RET-02@A1", Verdict.PASS, outcome=1, tool_path=("read_paper", "read_paper")),
    )
    return Run("pr", partial=False, tasks=tasks, gate=Gate(True, 0, ()))


@pytest.fixture
def failed() -> Run:
    """A run with a failure, a stale task and one that passed."""
    stale = finding(
        metric="replay",
        code="prompt_changed",
        severity="stale",
        message="the system prompt changed\n  messages[0].content:\n    -Local first.\n    +Web first.",
        line=1,
        outcome=None,
        expected="",
        got="",
        fix="tapegate record AGT-08@A1 --stale",
        key="AGT-08@A1",
    )
    tasks = (
        task("AGT-08@A1", Verdict.STALE, stale, tool_path=()),
        task("RET-01@A1", Verdict.PASS, outcome=0),
        task("RET-02@A1", Verdict.FAIL, finding(), finding(outcome=1, line=30), finding(outcome=1, line=31)),
    )
    return Run("pr", partial=False, tasks=tasks, gate=Gate(False, 1, ("1 task failed: RET-02@A1",)))


@pytest.fixture
def make_task() -> Callable[..., TaskResult]:
    """Builds a task's result."""
    return task


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    """Builds a finding."""
    return finding
