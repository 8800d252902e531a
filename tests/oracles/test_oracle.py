"""What holds for every metric, whatever the trace."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.model.finding import Unmet
from tapegate.model.trace import (
    Account,
    Data,
    Ending,
    Failure,
    Finish,
    Miss,
    Text,
    ToolCall,
    ToolResult,
    Trace,
    Violation,
)
from tapegate.oracles.catalog import CATALOG

TOOLS = st.sampled_from(["search_local", "read_paper", "web_search", "", "\u200b", "Skill:x"])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["p1", "/paper/p1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "ids", "x"]), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(), max_size=12),
        st.sampled_from(
            [
                "<think>",
                "</think",
                "&lt;",
                "[a](",
                "/paper/p1",
                ")",
                "https://a.org",
                "/home/x",
                "\u202e",
                "\ud800",
                "12,500",
            ]
        ),
    ),
    max_size=6,
).map("".join)
TAG = {"hidden_tag", "hidden_tag_unclosed"}
EVENTS = st.one_of(
    PROSE.map(Text),
    st.builds(ToolCall, st.text(max_size=3), TOOLS, st.dictionaries(st.text(max_size=3), JSON, max_size=2)),
    st.builds(ToolResult, st.text(max_size=3), TOOLS, st.booleans(), JSON),
    JSON.map(Data),
    PROSE.map(Failure),
    st.just(Finish("stop")),
    st.builds(Violation, st.just("invalid_utf8"), PROSE),
)
TRACES = st.builds(
    Trace,
    key=st.just("RET-01@A1"),
    trial=st.just(1),
    events=st.lists(EVENTS, max_size=6).map(tuple),
    exchanges=st.just(()),
    account=st.sampled_from([Account(), Account(misses=(Miss("m", "POST", "/x", "diverged", "turn 2"),))]),
    ending=st.sampled_from([Ending("completed"), Ending("timed_out")]),
)


@pytest.fixture(scope="module")
def demanding(make_task):
    """A task in which every metric has everything to check."""
    slots = {
        "citations_local_min": 1,
        "citations_local_max": 2,
        "citations_web_min": 1,
        "citations_web_max": 2,
        "citations_local_exist": True,
        "citations_known": ["p9"],
        "citations_local_include": ["p1", {"any_of": ["p2", "p3"]}],
        "facts": [{"name": "n", "any_of": ["12,500", "/\\d+ papers/"], "all": ["local-first"]}],
        "sentences_max": 2,
        "prefix": {"any_of": ["A", "It"]},
    }
    return make_task(
        {"allowed_first_tools": ["search_local"], "required_tools": ["read_paper"], "required_slots": slots},
        {"tool_path_policy": "no_tools", "required_slots": slots},
        {
            "any_allowed_path": [["search_local"], ["read_paper", "web_search"]],
            "tool_counts": {"web_search": {"max": 1}},
        },
        invariants=[name for oracle in CATALOG for name in oracle.invariants],
        patterns=["<thinking>", "^/(Users|home)/", "\\d{4}"],
    )


def everything(task, trace, oracles=CATALOG):
    """All that the metrics say, by metric."""
    outcomes = list(enumerate(task.expect.accepted_outcomes))
    return {
        oracle.name: [
            *oracle.broken(task, trace),
            *(unmet for index, outcome in outcomes for unmet in oracle.unmet(index, outcome, task, trace)),
        ]
        for oracle in oracles
    }


@settings(max_examples=150, deadline=None)
@given(TRACES)
def test_any_trace_gives_findings_and_never_an_exception(demanding, trace):
    """Whatever an agent streams, a metric answers with conditions that its codes and the task know."""
    for oracle in CATALOG:
        for unmet in everything(demanding, trace)[oracle.name]:
            assert isinstance(unmet, Unmet)
            assert unmet.code in oracle.codes
            assert unmet.path[0] == "expect"
            assert unmet.message
            assert "\n" not in unmet.message


@settings(max_examples=40, deadline=None)
@given(TRACES, st.randoms(use_true_random=False))
def test_metrics_keep_no_state(demanding, trace, chance):
    """The order in which metrics are asked, and how often, changes no answer."""
    expected = everything(demanding, trace)
    shuffled = list(CATALOG)
    random.Random(chance.random()).shuffle(shuffled)
    assert everything(demanding, trace, shuffled) == expected


@settings(max_examples=150, deadline=None)
@given(TRACES, st.lists(EVENTS, max_size=3))
def test_what_is_final_stays_unmet_whatever_follows(demanding, trace, more):
    """No continuation of a trace mends a condition that was called final."""
    longer = Trace(trace.key, 1, (*trace.events, *more), (), trace.account, trace.ending)
    before, after = everything(demanding, trace), everything(demanding, longer)
    for name, found in before.items():
        still = {(unmet.code, unmet.path) for unmet in after[name]}
        for unmet in found:
            if unmet.final:
                # Whether a tag counts as closed may change with what follows; that it shows does not.
                same = TAG if unmet.code in TAG else {unmet.code}
                assert {(code, unmet.path) for code in same} & still


def test_every_metric_claims_what_it_reports(demanding):
    """A condition can only be unmet where the metric says that it looks."""
    trace = Trace(
        "RET-01@A1",
        1,
        (Text("<think> /home/x \u202e"), ToolCall("c", "web_search", {})),
        (),
        Account(),
        Ending("completed"),
    )
    for oracle in CATALOG:
        claims = set(oracle.claims(demanding))
        for unmet in everything(demanding, trace)[oracle.name]:
            assert any(unmet.path[: len(claim)] == claim for claim in claims)
