"""Runs to report on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tapegate.model.diff import (
    Compared,
    ContractChange,
    Delta,
    Diff,
    Edit,
    Rate,
    Spent,
    Stratum,
    TaskDiff,
    Transition,
    TrialDiff,
)
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


def compared(name: str, passed: int, total: int) -> Compared:
    """One of two runs."""
    return Compared(name, "b" * 40, f"sha256:{name}", total, Rate(passed, total, 0.2, 0.9), passed == total, 0)


def a_diff(text: str = "") -> Diff:
    """A regression and a stale task; with a text, it stands everywhere where a text of a stranger can stand."""
    said = text or "searches, then reads"
    words = (
        Edit("same", f"It is {text}"),
        Edit("removed", "3.6"),
        Edit("added", f"3.7{text}"),
        Edit("same", " degrees."),
    )
    path = (Edit("same", f"search_local{text}"), Edit("removed", "read_paper"), Edit("added", f"web_search{text}"))
    found = finding(message=f"The answer cites too few local papers.{text}", got=text or "none")
    deltas = (
        Delta("total_tokens", Fraction(1234), Fraction(1546)),
        Delta("latency_e2e_ms", None, Fraction(9), text or "not recorded in base"),
    )
    trial = TrialDiff(1, Verdict.PASS, Verdict.FAIL, said, None, True, path, True, words, (found,), (), deltas)
    changes = (ContractChange(f"expect{text}", text, "1"),) if text else ()
    tasks = tuple(
        TaskDiff(
            f"{key}{text}",
            f"{was}{text}",
            FILE.format(key=key),
            True,
            stratum,
            base,
            head,
            by_base,
            (found,),
            changes,
            (said,) if text else (),
            trials,
        )
        for key, was, stratum, base, head, by_base, trials in (
            ("AGT-08@A1", "AGT-08@A1", Stratum.SAME_RECORDINGS, Verdict.PASS, Verdict.STALE, None, ()),
            ("RET-02@A1", "RET-02@A1", Stratum.SAME_RECORDINGS, Verdict.PASS, Verdict.FAIL, None, (trial,)),
            *(
                [
                    (
                        "RET-04@A1",
                        "RET-03@A1",
                        Stratum.CONTRACT_CHANGED,
                        Verdict.PASS,
                        Verdict.PASS,
                        Verdict.FAIL,
                        (trial,),
                    ),
                    ("RET-05@A1", "RET-05@A1", Stratum.RE_RECORDED, Verdict.PASS, None, None, ()),
                    ("RET-06@A1", "RET-06@A1", Stratum.RE_RECORDED, Verdict.FAIL, Verdict.PASS, None, (trial,)),
                ]
                if text
                else []
            ),
        )
    )
    turns = (
        Transition(Verdict.PASS, Verdict.PASS, ("RET-01@A1",)),
        Transition(Verdict.PASS, Verdict.STALE, ("AGT-08@A1",)),
        Transition(Verdict.PASS, Verdict.FAIL, ("RET-02@A1",)),
    )
    over = ((f"RET-02@A1{text}", Fraction(1234), Fraction(1546)),)
    spent = Spent("total_tokens", "each_task", "tokens: at most +10 % for each task", "exceeded", True, 1, over)
    gate = Gate(False, 1, (f"1 task passed and fails: RET-02@A1{text}",))
    sides = (compared(f"main{text}", 3, 3), compared(f"HEAD{text}", 1, 3))
    return Diff("pr", *sides, turns, tasks, (), (spent,) if text else (), (f"a note{text}",) if text else (), gate)


@pytest.fixture
def regressed() -> Diff:
    """The failed run compared with one in which all passed."""
    return a_diff()


@pytest.fixture(scope="session")
def hostile_diff() -> Callable[[str], Diff]:
    """A comparison in which a text stands everywhere where one can."""
    return a_diff


@pytest.fixture
def make_task() -> Callable[..., TaskResult]:
    """Builds a task's result."""
    return task


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    """Builds a finding."""
    return finding
