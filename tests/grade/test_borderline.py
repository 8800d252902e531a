"""A result that misses only inside its borderline band: one more trial, then a person."""

from __future__ import annotations

import pytest

from tapegate.errors import CassetteError, Stale
from tapegate.grade.session import judge
from tapegate.grade.task import grade_task, wants_another
from tapegate.grade.trial import grade_trial
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.problem import Problem
from tapegate.oracles.catalog import check_contract
from tapegate.run.plan import Trial

LONG = {"required_slots": {"sentences_max": 2}, "tolerances": {"sentences_max": {"abs": 1}}, "name": "brief"}
EXPECT = {"accepted_outcomes": [LONG], "borderline": {"sentences_max": {"abs": 2}}}


@pytest.fixture
def banded(make_task):
    """A task that accepts two sentences, tolerates three, and calls up to five borderline."""

    def build(**fields):
        return make_task(expect=EXPECT, metrics=["schema_contract"], **fields)

    return build


def said(count: int) -> str:
    """An answer of so many sentences."""
    return "It is so. " * count


@pytest.mark.parametrize(
    ("count", "verdict"),
    [(2, "pass"), (3, "pass"), (4, "needs_review"), (5, "needs_review"), (6, "fail")],
)
def test_the_bands_follow_one_another(banded, make_trace, count, verdict):
    """Accepted, tolerated, borderline, failed; both ends of a band belong to it."""
    assert check_contract(banded()) == []
    result = grade_trial(banded(), make_trace(said(count)), None)
    assert result.verdict == Verdict(verdict)
    assert result.borderline is (verdict == "needs_review")


def test_a_borderline_trial_says_what_it_misses(banded, make_trace):
    """The condition and that it was missed inside the band, both at the outcome."""
    result = grade_trial(banded(), make_trace(said(4)), None)
    assert [(one.metric, one.code, one.severity, one.outcome) for one in result.findings] == [
        ("schema_contract", "too_many_sentences", "needs_review", 0),
        ("grading", "borderline", "needs_review", 0),
    ]


def test_a_broken_invariant_is_never_softened(make_task, make_trace):
    """No band stands beside a hard gate."""
    expect = {**EXPECT, "required_invariants": ["no_hidden_tag_leak"]}
    task = make_task(expect=expect, metrics=["schema_contract", "output_hygiene"])
    assert grade_trial(task, make_trace(said(4) + "<think>"), None).verdict is Verdict.FAIL


def test_what_misses_more_than_the_band_fails(make_task, make_trace):
    """An outcome that also lacks something without a band is not borderline."""
    outcome = {**LONG, "required_slots": {"sentences_max": 2, "prefix": "In brief"}}
    task = make_task(expect={**EXPECT, "accepted_outcomes": [outcome]}, metrics=["schema_contract"])
    assert grade_trial(task, make_trace(said(4)), None).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("trials", "extra", "verdict"),
    [
        ("border", None, "needs_review"),
        ("border", "pass", "pass"),
        ("border", "border", "needs_review"),
        ("border", "fail", "fail"),
        ("border", "stale", "needs_review"),
        ("border", "error", "error"),
        ("pass border border", "pass", "pass"),
        ("fail border", "pass", "fail"),
        ("stale border", "pass", "stale"),
        ("needs_review", "pass", "needs_review"),
        ("pass", "fail", "pass"),
    ],
)
def test_the_extra_trial_decides_a_borderline_task_and_no_other(make_task, make_trial, trials, extra, verdict):
    """Passing settles it, failing fails it; what is still unsure, or was never merely borderline, stays what it is."""
    results = [
        make_trial(Verdict("needs_review" if word == "border" else word), number, borderline=word == "border")
        for number, word in enumerate(trials.split(), 1)
    ]
    if extra is not None:
        kind = Verdict("needs_review" if extra == "border" else extra)
        results.append(make_trial(kind, len(results) + 1, borderline=extra == "border", extra=True))
    judged = grade_task(make_task(trials=len(trials.split())), results)
    assert judged.verdict == Verdict(verdict)
    assert judged.borderline == [*trials.split(), extra].count("border")


def test_the_outcome_that_settled_it_is_the_tasks(make_task, make_trial):
    """A task that passes by its extra trial names the outcome that held there."""
    border = make_trial(Verdict.NEEDS_REVIEW, 1, borderline=True)
    assert grade_task(make_task(), [border, make_trial(Verdict.PASS, 2, outcome=0, extra=True)]).outcome == 0


def test_another_trial_is_wanted_only_where_it_could_settle_something(make_trial):
    """Not beside a failure, and not for a task that needs review for another reason."""
    border = make_trial(Verdict.NEEDS_REVIEW, 1, borderline=True)
    assert wants_another([border, make_trial(Verdict.PASS, 2)])
    assert not wants_another([make_trial(Verdict.PASS, 1)])
    assert not wants_another([border, make_trial(Verdict.FAIL, 2)])
    assert not wants_another([border, make_trial(Verdict.NEEDS_REVIEW, 2)])


@pytest.fixture
def session(banded, make_trace, recorded):
    """Runs a task whose trials say so many sentences; returns its result and the trials that were replayed."""

    def run(counts: list[int], beyond=None, trials: int = 1):
        task = banded(trials=trials)
        replayed = []

        def replay(trial):
            replayed.append(trial.number)
            return make_trace(said(counts[trial.number - 1]), trial=trial.number)

        result = judge(
            [Trial(task, number, recorded(number)) for number in range(1, trials + 1)],
            replay,
            profile_name="pr",
            profile=Profile(),
            partial=False,
            jobs=1,
            done=lambda *_: None,
            extra=lambda of, number: Trial(of, number, beyond or recorded(number)),
        )
        return result.tasks[0], replayed

    return run


def test_a_borderline_task_gets_the_next_recorded_trial_once(session):
    """One extra trial a task, also where several of its trials were borderline."""
    task, replayed = session([4, 4, 2], trials=2)
    assert (task.verdict, replayed, task.borderline) == (Verdict.PASS, [1, 2, 3], 2)
    assert [trial.extra for trial in task.trials] == [False, False, True]
    task, replayed = session([4, 5])
    assert (task.verdict, replayed, task.borderline) == (Verdict.NEEDS_REVIEW, [1, 2], 2)


def test_a_task_that_is_not_borderline_gets_none(session):
    """What passes or fails is settled."""
    assert session([2, 2])[1] == [1]
    assert session([9, 2])[1] == [1]


def test_without_a_further_recording_a_person_decides(session):
    """The trial that nobody recorded is not counted as stale; one that cannot be trusted is an error."""
    task, replayed = session([4], Stale(Problem("not_recorded", "trial 2 is not recorded yet")))
    assert (task.verdict, replayed, len(task.trials)) == (Verdict.NEEDS_REVIEW, [1], 1)
    task, _ = session([4], CassetteError(Problem("hash_mismatch", "not the bytes that were pinned")))
    assert task.verdict is Verdict.ERROR
