"""The metric `orchestration_contract`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.model.database import Database, Snapshot, Table
from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult, Turn
from tapegate.oracles.orchestration_contract import OrchestrationContract

KEPT_IN = {"table": "messages", "column": "content", "where": {"role": "assistant"}}
IN_SESSION = {**KEPT_IN, "session": "session_id"}


def slots(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome with these slots."""
    return {
        "outcome": {"required_slots": values},
        "mode": "concurrent",
        "beside": ["b"],
        "setup": {"db_snapshot": "x"},
    }


def answer(index: int, text: str, session: str | None = None, *more: Any, end: Any = None) -> list[Any]:
    """What one of several answers streams."""
    opening = [Data({"type": "session", "session_id": session})] if session is not None else []
    return [Turn(index, "q"), *opening, *more, Text(text), end or Finish("stop")]


def kept(*rows: tuple[str, str, str]) -> Database:
    """A database to which the trial added these messages: session, role, content."""
    columns = ("id", "session_id", "role", "content")
    old = {(0,): (0, "s0", "assistant", "Moss.")}
    new = {(number,): (number, *row) for number, row in enumerate(rows, 1)}
    return Database(Snapshot({"messages": Table(columns, old)}), Snapshot({"messages": Table(columns, {**old, **new})}))


TWO = [*answer(0, "Moss.", "s1"), *answer(1, "Kelp.", "s2")]
BOTH = kept(("s1", "user", "q"), ("s1", "assistant", "Moss."), ("s2", "assistant", "Kelp."))
TOOL = [ToolCall("c", "search", {}), ToolResult("c", "search", True, [])]

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("whole answers", slots(answers_complete=True), ["unfinished", *TWO], []),
    (
        "one reports a failure",
        slots(answers_complete=True),
        ["unfinished", *TWO[:4], *answer(1, "x", end=Failure("no library"))],
        ["answer_incomplete"],
    ),
    (
        "one has no finish",
        slots(answers_complete=True),
        ["unfinished", *answer(0, "Moss.", end=Text("")), *TWO[4:]],
        ["answer_incomplete"],
    ),
    ("one is empty", slots(answers_complete=True), ["unfinished", *answer(0, " "), *TWO[4:]], ["answer_incomplete"]),
    (
        "all parts",
        slots(stream_parts=["text", "tool_call", "tool_result", "data", "data:session", "finish"]),
        ["unfinished", *answer(0, "a", "s1", *TOOL), *answer(1, "b", "s2", *TOOL)],
        [],
    ),
    (
        "one lacks a part",
        slots(stream_parts=["data:session"]),
        ["unfinished", *TWO[:4], *answer(1, "b")],
        ["part_missing"],
    ),
    (
        "how it ended",
        slots(stream_parts=["failure", "finish:error"]),
        ["Half an", Failure("no model"), Finish("error")],
        [],
    ),
    (
        "it ended otherwise",
        slots(stream_parts=["failure", "finish:error"]),
        ["Hello."],
        ["part_missing", "part_missing"],
    ),
    ("a single answer has parts too", slots(stream_parts=["text", "finish"]), ["Hello."], []),
    ("sessions of their own", slots(sessions="distinct"), ["unfinished", *TWO], []),
    (
        "one session for both",
        slots(sessions="distinct"),
        ["unfinished", *TWO[:4], *answer(1, "b", "s1")],
        ["sessions_shared"],
    ),
    ("no session", slots(sessions="distinct"), ["unfinished", *TWO[:4], *answer(1, "b")], ["session_missing"]),
    ("one session as wanted", slots(sessions="same"), ["unfinished", *answer(0, "a", "s"), *answer(1, "b", "s")], []),
    ("the session is lost", slots(sessions="same"), ["unfinished", *TWO], ["sessions_split"]),
    (
        "a session by another name",
        slots(sessions="same", session_field="thread"),
        ["unfinished", Turn(0, "q"), Data({"thread": 7}), Turn(1, "q"), Data({"thread": 7})],
        [],
    ),
    ("kept", slots(persisted_in=KEPT_IN), ["unfinished", *TWO, BOTH], []),
    ("kept in its session", slots(persisted_in=IN_SESSION), ["unfinished", *TWO, BOTH], []),
    (
        "not kept",
        slots(persisted_in=KEPT_IN),
        ["unfinished", *TWO, kept(("s1", "assistant", "Moss."))],
        ["answer_not_persisted"],
    ),
    (
        "what the snapshot held does not count",
        slots(persisted_in=KEPT_IN),
        ["unfinished", *TWO, kept(("s2", "assistant", "Kelp."))],
        ["answer_not_persisted"],
    ),
    (
        "cut short",
        slots(persisted_in=IN_SESSION),
        ["unfinished", *TWO, kept(("s1", "assistant", "Moss."), ("s2", "assistant", "Ke"))],
        ["answer_altered"],
    ),
    (
        "an error in its place",
        slots(persisted_in=IN_SESSION),
        ["unfinished", *TWO, kept(("s1", "assistant", "Moss."), ("s2", "assistant", "Failed."))],
        ["answer_altered"],
    ),
    (
        "sessions crossed",
        slots(persisted_in=IN_SESSION),
        ["unfinished", *TWO, kept(("s2", "assistant", "Moss."), ("s1", "assistant", "Kelp."))],
        ["answer_in_other_session", "answer_in_other_session"],
    ),
    (
        "kept twice",
        slots(persisted_in=KEPT_IN),
        ["unfinished", *TWO, kept(*[("s1", "assistant", "Moss.")] * 2, ("s2", "assistant", "Kelp."))],
        ["surplus_answer"],
    ),
    (
        "two of the same words are two rows",
        slots(persisted_in=KEPT_IN),
        ["unfinished", *answer(0, "Moss."), *answer(1, "Moss."), kept(("s1", "assistant", "Moss."))],
        ["answer_in_other_session"],
    ),
    ("nothing asked", {"outcome": {"required_tools": ["a"]}}, ["tool:a"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each condition is met by the answers that keep apart, and by no others."""
    assert judged(OrchestrationContract(), expectation, events) == codes


def test_a_lost_answer_is_named_by_its_number(make_task, make_trace):
    """With what was streamed and what is kept."""
    task = make_task(slots(persisted_in=IN_SESSION)["outcome"], mode="concurrent", setup={"db_snapshot": "x"})
    database = kept(("s1", "assistant", "Moss."), ("s2", "assistant", "Ke"))
    (found,) = OrchestrationContract().unmet(
        0, task.expect.accepted_outcomes[0], task, make_trace(*TWO, finish=False, database=database)
    )
    assert found.message == "answer 2 is kept otherwise than it was streamed"
    assert (found.expected, found.got) == ("Kelp.", "Ke")


def test_a_trace_without_a_database_is_not_judged(make_task, make_trace):
    """Where answers are kept is nothing that can be guessed."""
    task = make_task(slots(persisted_in=KEPT_IN)["outcome"], setup={"db_snapshot": "x"})
    with pytest.raises(NotJudged, match="no database"):
        list(OrchestrationContract().unmet(0, task.expect.accepted_outcomes[0], task, make_trace("a")))


@pytest.mark.parametrize(
    ("values", "mode", "setup", "codes"),
    [
        ({"sessions": "distinct"}, "concurrent", {}, []),
        ({"sessions": "distinct"}, "single_turn", {}, ["vacuous_slot"]),
        ({"persisted_in": KEPT_IN}, "single_turn", {"db_snapshot": "x"}, []),
        ({"persisted_in": KEPT_IN}, "single_turn", {}, ["unreachable_outcome"]),
        ({"answers_complete": True, "session_field": "x"}, "concurrent", {}, ["vacuous_slot"]),
    ],
)
def test_conditions_that_nothing_could_show_are_found_at_load(make_task, values, mode, setup, codes):
    """Sessions of one answer, a table of no database, a field that nobody asks for."""
    task = make_task({"required_slots": values}, mode=mode, setup=setup)
    assert [problem.code for problem in OrchestrationContract().problems(task)] == codes


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("stream_parts", []),
        ("stream_parts", ["texts"]),
        ("stream_parts", ["data:"]),
        ("stream_parts", ["finish:"]),
        ("stream_parts", ["text", "text"]),
        ("sessions", "unique"),
        ("session_field", ""),
        ("persisted_in", "messages"),
        ("persisted_in", {"table": "messages"}),
        ("persisted_in", {**KEPT_IN, "wher": {}}),
        ("persisted_in", {**KEPT_IN, "where": ["a"]}),
        ("persisted_in", {**KEPT_IN, "where": {"a": {"$regex": "("}}}),
        ("persisted_in", {**KEPT_IN, "session": 3}),
    ],
)
def test_a_value_that_does_not_fit_is_refused(slot, value):
    """Each slot says what it takes."""
    assert list(OrchestrationContract.slots[slot].flaws(value))


def test_an_answer_that_reports_a_failure_may_be_the_fault_of_a_miss(make_task, make_trace):
    """After a request without a recording an agent rightly says that it failed: that is stale, no proof against it."""
    task = make_task(slots(answers_complete=True)["outcome"], mode="concurrent")
    trace = make_trace(*TWO[:4], *answer(1, "x", end=Failure("no answer")), finish=False)
    found = OrchestrationContract().unmet(0, task.expect.accepted_outcomes[0], task, trace)
    assert [(one.code, one.final) for one in found] == [("answer_incomplete", False)]
