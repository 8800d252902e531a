"""Conditions on single answers of a conversation, or of messages put at the same time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.grade.trial import grade_trial
from tapegate.model.finding import Verdict
from tapegate.model.trace import Account, Finish, Miss, ToolResult, Turn
from tapegate.oracles.catalog import CATALOG, check_contract, unjudged
from tapegate.oracles.turns import claims, turn_views

THEN = {"mode": "multi_turn", "input": "What of moss?", "then": ["And of kelp?"]}
BESIDE = {"mode": "concurrent", "input": "What of moss?", "beside": ["And of kelp?"]}


def said(*answers: list[Any]) -> list[Any]:
    """The events of answers, each a turn of its own."""
    events: list[Any] = []
    for index, answer in enumerate(answers):
        events += [Turn(index, f"message {index + 1}"), *answer, Finish("stop")]
    return events


READ = ToolResult("call-1", "read_paper", True, {"id": "moss-1"})
MOSS = ["tool:read_paper", READ, "Moss cools, [says](/paper/moss-1)."]

# What is asked of the second answer, the two answers, and what is found.
TABLE = [
    ({"required_tools": ["search"]}, [["tool:search", "Moss."], ["Kelp."]], ["required_tool_missing"]),
    ({"required_tools": ["search"]}, [["Moss."], ["tool:search", "Kelp."]], []),
    ({"tool_path_policy": "no_tools"}, [MOSS, ["Kelp."]], []),
    ({"tool_path_policy": "no_tools"}, [["Moss."], ["tool:search", "Kelp."]], ["tool_called"]),
    ({"allowed_first_tools": ["read_paper"]}, [["tool:search", "Moss."], ["tool:read_paper", "Kelp."]], []),
    ({"tool_counts": {"search": {"max": 1}}}, [["tool:search"], ["tool:search", "x"]], []),
    ({"tool_counts": {"search": {"max": 1}}}, [["x"], ["tool:search", "tool:search"]], ["too_many_calls"]),
    ({"required_slots": {"sentences_max": 1}}, [["One. Two."], ["One."]], []),
    ({"required_slots": {"sentences_max": 1}}, [["One."], ["One. Two."]], ["too_many_sentences"]),
    ({"required_slots": {"prefix": "Kelp"}}, [["Kelp."], ["Moss."]], ["prefix_missing"]),
    ({"required_slots": {"citations_local_min": 1}}, [MOSS, ["Kelp."]], ["too_few_local_citations"]),
    (
        {"required_slots": {"citations_local_min": 1, "citations_local_exist": True}},
        [MOSS, ["As [said](/paper/moss-1)."]],
        [],
    ),
    (
        {"required_slots": {"citations_local_min": 1, "citations_local_exist": True}},
        [["Moss."], ["As [said](/paper/moss-1)."]],
        ["unknown_paper_cited"],
    ),
    (
        {"required_slots": {"sentences_max": 1}, "tolerances": {"sentences_max": {"abs": 1}}},
        [["One."], ["One. Two."]],
        [],
    ),
]


@pytest.mark.parametrize(("asked", "answers", "codes"), TABLE)
def test_a_condition_is_held_against_its_answer_alone(make_task, make_trace, asked, answers, codes):
    """What another answer says or calls neither meets nor breaks it; the finding stands at its line."""
    path = ("expect", "accepted_outcomes", 0, "turns", 0)
    task = make_task({"turns": [{"turn": 2, **asked}]}, lines={(): 1, path: 7}, **THEN)
    assert check_contract(task) == []
    result = grade_trial(task, make_trace(*said(*answers), finish=False), None)
    assert [finding.code for finding in result.findings] == codes
    assert result.verdict is (Verdict.FAIL if codes else Verdict.PASS)
    assert all(finding.line == 7 and finding.message.startswith("answer 2: ") for finding in result.findings)


ANSWERS = st.lists(
    st.sampled_from(["tool:search", "tool:read_paper", "One. ", "Kelp. ", "[a](/paper/p1). "]), max_size=4
)
SHAPES = st.sampled_from([asked for asked, _, _ in TABLE if "citations_local_exist" not in str(asked)])


@settings(max_examples=60, deadline=None)
@given(SHAPES, st.lists(ANSWERS, min_size=2, max_size=3), st.data())
def test_it_is_judged_as_if_its_answer_were_all(make_task, make_trace, asked, answers, data):
    """Whatever stands around it, a condition on one answer finds what it would find in a trial of that answer."""
    turn = data.draw(st.integers(1, len(answers)))
    then = {**THEN, "then": ["And?"] * (len(answers) - 1)}
    whole = make_task({"turns": [{"turn": turn, **asked}]}, **then)
    found = grade_trial(whole, make_trace(*said(*answers), finish=False), None).findings
    alone = grade_trial(make_task(asked), make_trace(*answers[turn - 1]), None).findings
    conditions = ("tool_trace", "citation_contract", "schema_contract")
    assert [(one.metric, one.code, one.got) for one in found if one.metric in conditions] == [
        (one.metric, one.code, one.got) for one in alone if one.metric in conditions
    ]


def test_concurrent_answers_know_nothing_of_each_other(make_task, make_trace):
    """What one session read, another may not cite as known."""
    slots = {"citations_local_min": 1, "citations_local_exist": True}
    task = make_task({"turns": [{"turn": 2, "required_slots": slots}]}, **BESIDE)
    trace = make_trace(*said(MOSS, ["As [said](/paper/moss-1)."]), finish=False)
    assert [finding.code for finding in grade_trial(task, trace, None).findings] == ["unknown_paper_cited"]


def test_outcomes_are_whole_shapes_with_their_turns(make_task, make_trace):
    """One outcome's first answer and another's second do not make a passing trial together."""
    outcomes = [
        {
            "name": "reads first",
            "turns": [{"turn": 1, "required_tools": ["read"]}, {"turn": 2, "required_tools": ["a"]}],
        },
        {"name": "asks first", "turns": [{"turn": 1, "required_tools": ["ask"]}, {"turn": 2, "required_tools": ["b"]}]},
    ]
    task = make_task(*outcomes, **THEN)
    assert check_contract(task) == []
    for first, second, holds in (("read", "a", 0), ("ask", "b", 1), ("read", "b", None), ("ask", "a", None)):
        trace = make_trace(*said([f"tool:{first}", "x"], [f"tool:{second}", "y"]), finish=False)
        assert grade_trial(task, trace, None).outcome == holds


def test_a_borderline_band_reaches_into_turns(make_task, make_trace):
    """A single answer that misses only inside the band makes the trial borderline."""
    turns = [{"turn": 2, "required_slots": {"sentences_max": 1}}]
    task = make_task({"turns": turns}, expect={"borderline": {"sentences_max": {"abs": 1}}}, **THEN)
    assert check_contract(task) == []
    result = grade_trial(task, make_trace(*said(["x."], ["One. Two."]), finish=False), None)
    assert (result.verdict, result.borderline) == (Verdict.NEEDS_REVIEW, True)


def test_after_a_miss_an_unmet_turn_is_stale(make_task, make_trace):
    """What the rest of the conversation might have brought is no failure, as without turns."""
    task = make_task({"turns": [{"turn": 2, "required_tools": ["search"]}]}, **THEN)
    miss = Miss("chat", "POST", "/chat/completions", "prompt_changed", "the system prompt changed")
    trace = make_trace(*said(["x"], ["y"]), finish=False, account=Account(1, misses=(miss,)))
    assert grade_trial(task, trace, None).verdict is Verdict.STALE


def test_facts_of_single_answers_count_for_accuracy(make_task, make_trace):
    """A trial that states half of the facts of its turns is partially correct."""
    facts = {"facts": [{"name": "moss", "any_of": ["moss"]}]}, {"facts": [{"name": "kelp", "any_of": ["kelp"]}]}
    turns = [{"turn": place, "required_slots": slots} for place, slots in enumerate(facts, 1)]
    task = make_task({"turns": turns}, **THEN)
    scores = []
    for second in ("Kelp.", "Snow."):
        result = grade_trial(task, make_trace(*said(["Moss."], [second]), finish=False), None)
        assert result.scores is not None
        scores.append(result.scores.accuracy_score)
    assert scores == [2, 1]


@pytest.mark.parametrize(
    ("turn", "codes"),
    [
        ({}, ["vacuous_turn", "vacuous_outcome"]),
        ({"required_slots": {"citations_local_min": 0}}, ["vacuous_turn", "vacuous_outcome"]),
        ({"required_slots": {"sentences_mx": 1}}, ["unknown_slot", "vacuous_turn", "vacuous_outcome"]),
        ({"required_slots": {"sentences_max": "1"}}, ["bad_slot_value"]),
        ({"required_slots": {"citations_local_min": "1"}}, ["bad_slot_value"]),
        ({"required_slots": {"latency_e2e_ms_max": 9}}, ["not_by_turn", "vacuous_turn", "vacuous_outcome"]),
        ({"required_slots": {"answers_complete": True}}, ["not_by_turn", "vacuous_turn", "vacuous_outcome"]),
        ({"required_tools": ["a"], "forbidden_tools": ["a"]}, ["unreachable_outcome"]),
        ({"any_allowed_path": [["a", "b"]]}, ["fixed_sequence"]),
        ({"tool_path_policy": "fixed_order", "required_tools": ["a", "b"]}, ["order_without_reason"]),
        ({"required_slots": {"prefix": "x"}, "tolerances": {"prefix": {"abs": 1}}}, ["unknown_tolerance"]),
    ],
)
def test_a_turn_that_cannot_be_judged_is_refused(make_task, turn, codes):
    """The rules of a whole outcome hold for a single answer; what is of the whole trial is refused there."""
    metrics = ["tool_trace"] if any("tool" in key or "path" in key for key in turn) else ["schema_contract"]
    task = make_task({"turns": [{"turn": 1, **turn}]}, metrics=metrics, **THEN)
    found = [problem.code for problem in check_contract(task) if problem.code != "unused_metric"]
    assert sorted(found) == sorted(codes)
    if not set(codes) & {"unknown_tolerance", "fixed_sequence", "order_without_reason", "bad_slot_value"}:
        assert unjudged(task) is not None or codes == ["unreachable_outcome"]


def test_the_metric_of_a_turn_is_declared(make_task):
    """A condition on a single answer needs its metric like any other."""
    task = make_task({"turns": [{"turn": 1, "required_slots": {"prefix": "x"}}]}, metrics=["tool_trace"], **THEN)
    assert {problem.code for problem in check_contract(task)} == {"undeclared_metric", "unused_metric"}
    assert unjudged(task) is not None


def test_two_paths_for_one_turn_are_no_fixed_sequence(make_task):
    """What another outcome accepts of the same answer counts."""
    outcomes = [{"turns": [{"turn": 1, "any_allowed_path": [path]}]} for path in (["a", "b"], ["c", "d"])]
    assert check_contract(make_task(*outcomes, **THEN)) == []


def test_an_outcome_whose_turns_ask_more_is_subsumed(make_task):
    """An earlier outcome that asks less of the same answers already accepts it."""
    loose = {"turns": [{"turn": 1, "required_tools": ["a"]}]}
    tight = {"turns": [{"turn": 1, "required_tools": ["a", "b"]}, {"turn": 2, "required_tools": ["c"]}]}
    assert [problem.code for problem in check_contract(make_task(loose, tight, **THEN))] == ["subsumed_outcome"]
    assert check_contract(make_task(tight, loose, **THEN)) == []
    other = {"turns": [{"turn": 2, "required_tools": ["a", "b"]}]}
    assert check_contract(make_task(loose, other, **THEN)) == []


def test_claims_name_the_place_in_the_task(make_task):
    """What a metric checks of a single answer stands under `turns`."""
    task = make_task({"turns": [{"turn": 2, "required_tools": ["a"]}]}, **THEN)
    tool_trace = next(oracle for oracle in CATALOG if oracle.name == "tool_trace")
    assert list(claims(tool_trace, task)) == [("expect", "accepted_outcomes", 0, "turns", 0, "required_tools")]
    assert [view.turn for view in turn_views(task)] == [2]
