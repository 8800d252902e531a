"""One task and its trials."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("pass", "pass"),
        ("pass pass", "pass"),
        ("pass fail", "fail"),
        ("stale fail", "fail"),
        ("error fail", "fail"),
        ("error stale", "error"),
        ("stale pass", "stale"),
        ("needs_review pass", "needs_review"),
        ("needs_review stale error fail pass", "fail"),
    ],
)
def test_the_worst_trial_decides_in_any_order(make_task, make_trial, verdicts, expected):
    """Each trial must pass; the order in which they ended changes nothing."""
    trials = [make_trial(Verdict(verdict), number) for number, verdict in enumerate(verdicts.split(), 1)]
    results = [grade_task(make_task(), order) for order in permutations(trials)]
    assert {result.verdict for result in results} == {Verdict(expected)}
    assert all(result == results[0] for result in results)


def test_a_task_shows_its_first_trial(make_task, make_trial):
    """Outcome and metrics are those of trial 1, the trials are sorted, the outcomes keep their names."""
    task = make_task({"name": "searches", "required_tools": ["search"]}, {"required_tools": ["read"]}, trials=2)
    result = grade_task(task, [make_trial(Verdict.PASS, 2, outcome=1), make_trial(Verdict.PASS, 1)])
    assert [trial.trial for trial in result.trials] == [1, 2]
    assert (result.outcome, result.metrics.total_tokens) == (0, 1)
    assert (result.key, result.file) == ("RET-01@A1", "evals/retrieval/RET-01@A1.yaml")
    assert result.outcome_names == ("searches", None)


@pytest.mark.parametrize("given", [[], [2]])
def test_a_trial_that_nobody_ran_is_an_error(make_task, make_trial, given):
    """A task without trials is no pass, and one of two is not two."""
    result = grade_task(make_task(trials=2), [make_trial(Verdict.PASS, number) for number in given])
    assert result.verdict is Verdict.ERROR
    assert len(result.trials) == 2
    assert {finding.code for finding in result.findings} == {"trial_not_run"}


def test_more_trials_than_the_task_asks_for_are_all_judged(make_task, make_trial):
    """`--repeat` and nightly run more; one that fails fails the task."""
    trials = [make_trial(Verdict.PASS, 1), make_trial(Verdict.FAIL, 2)]
    assert grade_task(make_task(trials=1), trials).verdict is Verdict.FAIL


def test_the_same_trial_twice_is_refused(make_task, make_trial):
    """Two results of one trial would have to be chosen between."""
    with pytest.raises(ValueError, match="trial 1 of RET-01@A1 is given twice"):
        grade_task(make_task(), [make_trial(), make_trial()])


def test_a_quarantined_task_fails_and_does_not_block(make_task, make_trial):
    """It runs and is judged like any other; until when, whose it is and why stand in its result."""
    terms = {"reason": "the index is rebuilt", "owner": "librarians", "until": "2026-12-31"}
    result = grade_task(make_task(quarantine=terms), [make_trial(Verdict.FAIL)])
    assert (result.verdict, result.blocking) == (Verdict.FAIL, False)
    assert result.quarantine == "until 2026-12-31 (librarians): the index is rebuilt"
    assert grade_task(make_task(), [make_trial(Verdict.FAIL)]).quarantine is None
    gate = decide([result], "pr", Profile(), partial=False)
    assert (gate.exit_code, gate.reasons) == (0, ("RET-01@A1 does not block: fail",))


@pytest.mark.parametrize(
    ("metric", "code", "outcome", "blocks"),
    [
        ("output_hygiene", "a_code", None, True),
        ("replay", "network_attempt", None, True),
        ("words", "a_code", None, True),
        ("output_hygiene", "a_code", 0, False),
        ("replay", "fault_not_met", None, False),
        ("subject", "subject_crashed", None, False),
        ("stream", "protocol_violation", None, False),
    ],
)
def test_a_quarantine_softens_no_hard_gate(make_task, make_trial, make_finding, metric, code, outcome, blocks):
    """A leak of a quarantined task fails the gate; an outcome that is missed does not."""
    terms = {"reason": "the index is rebuilt", "owner": "librarians", "until": "2026-12-31"}
    found = replace(make_finding(metric), code=code, outcome=outcome)
    result = grade_task(make_task(quarantine=terms), [make_trial(Verdict.FAIL, 1, found)])
    assert (result.blocking, decide([result], "pr", Profile(), partial=False).exit_code) == (blocks, int(blocks))
    assert grade_task(make_task(blocking=False), [make_trial(Verdict.FAIL, 1, found)]).blocking is False
