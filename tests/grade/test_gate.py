"""The rule that turns a run into an exit code."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.run import Metrics
from tapegate.model.scores import Scores

PR = Profile()
VERDICTS = {
    letter: Verdict(value)
    for letter, value in zip("PFSNE", ["pass", "fail", "stale", "needs_review", "error"], strict=True)
}


@pytest.fixture(scope="session")
def gate(make_result, make_finding):
    """The gate of tasks given as letters: `P`ass, `F`ail, `S`tale, `N`eeds review, `E`rror, `U`nusable file.

    A small letter does not block.
    """

    def results(letters: str):
        for number, letter in enumerate(letters):
            key = f"RET-{number:02}@A1"
            unusable = [make_finding("input", "error")] if letter.upper() == "U" else []
            verdict = VERDICTS["E" if unusable else letter.upper()]
            yield make_result(key, verdict, *unusable, blocking=letter.isupper())

    def gate_of(letters: str, profile: Profile = PR, partial: bool = False):
        return decide(list(results(letters)), "pr", profile, partial)

    return gate_of


@pytest.mark.parametrize(
    ("letters", "code"),
    [
        ("P", 0),
        ("PPP", 0),
        ("PF", 1),
        ("PS", 4),
        ("S", 4),
        ("SS", 4),
        ("PE", 3),
        ("PU", 2),
        ("", 3),
        ("N", 3),
        ("NN", 3),
        ("PN", 0),
        ("NS", 4),
        ("NF", 1),
        ("FS", 1),
        ("FE", 3),
        ("SE", 3),
        ("FSEU", 2),
        ("FSU", 2),
        ("FSE", 3),
        ("Pf", 0),
        ("Ps", 0),
        ("Pn", 0),
        ("Pe", 3),
        ("Pu", 2),
        ("f", 0),
        ("s", 3),
        ("sN", 3),
    ],
)
def test_exit_codes(gate, letters, code):
    """DESIGN §2: when several hold, 2, 3, 1, 4; a run in which nothing was judged is a 3."""
    decided = gate(letters)
    assert (decided.exit_code, decided.passed) == (code, code == 0)
    if code:
        assert decided.reasons


def test_a_run_that_passes_whole_needs_no_reason(gate):
    """The table of tasks says it all."""
    assert gate("PP").reasons == ()


def test_every_reason_is_given_the_weightiest_first(gate):
    """In the order of precedence, each with the keys it is about."""
    assert gate("FSEUF").reasons == (
        "1 task needs a file that cannot be used: RET-03@A1",
        "1 task could not be judged: RET-02@A1",
        "2 tasks failed: RET-00@A1, RET-04@A1",
        "1 task is stale: RET-01@A1",
    )


@pytest.mark.parametrize(
    ("letters", "code"),
    [("PS", 0), ("PSF", 1), ("PSE", 3), ("S", 3), ("SN", 3), ("FS", 1), ("PSSN", 0)],
)
def test_stale_report_shows_and_does_not_fail(gate, letters, code):
    """`stale: report` lets stale tasks by, but a run in which nothing was judged is still no pass."""
    decided = gate(letters, Profile(stale="report"))
    assert decided.exit_code == code


def test_stale_report_says_first_how_much_was_not_judged(gate):
    """So that a green gate never hides what it did not look at."""
    assert gate("PSSN", Profile(stale="report")).reasons == ("3 of 4 tasks not judged: 2 stale, 1 needs review",)
    assert gate("PSF", Profile(stale="report")).reasons == (
        "1 of 3 tasks not judged: 1 stale",
        "1 task failed: RET-02@A1",
    )


def test_needs_review_shows_and_fails_only_where_the_profile_says_so(gate):
    """`fail_on: [needs_review]` makes it a failure of the gate; a task that does not block is left out of that."""
    assert gate("PN").reasons == ("1 of 2 tasks not judged: 1 needs review",)
    strict = gate("PNn", Profile(fail_on=("needs_review",)))
    assert strict.exit_code == 1
    assert "1 task needs review, which profile 'pr' does not accept: RET-01@A1" in strict.reasons
    assert gate("NN", Profile(fail_on=("needs_review",))).exit_code == 3


def test_a_selection_passes_only_where_the_profile_accepts_one(gate):
    """DESIGN §2: a run of a selection says `partial`, and no PR profile accepts it."""
    refused = gate("PP", partial=True)
    assert refused.exit_code == 1
    assert refused.reasons == ("a selection of the tasks was run, and profile 'pr' accepts whole runs only",)
    assert gate("PP", Profile(partial=True), partial=True).exit_code == 0
    assert gate("PS", partial=True).exit_code == 1


def test_a_task_that_does_not_block_is_named(gate):
    """It neither fails the gate nor disappears."""
    assert gate("Pf").reasons == ("RET-01@A1 does not block: fail",)


def test_many_keys_are_counted(gate):
    """A reason stays one line."""
    (reason,) = gate("F" * 30).reasons
    assert reason.startswith("30 tasks failed: RET-00@A1")
    assert reason.endswith("and 22 more")


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (Scores(2, 2), None),
        (Scores(2, 0), "release readiness: not ready (aggregate, pass_rate, faithfulness_failure_rate) · 1 sample"),
        (Scores(2, None), "release readiness: inconclusive (aggregate, pass_rate, faithfulness_failure_rate)"),
    ],
)
def test_readiness_blocks_where_the_profile_says_so(make_task, make_trial, scores, reason):
    """A run that is not surely ready by the rubric fails the gate of a profile that names it, and no other."""
    metrics = Metrics(total_tokens=2000, latency_e2e_ms=3000)
    trial = replace(make_trial(), metrics=metrics, scores=scores)
    tasks = [grade_task(make_task(blocking=False), [trial])]
    assert decide(tasks, "pr", PR, False).exit_code == 0
    gate = decide(tasks, "weekly", Profile(fail_on=("not_ready",)), False)
    assert gate.exit_code == (1 if reason else 0)
    assert [said for said in gate.reasons if said.startswith(reason or "release")] == list(gate.reasons)


@pytest.mark.parametrize("letters", ["".join(each) for each in product("PFSNEU", repeat=3)])
def test_no_task_that_was_not_judged_or_failed_lets_the_gate_pass(gate, letters):
    """Every combination of three: 0 only without failure, staleness and error."""
    expected = next((code for code, letter in ((2, "U"), (3, "E"), (1, "F"), (4, "S")) if letter in letters), None)
    assert gate(letters).exit_code == (expected or (3 if letters == "NNN" else 0))


@given(letters=st.text(alphabet="PFSNEUpfsneu", min_size=1, max_size=8), seed=st.integers(0, 99))
def test_the_order_of_tasks_changes_nothing(make_result, letters, seed):
    """Same tasks, any order, any number of workers: the same gate."""
    verdicts = [VERDICTS["E" if letter.upper() == "U" else letter.upper()] for letter in letters]
    tasks = [make_result(f"RET-{number:02}@A1", verdict) for number, verdict in enumerate(verdicts)]
    shuffled = random.Random(seed).sample(tasks, len(tasks))
    assert decide(shuffled, "pr", PR, False) == decide(tasks, "pr", PR, False)
