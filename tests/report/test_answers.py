"""The two answers of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tapegate.grade.unjudged import HARNESS, INPUT
from tapegate.model.diff import Compared, Diff, Rate, Stratum, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Severity, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.report.answers import behaviour, recordings


def task(number: int, verdict: Verdict, *found: tuple[str, Severity], blocking: bool = True) -> TaskResult:
    """A task with such findings."""
    findings = tuple(Finding(metric, "code", severity, "message", "x.yaml", 1, 1) for metric, severity in found)
    trial = TrialResult(1, verdict, None, (), "0" * 64, None, Metrics(), findings)
    key = f"RET-0{number}@A1"
    return TaskResult(
        key, key[:6], "s", "A1", "x.yaml", verdict, None, (), blocking=blocking, metrics=Metrics(), trials=(trial,)
    )


PASS = task(1, Verdict.PASS)
FAIL = task(2, Verdict.FAIL, ("tool_trace", "fail"))
STALE = task(3, Verdict.STALE, ("replay", "stale"))
TORN = task(4, Verdict.ERROR, (INPUT, "error"))
CRASHED = task(5, Verdict.ERROR, ("tool_trace", "error"))
UNRUN = task(6, Verdict.ERROR, (HARNESS, "error"))
REVIEW = task(7, Verdict.NEEDS_REVIEW, ("tool_trace", "needs_review"))
BOTH = task(8, Verdict.FAIL, ("tool_trace", "fail"), ("replay", "stale"))
ASIDE = replace(FAIL, blocking=False)


@pytest.mark.parametrize(
    ("tasks", "holds", "cover"),
    [
        ((), "unknown", "unknown"),
        ((PASS,), "holds", "current"),
        ((PASS, FAIL), "fails", "current"),
        ((PASS, STALE), "holds", "stale"),
        ((STALE,), "unknown", "stale"),
        ((FAIL, STALE), "fails", "stale"),
        ((PASS, BOTH), "fails", "stale"),
        ((PASS, TORN), "holds", "unusable"),
        ((STALE, TORN), "unknown", "unusable"),
        ((PASS, CRASHED), "unknown", "current"),
        ((PASS, UNRUN), "unknown", "unknown"),
        ((PASS, REVIEW), "holds", "current"),
        ((REVIEW,), "unknown", "current"),
        ((PASS, ASIDE), "holds", "current"),
        ((ASIDE,), "unknown", "current"),
    ],
)
def test_neither_answer_stands_for_the_other(tasks: tuple[TaskResult, ...], holds: str, cover: str) -> None:
    """Behaviour is of what was judged; recordings are of what was replayed; nothing known is never good."""
    run = Run("pr", False, tasks, Gate(True, 0, ()))
    assert (behaviour(run).state, recordings(run).state) == (holds, cover)


def test_an_answer_says_how_much_it_is_of() -> None:
    """A behaviour that holds in what could be judged says what could not."""
    run = Run("pr", False, (PASS, STALE, REVIEW), Gate(True, 0, ()))
    assert behaviour(run).sentence == "holds in 1 of 3 tasks; 1 stale, 1 to be reviewed"
    assert recordings(run).sentence == "do not cover the code in 1 of 3 tasks"
    assert recordings(run).keys == ("RET-03@A1",)


def compared(*tasks: TaskDiff, problem: str = "") -> Diff:
    """A comparison that tells of such tasks."""
    base, head = (Compared(name, "", "", 2, Rate(1, 2, 0.1, 0.9), True, 0) for name in ("base", "head"))
    return Diff("pr", replace(base, problem=problem), head, (), tasks, (), (), (), Gate(True, 0, ()))


def became(key: str, head: Verdict, *limits: Finding, blocking: bool = True) -> TaskDiff:
    """A task that passed before."""
    trial = TrialDiff(1, Verdict.PASS, head, None, None, False, (), False, None, (), (), (), limits=limits)
    return TaskDiff(
        key, key, "x.yaml", blocking, Stratum.SAME_RECORDINGS, Verdict.PASS, head, None, (), (), (), (trial,)
    )


LIMIT = Finding("differential_ab", "too_different", "fail", "message", "x.yaml", 1, 1)


@pytest.mark.parametrize(
    ("tasks", "diff", "holds"),
    [
        ((PASS, ASIDE), compared(became(ASIDE.key, Verdict.FAIL)), "fails"),
        ((PASS,), compared(became(PASS.key, Verdict.PASS, LIMIT)), "fails"),
        ((PASS, ASIDE), compared(became(ASIDE.key, Verdict.FAIL, blocking=False)), "holds"),
        ((PASS,), compared(became(PASS.key, Verdict.PASS, LIMIT, blocking=False)), "holds"),
        ((PASS, ASIDE), compared(became(ASIDE.key, Verdict.FAIL), problem="could not be run"), "holds"),
        ((PASS, STALE), compared(became(STALE.key, Verdict.STALE)), "holds"),
    ],
)
def test_what_a_comparison_fails_for_is_behaviour_too(tasks: tuple[TaskResult, ...], diff: Diff, holds: str) -> None:
    """A blocking task that passed before and fails, though it blocks no more, or that changed more than it allows."""
    answer = behaviour(Run("pr", False, tasks, Gate(True, 0, ())), diff)
    assert answer.state == holds
    assert holds != "fails" or answer.keys
