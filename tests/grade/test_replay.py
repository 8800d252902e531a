"""What the replay itself says."""

from __future__ import annotations

import pytest

from tapegate.grade.docket import Docket
from tapegate.grade.replay import report_account, report_ending
from tapegate.grade.trial import grade_trial
from tapegate.model.trace import Account, Data, Ending, Failure, Miss, NetworkAttempt, Turn, Unplayed, Violation

MISS = Miss("chat", "POST", "/chat/completions", "diverged", "the conversation diverged at turn 2\n  - old\n  + new", 2)


def test_a_miss_is_stale_with_its_explanation_and_the_command_that_records(make_task, make_trace):
    """CAS-16: the class of the miss is the code, its explanation the message; the same miss is said once."""
    docket = Docket(make_task(), 1)
    report_account(docket, make_trace(account=Account(misses=(MISS, MISS))))
    (finding,) = docket.findings
    assert (finding.metric, finding.code, finding.severity) == ("replay", "diverged", "stale")
    assert finding.message == MISS.explanation
    assert finding.fix == "tapegate record RET-01@A1 --stale"
    assert (finding.file, finding.line) == ("evals/retrieval/RET-01@A1.yaml", 1)


def test_what_recording_again_takes_stands_behind_the_command(make_task, make_trace):
    """As a comment to a shell; nothing where nobody counted."""
    docket = Docket(make_task(), 1)
    report_account(docket, make_trace(account=Account(misses=(MISS,)), recorded_tokens=12_345))
    assert docket.findings[0].fix == "tapegate record RET-01@A1 --stale  # about 12,345 tokens"


@pytest.mark.parametrize(
    ("usd", "shown"),
    [("0.00000001", ", $0.0001"), ("0.0151", ", $0.0151"), ("1.001", ", $1.01"), ("1234.5", ", $1234.50"), (None, "")],
)
def test_money_is_never_shown_less_than_it_is(make_task, make_trace, usd, shown):
    """Rounded up; nothing where the prices are not known."""
    docket = Docket(make_task(), 1)
    account = Account(misses=(MISS,))
    report_account(docket, make_trace(account=account, recorded_tokens=10, recorded_usd=usd))
    assert docket.findings[0].fix == f"tapegate record RET-01@A1 --stale  # about 10 tokens{shown}"


def test_a_fault_that_nobody_met_is_a_failure(make_task, make_trace):
    """At its place in the task; after a miss nobody knows whether it would have been met."""
    faults = [
        {"kind": "raise", "at": "a:b"},
        {"kind": "reset", "service": "model"},
        {"kind": "timeout", "service": "x"},
    ]
    task = make_task(setup={"faults": faults})
    for account, severity in ((Account(faults=(1,)), "fail"), (Account(faults=(1,), misses=(MISS,)), "stale")):
        docket = Docket(task, 1)
        report_account(docket, make_trace(account=account))
        found = [finding for finding in docket.findings if finding.code == "fault_not_met"]
        assert [(finding.severity, finding.expected) for finding in found] == [
            (severity, "a call of 'a:b' that meets it"),
            (severity, "a request to service 'x' that meets it"),
        ]
    docket = Docket(task, 1)
    report_account(docket, make_trace(account=Account(faults=(0, 1, 2))))
    assert docket.findings == []


def test_every_unplayed_interaction_is_listed(make_task, make_trace):
    """CAS-14: a recording that the agent no longer asks for is stale, each by its place and route."""
    docket = Docket(make_task(), 1)
    unplayed = tuple(Unplayed(index, "chat", "POST", "/chat/completions") for index in (1, 3))
    report_account(docket, make_trace(account=Account(unplayed=unplayed)))
    assert [(finding.code, finding.severity) for finding in docket.findings] == [("unplayed", "stale")] * 2
    assert "request 3: POST chat/chat/completions" in docket.findings[1].message


def test_what_is_unplayed_after_a_miss_is_a_note(make_task, make_trace):
    """It follows from the miss, which is the finding to read."""
    docket = Docket(make_task(), 1)
    unplayed = tuple(Unplayed(index, "chat", "POST", "/x") for index in (1, 2))
    report_account(docket, make_trace(account=Account(misses=(MISS,), unplayed=unplayed)))
    assert [(finding.code, finding.severity) for finding in docket.findings] == [
        ("diverged", "stale"),
        ("unplayed", "note"),
    ]
    assert "2 recorded interactions (1, 2)" in docket.findings[1].message


def test_a_complete_replay_says_nothing(make_task, make_trace):
    """No finding, no verdict but pass."""
    docket = Docket(make_task(), 1)
    report_account(docket, make_trace("Yes."))
    report_ending(docket, make_trace("Yes."))
    assert docket.findings == []


@pytest.mark.parametrize(
    ("events", "silent"),
    [
        ([], True),
        ([" \n"], True),
        ([Violation("invalid_utf8", "bad bytes")], True),
        (["Yes."], False),
        (["tool:search"], False),
        ([Failure("the model is not there")], False),
        ([Data({"score": 1})], False),
        ([Turn(0, "a"), "Yes.", Turn(1, "b")], True),
        ([Turn(0, "a"), "Yes.", Turn(1, "b"), "No."], False),
    ],
)
def test_a_stream_that_only_ends_is_no_answer(make_task, make_trace, events, silent):
    """PRO-07: silence meets no outcome, whatever little that asks for; a stream that was filtered may be empty."""
    two = {"mode": "multi_turn", "then": ["And?"]} if any(isinstance(event, Turn) for event in events) else {}
    docket = Docket(make_task(**two), 1)
    report_ending(docket, make_trace(*events))
    assert ("empty_output" in {finding.code for finding in docket.findings}) is silent
    fixture = Docket(make_task(mode="stream_fixture", setup={"stream": "s"}), 1)
    report_ending(fixture, make_trace(*events))
    assert "empty_output" not in {finding.code for finding in fixture.findings}


def test_an_ending_after_a_miss_says_so(make_task, make_trace):
    """The 424 of the miss may well be what the subject raised about."""
    docket = Docket(make_task(), 1)
    ending = Ending("raised", "APIStatusError: 424")
    report_ending(docket, make_trace(account=Account(misses=(MISS,)), ending=ending))
    (finding,) = docket.findings
    assert (finding.severity, finding.message) == (
        "stale",
        "the subject raised after a request without a recording: APIStatusError: 424",
    )


def test_a_network_attempt_points_at_the_task_that_names_it(make_task, make_trace):
    """The check is made of every trial; where the task names the invariant, the finding stands on its line."""
    trace = make_trace("tool:search", account=Account(1, network=(NetworkAttempt("a.org:443"),)))
    for named, line in (([], 1), (["no_network_attempt"], 8)):
        result = grade_trial(make_task(invariants=named), trace, None)
        assert [(one.code, one.severity, one.line) for one in result.findings] == [("network_attempt", "fail", line)]


def test_answers_to_another_prompt_need_review(make_task, make_trace):
    """At the line that allows them; nobody knows what the provider would say to the prompt of now."""
    docket = Docket(make_task(setup={"match": "conversation"}), 1)
    report_account(docket, make_trace(account=Account(alike=(0, 2))))
    (finding,) = docket.findings
    assert (finding.code, finding.severity) == ("matched_by_conversation", "needs_review")
    assert "recorded requests 0, 2 were played for their conversation alone" in finding.message
