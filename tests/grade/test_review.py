"""A person's decision on a result that needed review holds for exactly the bytes that it was taken on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tapegate.grade.contract import digest
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.trace import Account

EXPECT = {
    "accepted_outcomes": [{"required_slots": {"sentences_max": 2}}],
    "borderline": {"sentences_max": {"abs": 2}},
}
REASON = "Four short sentences are as good as two."


@pytest.fixture
def banded(make_task):
    """A task that accepts two sentences and calls four borderline; with reviews where they are given."""

    def build(*digests, **fields):
        reviews = [{"digest": one, "reason": REASON} for one in digests]
        return make_task(expect=EXPECT, metrics=["schema_contract"], reviews=reviews, **fields)

    return build


@pytest.fixture
def result(banded, make_trace):
    """The task's result for an answer, by the reviews that there are."""

    def run(*digests, answer="It is so. " * 4, cassette="c" * 64, changed=None, **fields):
        task = banded(*digests, **fields)
        trial = grade_trial(task, make_trace(answer), cassette)
        return grade_task(task, [changed(trial) if changed is not None else trial])

    return run


def test_what_is_borderline_names_what_a_decision_is_bound_to(result):
    """The digest stands in the result, and in the fix of the finding, so that every report shows the command."""
    task = result()
    assert (task.verdict, task.accepted) == (Verdict.NEEDS_REVIEW, None)
    assert task.review_digest is not None
    fixes = [finding.fix for finding in task.findings if finding.code == "borderline"]
    assert fixes == [f"look at it, then: tapegate accept RET-01@A1 --digest {task.review_digest} --reason '…'"]


def test_a_decision_on_these_bytes_makes_it_a_pass(result):
    """The reason stands in the result; the trial itself says what it was."""
    task = result(result().review_digest)
    assert (task.verdict, task.accepted, task.borderline) == (Verdict.PASS, REASON, 1)
    assert task.trials[0].verdict is Verdict.NEEDS_REVIEW
    assert decide([task], "pr", Profile(), partial=False).exit_code == 0
    assert decide([result()], "pr", Profile(), partial=False).exit_code == 3


@pytest.mark.parametrize(
    "other",
    [
        {"answer": "It was so. " * 4},
        {"answer": "It is so. " * 3},
        {"cassette": "d" * 64},
        {"input": "And now?"},
        {"id": "RET-02"},
        {"changed": lambda trial: replace(trial, tool_path=("search",))},
        {"changed": lambda trial: replace(trial, metrics=replace(trial.metrics, total_tokens=1))},
    ],
)
def test_another_byte_needs_another_decision(result, other):
    """Of the answer, the recording, the task, the tools or the numbers."""
    task = result(result().review_digest, **other)
    assert (task.verdict, task.accepted) == (Verdict.NEEDS_REVIEW, None)


def test_a_score_of_quality_is_no_part_of_it(result):
    """Graders of quality may change; they decide nothing."""
    scored = result(result().review_digest, changed=lambda one: replace(one, metrics=replace(one.metrics, quality="1")))
    assert scored.verdict is Verdict.PASS


def test_no_decision_softens_a_failure(make_task, make_trace, result):
    """A digest that was accepted once says nothing of a trial that fails."""
    accepted = result().review_digest
    assert result(accepted, answer="It is so. " * 9).verdict is Verdict.FAIL
    assert result(accepted, answer="It is so. " * 9).review_digest is None


def test_what_was_matched_by_its_conversation_alone_is_nobodys_to_decide(banded, make_trace):
    """A recorded answer to another prompt is no evidence, whatever a person thinks of it."""
    task = banded(setup={"match": "conversation"})
    trial = grade_trial(task, make_trace("It is so.", account=Account(1, alike=(0,))), "c" * 64)
    judged = grade_task(task, [trial])
    assert (judged.verdict, judged.review_digest) == (Verdict.NEEDS_REVIEW, None)


def test_a_decision_is_no_part_of_the_contract(banded):
    """Accepting a result changes nothing of what the task asks for."""
    assert digest(banded("sha256:" + "a" * 64)) == digest(banded())


def test_the_extra_trial_belongs_to_what_is_decided(banded, make_trace):
    """Where the next recorded trial was borderline too, the decision is on both."""
    task = banded()
    first, second = (grade_trial(task, make_trace("It is so. " * 4, trial=number), "c" * 64) for number in (1, 2))
    both = grade_task(task, [first, replace(second, extra=True)])
    assert both.verdict is Verdict.NEEDS_REVIEW
    assert both.review_digest != grade_task(task, [first]).review_digest
    decided = grade_task(banded(both.review_digest), [first, replace(second, extra=True)])
    assert decided.verdict is Verdict.PASS
