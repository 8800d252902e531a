"""The metric `tool_trace`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.errors import NotJudged
from tapegate.model.trace import Offer, ToolCall, ToolResult, Turn
from tapegate.oracles.tool_trace import ToolTrace

FIXED = {"tool_path_policy": "fixed_order", "order_critical": "a paper is read before it is deleted"}
PATHS = {"any_allowed_path": [["search", "read"], ["read"]]}

SEARCH = ToolCall("c", "search", {"query": "moss roofs", "limit": 5})
DONE = ToolResult("c", "search", True, [])
TOGETHER = {"parallel_tools": [["search", "read"]]}


VALID = {"invariants": ["tool_arguments_valid"]}
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "maximum": 10}},
    "required": ["query"],
    "additionalProperties": False,
}
OFFERED = Offer(0, {"search": SCHEMA}, "")


def call(name: str, **arguments: Any) -> ToolCall:
    """A call of a tool with these arguments."""
    return ToolCall("c", name, arguments)


def given(arguments: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An outcome in which `search` is given these arguments."""
    return {"tool_arguments": {"search": [{"arguments": arguments, **fields}]}}


GIVEN = given({"query": {"$says": "moss"}, "limit": {"$min": 1, "$max": 10}})

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("any path where nothing is asked", {"outcome": {}}, ["tool:search", "tool:web"], []),
    ("no tools, none called", {"outcome": {"tool_path_policy": "no_tools"}}, ["Hello."], []),
    ("no tools, one called", {"outcome": {"tool_path_policy": "no_tools"}}, ["tool:search"], ["tool_called"]),
    ("first allowed path", {"outcome": PATHS}, ["tool:search", "tool:read"], []),
    ("second allowed path", {"outcome": PATHS}, ["tool:read"], []),
    ("a prefix of an allowed path", {"outcome": PATHS}, ["tool:search"], ["path_not_allowed"]),
    ("longer than an allowed path", {"outcome": PATHS}, ["tool:read", "tool:read"], ["path_not_allowed"]),
    ("first tool allowed", {"outcome": {"allowed_first_tools": ["read", "search"]}}, ["tool:search", "tool:web"], []),
    (
        "first tool not allowed",
        {"outcome": {"allowed_first_tools": ["search"]}},
        ["tool:web", "tool:search"],
        ["first_tool_not_allowed"],
    ),
    ("no first tool", {"outcome": {"allowed_first_tools": ["search"]}}, ["Hello."], ["no_tool_called"]),
    ("required in any order", {"outcome": {"required_tools": ["search", "read"]}}, ["tool:read", "tool:search"], []),
    ("required missing", {"outcome": {"required_tools": ["search"]}}, ["tool:read"], ["required_tool_missing"]),
    ("only allowed ones", {"outcome": {"allowed_tools": ["search"]}}, ["tool:search"], []),
    ("another one", {"outcome": {"allowed_tools": ["search"]}}, ["tool:search", "tool:web"], ["tool_not_allowed"]),
    ("nothing forbidden", {"outcome": {"forbidden_tools": ["web"]}}, ["tool:search"], []),
    ("a forbidden one", {"outcome": {"forbidden_tools": ["web"]}}, ["tool:web"], ["forbidden_tool_called"]),
    ("count at both ends", {"outcome": {"tool_counts": {"read": {"min": 2, "max": 2}}}}, ["tool:read"] * 2, []),
    ("too few", {"outcome": {"tool_counts": {"read": {"min": 2}}}}, ["tool:read"], ["too_few_calls"]),
    ("too many", {"outcome": {"tool_counts": {"read": {"max": 1}}}}, ["tool:read"] * 2, ["too_many_calls"]),
    (
        "order kept, others between",
        {"outcome": {**FIXED, "required_tools": ["read", "delete"]}},
        ["tool:read", "tool:search", "tool:delete", "tool:read"],
        [],
    ),
    (
        "order broken, and not mended by a second call",
        {"outcome": {**FIXED, "required_tools": ["read", "delete"]}},
        ["tool:delete", "tool:read", "tool:delete"],
        ["order_broken"],
    ),
    ("given as expected", {"outcome": GIVEN}, [SEARCH], []),
    ("given something else", {"outcome": GIVEN}, [call("search", query="kelp", limit=5)], ["arguments_differ"]),
    ("one call of two fits", {"outcome": GIVEN}, [call("search", query="kelp"), SEARCH], []),
    ("never called", {"outcome": GIVEN}, ["tool:read"], ["no_call_to_match"]),
    ("an argument beside is no harm", {"outcome": given({"limit": 5})}, [SEARCH], []),
    ("an exact match", {"outcome": given({"query": "moss roofs", "limit": 5}, match="exact")}, [SEARCH], []),
    ("an argument too many", {"outcome": given({"limit": 5}, match="exact")}, [SEARCH], ["arguments_differ"]),
    (
        "an argument that is ignored",
        {"outcome": given({"limit": 5}, match="exact", ignore=["query", "request_id"])},
        [SEARCH],
        [],
    ),
    ("each call", {"outcome": given({"limit": 5}, calls="all")}, [SEARCH, SEARCH], []),
    (
        "not each call",
        {"outcome": given({"limit": 5}, calls="all")},
        [SEARCH, call("search", limit=6)],
        ["arguments_differ"],
    ),
    ("each of no calls", {"outcome": given({"limit": 5}, calls="all")}, ["tool:read"], []),
    ("the first call", {"outcome": given({"limit": 5}, calls="first")}, [SEARCH, call("search", limit=6)], []),
    (
        "not the first call",
        {"outcome": given({"limit": 6}, calls="first")},
        [SEARCH, call("search", limit=6)],
        ["arguments_differ"],
    ),
    ("the last call", {"outcome": given({"limit": 6}, calls="last")}, [SEARCH, call("search", limit=6)], []),
    (
        "not the last call",
        {"outcome": given({"limit": 5}, calls="last")},
        [SEARCH, call("search", limit=6)],
        ["arguments_differ"],
    ),
    ("in one step, in any order", {"outcome": TOGETHER}, ["tool:read", "tool:search", DONE], []),
    ("one after the other", {"outcome": TOGETHER}, ["tool:search", DONE, "tool:read"], ["not_parallel"]),
    ("in one step of two turns", {"outcome": TOGETHER}, ["tool:search", Turn(1, "q"), "tool:read"], ["not_parallel"]),
    ("few enough at once", {"outcome": {"parallel_max": 2}}, ["tool:a", "tool:b", DONE, "tool:c"], []),
    ("too many at once", {"outcome": {"parallel_max": 1}}, ["tool:a", "tool:b", DONE], ["too_parallel"]),
    ("arguments that fit their schema", {"outcome": {}, **VALID}, [OFFERED, SEARCH], []),
    ("no call needs no schema", {"outcome": {}, **VALID}, [{"offers": ()}, "Hello."], []),
    (
        "an argument of another type",
        {"outcome": {}, **VALID},
        [OFFERED, call("search", query=3)],
        ["arguments_invalid"],
    ),
    ("an argument missing", {"outcome": {}, **VALID}, [OFFERED, call("search", limit=3)], ["arguments_invalid"]),
    ("a tool of nobody's", {"outcome": {}, **VALID}, [OFFERED, call("drop", all=True)], ["tool_not_offered"]),
    (
        "one of two schemas fits",
        {"outcome": {}, **VALID},
        [OFFERED, Offer(1, {"search": {"required": ["q"]}}, ""), call("search", q=1)],
        [],
    ),
    (
        "a schema that is none",
        {"outcome": {}, **VALID},
        [Offer(0, {"search": {"type": "TEXT"}}, ""), SEARCH],
        ["tool_schema_unusable"],
    ),
    (
        "names are compared exactly",
        {"outcome": {"allowed_first_tools": ["Skill:knowledge.paper.read"]}},
        ["tool:skill:knowledge.paper.read"],
        ["first_tool_not_allowed"],
    ),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each expectation is met by the tool paths that it admits and by no other."""
    assert judged(ToolTrace(), expectation, events) == codes


def one(make_task, make_trace, outcome, *events):
    """The single unmet condition of an outcome."""
    task = make_task(outcome)
    (unmet,) = ToolTrace().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(*events))
    return unmet


def test_a_prefix_of_an_allowed_path_may_still_become_one(make_task, make_trace):
    """A path that an allowed one starts with is not final; one that left them all is."""
    assert not one(make_task, make_trace, PATHS, "tool:search").final
    assert one(make_task, make_trace, PATHS, "tool:web").final


@pytest.mark.parametrize(
    ("outcome", "events", "final"),
    [
        ({"tool_path_policy": "no_tools"}, ["tool:a"], True),
        ({"allowed_first_tools": ["a"]}, ["tool:b"], True),
        ({"allowed_first_tools": ["a"]}, [], False),
        ({"required_tools": ["a"]}, ["tool:b"], False),
        ({"allowed_tools": ["a"]}, ["tool:b"], True),
        ({"forbidden_tools": ["b"]}, ["tool:b"], True),
        ({"tool_counts": {"a": {"min": 1}}}, [], False),
        ({"tool_counts": {"a": {"max": 0}}}, ["tool:a"], True),
        ({**FIXED, "required_tools": ["a", "b"]}, ["tool:b", "tool:a"], True),
    ],
)
def test_what_a_longer_trace_could_still_meet_is_not_final(make_task, make_trace, outcome, events, final):
    """A call that was made cannot be taken back; one that is missing may still come."""
    assert one(make_task, make_trace, outcome, *events).final is final


def test_an_unmet_condition_points_at_its_place(make_task, make_trace):
    """The finding names the field of the outcome, what it allows and the whole path that was taken."""
    unmet = one(make_task, make_trace, {"allowed_first_tools": ["search", "read"]}, "tool:web", "tool:read")
    assert unmet.path == ("expect", "accepted_outcomes", 0, "allowed_first_tools")
    assert (unmet.expected, unmet.got) == ("search or read", "[web → read]")
    assert unmet.message == "the first tool called is 'web'"


def test_an_argument_that_differs_is_named(make_task, make_trace):
    """The finding names the argument, what was expected of it and the whole call."""
    unmet = one(make_task, make_trace, GIVEN, call("search", query="moss", limit=50))
    assert unmet.path[2:] == (0, "tool_arguments", "search", 0)
    assert unmet.message == "no call of 'search' is given what is expected at 'limit'"
    assert (unmet.expected, unmet.got) == ("max 10", "50 in {'query': 'moss', 'limit': 50}")


def test_arguments_that_do_not_fit_are_named(make_task, make_trace):
    """The finding says which rule of the schema they break, and where."""
    task = make_task({}, invariants=["tool_arguments_valid"])
    trace = make_trace(call("search", query="moss", limit=50), offers=(OFFERED,))
    (unmet,) = ToolTrace().broken(task, trace)
    assert unmet.path == ("expect", "required_invariants", 0)
    assert (unmet.expected, unmet.got) == ("maximum: 10 at limit", "50 in {'query': 'moss', 'limit': 50}")


def test_tools_that_nobody_read_are_not_judged(make_task, make_trace):
    """Arguments that could be held against nothing must not pass."""
    task = make_task({}, invariants=["tool_arguments_valid"])
    assert list(ToolTrace().needs(task)) == ["offers"]
    with pytest.raises(NotJudged, match="no tools that were offered"):
        list(ToolTrace().broken(task, make_trace("tool:search")))


def test_a_requirement_points_at_its_entry(make_task, make_trace):
    """Where a list demands each of its entries, the finding names the entry."""
    unmet = one(make_task, make_trace, {"required_tools": ["search", "read"]}, "tool:search")
    assert unmet.path == ("expect", "accepted_outcomes", 0, "required_tools", 1)


@pytest.mark.parametrize(
    ("outcome", "codes"),
    [
        ({"required_tools": ["a"], "forbidden_tools": ["a"]}, ["unreachable_outcome"]),
        ({"required_tools": ["a"], "allowed_tools": ["b"]}, ["unreachable_outcome"]),
        ({"tool_path_policy": "no_tools", "required_tools": ["a"]}, ["unreachable_outcome"]),
        ({"tool_path_policy": "no_tools", "allowed_first_tools": ["a"]}, ["unreachable_outcome"]),
        ({"tool_path_policy": "no_tools", "tool_counts": {"a": {"min": 1}}}, ["unreachable_outcome"]),
        ({"tool_counts": {"a": {"min": 3, "max": 2}}}, ["unreachable_outcome"]),
        ({"tool_counts": {"a": {"min": 1}}, "forbidden_tools": ["a"]}, ["unreachable_outcome"]),
        ({"tool_counts": {"a": {"max": 0}}, "required_tools": ["a"]}, ["unreachable_outcome"]),
        ({"allowed_first_tools": ["a"], "allowed_tools": ["b"]}, ["unreachable_outcome"]),
        ({"allowed_first_tools": ["a", "b"], "forbidden_tools": ["a"]}, ["unreachable_alternative"]),
        ({"any_allowed_path": [["a"], ["b"]], "required_tools": ["c"]}, ["unreachable_outcome"]),
        ({"any_allowed_path": [["a"], ["b"]], "forbidden_tools": ["b"]}, ["unreachable_alternative"]),
        ({"any_allowed_path": [["a"], ["b"]], "allowed_first_tools": ["a"]}, ["unreachable_alternative"]),
        ({"any_allowed_path": [["a"], []], "allowed_first_tools": ["a", "b"]}, ["unreachable_alternative"] * 2),
        ({"required_tools": ["a", "a"]}, ["duplicate_entry"]),
        ({"any_allowed_path": [["a"], ["a"]]}, ["duplicate_entry"]),
        ({"tool_path_policy": "fixed_order", "required_tools": ["a", "b"]}, ["order_without_reason"]),
        ({"order_critical": "because", "required_tools": ["a", "b"]}, ["reason_without_order"]),
        ({**FIXED, "required_tools": ["a"]}, ["vacuous_order"]),
        ({**FIXED, "required_tools": ["a", "b"], "allowed_first_tools": ["b"]}, ["unreachable_outcome"]),
        ({"any_allowed_path": [["a", "b"]]}, ["fixed_sequence"]),
        ({"any_allowed_path": [["a", "b"], ["b"]]}, []),
        ({"any_allowed_path": [["a"]]}, []),
        ({**FIXED, "any_allowed_path": [["a", "b"]]}, []),
        (given({"limit": {"$min": "5"}}), ["bad_slot_value"]),
        (given({}), ["vacuous_slot"]),
        (given({}, match="exact"), []),
        (given({"a": 1}, ignore=["b"]), ["vacuous_slot"]),
        (given({"a": 1}, match="exact", ignore=["a"]), ["unreachable_outcome"]),
        ({**given({"a": 1}), "forbidden_tools": ["search"]}, ["unreachable_outcome"]),
        ({**given({"a": 1}, calls="all"), "forbidden_tools": ["search"]}, []),
        ({"tool_arguments": {"search": []}}, ["vacuous_slot"]),
        (TOGETHER, []),
        ({"parallel_tools": [["search"]]}, ["vacuous_slot"]),
        ({**TOGETHER, "parallel_max": 1}, ["unreachable_outcome"]),
        ({"parallel_max": 0}, ["unreachable_outcome"]),
        ({**TOGETHER, "tool_path_policy": "no_tools"}, ["unreachable_outcome"]),
        ({"required_tools": ["a", "b"], "allowed_first_tools": ["c"], "tool_counts": {"b": {"min": 2}}}, []),
    ],
)
def test_contradictions_are_found_at_load(make_task, outcome, codes):
    """TAS-11: an outcome that no tool path meets, or a part of one that none takes, is refused before any run."""
    assert [problem.code for problem in ToolTrace().problems(make_task(outcome))] == codes


def test_an_unreachable_outcome_says_why(make_task):
    """The message names the outcome and the two rules that exclude each other."""
    task = make_task(
        {"required_tools": ["web"], "forbidden_tools": ["web"]},
        lines={("expect", "accepted_outcomes", 0): 14},
    )
    (problem,) = ToolTrace().problems(task)
    assert problem.line == 14
    assert problem.message == "no tool path meets accepted outcome 0: [web]: forbidden tool 'web' is called"


def test_two_outcomes_with_the_same_single_sequence_are_a_fixed_order(make_task):
    """The standard's rule 2 is not evaded by writing one sequence twice; another outcome of any shape lifts it."""
    same = [{"any_allowed_path": [["a", "b"]]}, {"any_allowed_path": [["a", "b"]], "required_slots": {"prefix": "x"}}]
    assert [problem.code for problem in ToolTrace().problems(make_task(*same))] == ["fixed_sequence"]
    assert [*ToolTrace().problems(make_task(same[0], {"forbidden_tools": ["web"]}))] == []
