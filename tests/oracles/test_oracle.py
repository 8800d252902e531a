"""What holds for every metric, whatever the trace."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import NotJudged
from tapegate.model.database import Database, Snapshot, Table
from tapegate.model.finding import Unmet
from tapegate.model.trace import (
    Account,
    Data,
    Ending,
    Exchange,
    Failure,
    Finish,
    Miss,
    Offer,
    Splits,
    Text,
    ToolCall,
    ToolResult,
    Trace,
    Turn,
    Usage,
    Variant,
    Violation,
)
from tapegate.oracles.catalog import CATALOG, metric

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
CELLS = st.none() | st.integers(-9, 9) | st.floats() | PROSE | st.binary(max_size=3)
TABLES = st.dictionaries(st.tuples(st.integers(0, 3)), st.tuples(st.integers(0, 3), CELLS), max_size=3).map(
    lambda rows: Table(("id", "content"), rows)
)
SNAPSHOTS = st.builds(Snapshot, st.dictionaries(st.sampled_from(["messages", "papers"]), TABLES, max_size=2))
SCHEMAS = st.sampled_from([{}, {"type": "object"}, {"type": "TEXT"}, {"required": ["id"]}, {"pattern": "("}, {"x": 1}])
OFFERS = st.builds(Offer, st.just(0), st.dictionaries(TOOLS, SCHEMAS, max_size=2), PROSE)
USAGES = st.none() | st.builds(Usage, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))
EXCHANGES = st.builds(
    Exchange,
    index=st.just(0),
    service=st.just("model"),
    method=st.just("POST"),
    path=st.just("/chat"),
    status=st.sampled_from([200, 500]),
    started_us=st.integers(0, 9000),
    duration_us=st.integers(0, 9000),
    request_bytes=st.integers(0, 9000),
    model=st.none() | st.just("m"),
    usage=USAGES,
)
ENDINGS = st.sampled_from([Ending("completed"), Ending("timed_out")])
VARIANTS = st.builds(Variant, st.just((3,)), st.lists(EVENTS, max_size=3).map(tuple), ENDINGS)
SPLITS = st.builds(Splits, st.binary(max_size=30), st.just(3), st.just(9), st.lists(VARIANTS, max_size=2).map(tuple))
TRACES = st.builds(
    Trace,
    key=st.just("RET-01@A1"),
    trial=st.just(1),
    events=st.lists(EVENTS | st.builds(Turn, st.integers(0, 2), st.just("q")), max_size=6).map(tuple),
    exchanges=st.lists(EXCHANGES, max_size=2).map(tuple),
    account=st.sampled_from([Account(), Account(misses=(Miss("m", "POST", "/x", "diverged", "turn 2"),))]),
    ending=ENDINGS,
    latency_e2e_ms=st.none() | st.integers(0, 9000),
    latency_model_ms=st.none() | st.integers(0, 9000),
    cost_usd=st.sampled_from([None, "0", "0.01", "12.5"]),
    database=st.builds(Database, SNAPSHOTS, SNAPSHOTS),
    offers=st.lists(OFFERS, max_size=2).map(lambda made: (*made, Offer(0, {}, "You are a librarian."))),
    splits=SPLITS,
    before=st.lists(EVENTS, max_size=2).map(tuple),
)
SLOTS = {
    "citations_local_min": 1,
    "citations_local_max": 2,
    "citations_web_min": 1,
    "citations_web_max": 2,
    "citations_local_exist": True,
    "citations_web_exist": True,
    "citations_known": ["p9"],
    "citations_local_include": ["p1", {"any_of": ["p2", "p3"]}],
    "facts": [{"name": "n", "any_of": ["12,500", "/\\d+ papers/"], "all": ["local-first"]}],
    "numbers": [{"name": "n", "value": 12500, "rel": 0.1, "units": {"papers": 1}, "with": "has"}],
    "dates": [{"name": "d", "date": "2026-11-20", "within_days": 1}],
    "lists": [{"name": "l", "items": ["a", "b"], "order": "given", "others": "none"}],
    "json": {"$": {"$type": "object"}, "items[*].id": {"$min": 1}},
    "json_schema": {"type": "object", "required": ["id"]},
    "json_fenced": True,
    "language": {"any_of": ["en", "de"]},
    "sentences_min": 1,
    "sentences_max": 2,
    "prefix": {"any_of": ["A", "It"]},
    "split_invariant": True,
    "visible_text": "A",
    "visible_excludes": ["12"],
    "hidden_by_tags": ["think"],
    "answers_complete": True,
    "stream_parts": ["text", "data:session"],
    "sessions": "distinct",
    "session_field": "id",
    "persisted_in": {"table": "messages", "column": "content", "session": "id", "where": {"id": {"$min": 0}}},
    "cost_usd_max": "0.01",
}
EVIDENCE = {
    "database": ["db_state", "orchestration_contract"],
    "offers": ["tool_trace", "output_hygiene"],
    "splits": ["content_filter_contract"],
}
"""What a trace may lack, and the metrics that then cannot judge it."""
SLOTS |= {slot: 1 for oracle in CATALOG for slot in oracle.slots if slot not in SLOTS}
STATE = {
    "messages": {
        "columns": ["id"],
        "added": {"max": 0},
        "changed": {"max": 0},
        "removed": {"max": 0},
        "rows": [{"columns": {"content": "x"}, "non_empty": ["content"], "unique": ["content"], "where": {"id": 1}}],
    },
    "papers": {"rows": [{"among": among, "count": {"max": 0}} for among in ("after", "added", "changed", "removed")]},
}


@pytest.fixture(scope="module")
def demanding(make_task):
    """A task in which every metric has everything to check."""
    given = {"read_paper": [{"arguments": {"id": "p1"}, "calls": calls} for calls in ("any", "all", "first", "last")]}
    return make_task(
        {"allowed_first_tools": ["search_local"], "required_tools": ["read_paper"], "required_slots": SLOTS},
        {"tool_path_policy": "no_tools", "required_slots": SLOTS, "state": STATE, "state_elsewhere": "unchanged"},
        {"tool_arguments": given, "parallel_tools": [["search_local", "read_paper"]], "parallel_max": 2},
        {
            "any_allowed_path": [["search_local"], ["read_paper", "web_search"]],
            "tool_counts": {"web_search": {"max": 1}},
        },
        invariants=[name for oracle in CATALOG for name in oracle.invariants],
        patterns=["<thinking>", "^/(Users|home)/", "\\d{4}"],
        setup={"db_snapshot": "b", "chunking": "all_splits"},
        expect={"differential": {"answer": "same"}},
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


@settings(max_examples=120, deadline=None)
@given(TRACES)
def test_any_trace_gives_findings_and_never_an_exception(demanding, trace):
    """Whatever an agent streams, a metric answers with conditions that its codes and the task know."""
    found = everything(demanding, trace)
    for oracle in CATALOG:
        for unmet in found[oracle.name]:
            assert isinstance(unmet, Unmet)
            assert unmet.code in oracle.codes
            assert unmet.path[0] == "expect"
            assert unmet.message
            assert "\n" not in unmet.message


@settings(max_examples=40, deadline=None)
@given(TRACES)
def test_a_trace_that_lacks_evidence_is_not_judged_rather_than_passed(demanding, trace):
    """A metric that needs a database, offers or cuts that nobody read says so with a typed error."""
    for part, metrics in EVIDENCE.items():
        for name in metrics:
            with pytest.raises(NotJudged):
                everything(demanding, replace(trace, **{part: None}), [metric(name)])


@settings(max_examples=40, deadline=None)
@given(TRACES, st.randoms(use_true_random=False))
def test_metrics_keep_no_state(demanding, trace, chance):
    """The order in which metrics are asked, and how often, changes no answer."""
    expected = everything(demanding, trace)
    shuffled = list(CATALOG)
    random.Random(chance.random()).shuffle(shuffled)
    assert everything(demanding, trace, shuffled) == expected


@settings(max_examples=120, deadline=None)
@given(TRACES, st.lists(EVENTS, max_size=3))
def test_what_is_final_stays_unmet_whatever_follows(demanding, trace, more):
    """No continuation of a trace mends a condition that was called final."""
    longer = replace(trace, events=(*trace.events, *more))
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
    whole = Text("<think> /home/x \u202e 12 ghp_wX3kP9zQ2mN7vB5cR8tY1uL4hJ6gD0fSaEiO")
    trace = Trace("RET-01@A1", 1, (whole, ToolCall("c", "web_search", {})), (), Account(), Ending("completed"))
    trace = replace(
        trace,
        database=Database(Snapshot({}), Snapshot({"messages": Table(("id", "content"), {(1,): (1, None)})})),
        offers=(),
        splits=Splits(b"<think>/home/x", 1, 1, (Variant((1,), (), Ending("completed")),)),
    )
    for oracle in CATALOG:
        claims = set(oracle.claims(demanding))
        for unmet in everything(demanding, trace)[oracle.name]:
            assert any(unmet.path[: len(claim)] == claim for claim in claims)
