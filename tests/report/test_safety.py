"""The one line: whether a change may be merged, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tapegate.grade.gate import decide
from tapegate.model.config import Profile
from tapegate.model.diff import Compared, Diff, Kind, Stratum, StratumStatistics, TaskDiff
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run, TaskResult
from tapegate.report.safety import Safety, safety

P, F, S, R, E = Verdict.PASS, Verdict.FAIL, Verdict.STALE, Verdict.NEEDS_REVIEW, Verdict.ERROR
SIDE = Compared("main", "", "", 3, None, True, 0)


def said(make_task: Any, base: list[Verdict | None], head: list[Verdict], **profile: Any) -> tuple[Safety, Safety]:
    """What is said of head's tasks compared with base's, and of head alone."""
    tasks = tuple(make_task(f"T-{number}@A1", verdict) for number, verdict in enumerate(head))
    run = Run("pr", False, tasks, decide(tasks, "pr", Profile(**profile), False))
    changed = [_change(task, before) for task, before in zip(tasks, base, strict=True)]
    diffs = tuple(one for one in changed if one.kind is not None)
    worse = any(one.kind is Kind.REGRESSION for one in diffs)
    both = sum(before is not None for before in base)
    same = (StratumStatistics(Stratum.SAME_RECORDINGS, both, None, (), ()),) if both else ()
    diff = Diff("pr", SIDE, SIDE, (), diffs, same, (), (), Gate(not worse, int(worse), ()))
    return safety(run, diff), safety(run, None)


def _change(task: TaskResult, base: Verdict | None) -> TaskDiff:
    return TaskDiff(
        *(task.key, task.key, task.file, True, Stratum.SAME_RECORDINGS, base, task.verdict), *(None, (), (), (), ())
    )


def test_a_regression_beside_what_could_not_be_judged_is_not_safe(make_task: Any) -> None:
    """That one task crashed makes a failure no doubt."""
    compared, alone = said(make_task, [P, P, P], [F, E, P])
    assert compared == Safety(
        "unsafe", "not safe to merge", "1 task passed before and fails now; 1 task cannot be judged any more."
    )
    assert alone == Safety("unsafe", "not safe to merge", "1 task fails; 1 task cannot be judged.")
    compared, alone = said(make_task, [P, P, P], [P, E, P])
    assert (compared.headline, alone.headline) == ("not known to be safe",) * 2


@pytest.mark.parametrize(
    ("verdict", "profile", "why"),
    [(S, {"stale": "report"}, "1 stale"), (R, {}, "1 needs review")],
)
@pytest.mark.parametrize("before", [P, None, "same"])
def test_what_was_not_judged_is_counted_first(
    make_task: Any, verdict: Verdict, profile: Any, why: str, before: Any
) -> None:
    """A gate that lets it pass makes nothing known of it, whether or not it was so on the base."""
    base = verdict if before == "same" else before
    compared, alone = said(make_task, [base, P, P], [verdict, P, P], **profile)
    assert compared.headline == alone.headline == "safe to merge as far as it was judged"
    assert (compared.state, compared.tone) == ("safe", "unknown")
    counted = f"The gate passes; 1 of 3 tasks was not judged: {why}"
    assert compared.sentence == f"{counted}. Nothing that was judged became worse."
    assert alone.sentence == f"{counted}; there is no base to compare with."


@pytest.mark.parametrize(
    ("base", "head", "sentence"),
    [
        ([F, P], [F, P], "1 task fails as on the base."),
        ([S, E], [F, F], "2 tasks fail and were not judged before."),
        ([None, P], [F, P], "1 new task fails."),
        ([F, P], [F, F], "1 task passed before and fails now; 1 task fails as on the base."),
        ([S, S], [S, P], "1 task is stale and must be recorded again."),
        ([P, P], [R, R], "The gate fails; 2 of 2 tasks were not judged: 2 need review."),
    ],
)
def test_why_the_gate_fails_is_said(
    make_task: Any, base: list[Verdict | None], head: list[Verdict], sentence: str
) -> None:
    """Also where no task regressed: what is new or was never judged is not as it was on the base."""
    assert said(make_task, base, head)[0].sentence == sentence


def test_a_gate_that_no_task_fails_says_what_does(passed: Run) -> None:
    """A selection, no task at all, no pair."""
    failing = replace(passed, gate=Gate(False, 1, ("a selection",)))
    assert safety(replace(failing, partial=True), None).sentence == "Only a selection of the tasks was run."
    none = Run("pr", False, (), Gate(False, 3, ()))
    assert safety(none, None).sentence == "There is no task, and nothing was judged."
    apart = Diff("pr", SIDE, SIDE, (), (), (), (), (), Gate(False, 3, ("nothing was compared",)))
    assert safety(passed, apart).sentence == "No task is on both sides, and nothing was compared."


def test_a_changed_contract_that_nothing_held_is_told(make_task: Any) -> None:
    """Where base's contract could not be judged any more, as where its metric is gone, it is no quiet change."""
    task = make_task("T-1@A1", P)
    run = Run("pr", False, (task,), Gate(True, 0, ()))
    apart = StratumStatistics(Stratum.CONTRACT_CHANGED, 1, None, (), ())
    for by_base, sentence in (
        (E, "The gate passes. To look at: 1 task asks for something else."),
        (P, "The gate passes; 1 task cannot be compared."),
    ):
        change = replace(_change(task, P), stratum=Stratum.CONTRACT_CHANGED, by_base_contract=by_base)
        diff = Diff(
            "pr", SIDE, SIDE, (), (replace(change, contract_differs=True),), (apart,), (), (), Gate(True, 0, ())
        )
        told = safety(run, diff)
        assert (told.sentence, told.tone) == (sentence, "safe")


def test_without_a_base_what_nobody_judged_is_not_known(make_task: Any) -> None:
    """That the base could not be run makes a crash no failure, and a failure no doubt."""
    broken = replace(SIDE, problem="missing_config")
    for verdict, code, headline in ((E, 3, "not known to be safe"), (F, 1, "not safe to merge")):
        task = make_task("T-1@A1", verdict)
        diff = Diff("pr", broken, SIDE, (), (), (), (), (), Gate(False, 3, ()))
        told = safety(Run("pr", False, (task,), Gate(False, code, ())), diff)
        why = "The gate fails, and the comparison is unavailable: base could not be run."
        assert (told.headline, told.sentence) == (headline, why)
