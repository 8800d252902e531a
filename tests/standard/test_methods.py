"""Each required method is seen where a task uses it, and nowhere else."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tapegate.model.config import Config
from tapegate.model.task import Task
from tapegate.standard import methods
from tapegate.standard.methods import Method

ALL = [method for method in vars(methods).values() if isinstance(method, Method)]
METRICS = ["tool_trace", "citation_contract", "output_hygiene", "schema_contract", "db_state"]
METRICS += ["content_filter_contract", "orchestration_contract"]
FAULTS = {"faults": [{"kind": "raise", "at": "agent:answer"}]}


def task(metrics: list[str] = METRICS, **changed: Any) -> Task:
    """A task that uses no method, changed."""
    outcome = {"required_tools": ["search_local"], **changed.pop("outcome", {})}
    expect = {"accepted_outcomes": [outcome], **changed.pop("expect", {})}
    grading = {"deterministic_metrics": metrics}
    base = {"id": "X-01", "suite": "s", "path_id": "P1", "mode": "single_turn", "input": "Hi."}
    return Task.model_validate_json(json.dumps({**base, "expect": expect, "grading": grading, **changed}))


def config(stream: str = "text") -> Config:
    """A config of one path, whose subject answers in a dialect."""
    path = {"title": "x", "status": "x", "files": ["x"], "subject": "desk"}
    desk = {"kind": "python", "entry": "agent:answer", "stream": stream}
    return Config.model_validate({"version": 1, "paths": {"P1": path}, "subjects": {"desk": desk}}, strict=False)


def slots(**slots: Any) -> dict[str, Any]:
    """An outcome with slots."""
    return {"outcome": {"required_slots": slots}}


def rows(**state: Any) -> dict[str, Any]:
    """An outcome that asks about the rows of a table."""
    return {"outcome": {"state": {"history": {"rows": [state]}}}}


CUT = {"mode": "stream_fixture", "setup": {"stream": "x", "chunking": "all_splits"}}
"""A stream fixture that is cut in every way."""

USES: list[tuple[Method, dict[str, Any]]] = [
    (methods.CITATION_URLS, slots(citations_local_exist=True)),
    (methods.HYGIENE, {"expect": {"forbidden_patterns": ["<x>"]}}),
    (methods.HYGIENE, {"expect": {"required_invariants": ["no_hidden_tag_leak"]}}),
    (methods.HYGIENE, {"expect": {"required_invariants": ["no_private_path_leak"]}}),
    (methods.SENTENCES, slots(sentences_max=3)),
    (methods.PREFIX, slots(prefix="Preferences:")),
    (methods.DENYLIST, {"expect": {"forbidden_patterns": ["sk-"]}}),
    (methods.DENYLIST, {"expect": {"required_invariants": ["no_secret_echo"]}}),
    (methods.DEDUP, rows(unique=["summary"])),
    (methods.DEDUP, rows(count={"max": 1})),
    (methods.DEDUP, {"outcome": {"state": {"history": {"added": {"max": 0}}}}}),
    (methods.JSON_SCHEMA, slots(json_schema={"type": "object"})),
    (methods.FACT_SLOTS, slots(facts=[{"name": "x", "any_of": ["two", "2"]}])),
    (methods.FACT_SLOTS, rows(columns={"summary": {"$says": ["two", "2"]}})),
    (methods.DB_FIELDS, rows(non_empty=["summary"])),
    (methods.DB_FIELDS, rows(columns={"summary": {"$not_empty": True}})),
    (methods.EXCEPTIONS, {"setup": FAULTS}),
    (methods.RETURN_TYPES, slots(json={"$": {"$type": "object"}})),
    (methods.ERROR_MESSAGES, {"setup": FAULTS, **slots(prefix="Sorry")}),
    (methods.FILTER_FIXTURES, {**CUT, **slots(hidden_by_tags=["thinking"])}),
    (methods.FILTER_FIXTURES, {**CUT, **slots(split_invariant=True)}),
    (methods.STREAM_PARTS, {"mode": "stream_fixture"}),
    (methods.STREAM_PARTS, slots(stream_parts=["text"])),
    (methods.CONCURRENT_STATE, {"mode": "concurrent", "beside": ["Ho."], **rows(unique=["id"])}),
    (methods.CONCURRENT_STATE, {"mode": "concurrent", **slots(persisted_in={"table": "m", "column": "c"})}),
]


@pytest.mark.parametrize(("method", "changed"), USES, ids=[f"{use[0].name}-{n}" for n, use in enumerate(USES)])
def test_a_task_that_uses_a_method_is_seen(method: Method, changed: dict[str, Any]) -> None:
    """With its condition the method is used; without, or without the metric that judges it, it is not."""
    assert method.used(task(**copy.copy(changed)), config())
    assert not method.used(task(), config())
    if method.metric is not None:
        others = [metric for metric in METRICS if metric != method.metric]
        assert not method.used(task(others, **copy.copy(changed)), config())


def test_tools_are_parsed_where_the_stream_tells_of_them() -> None:
    """A dialect of plain text names no tool, so that a condition on tools there would be met by nothing."""
    assert methods.TOOL_STREAM.used(task(), config("mixed"))
    assert methods.TOOL_STREAM.used(task(), config("ai_sdk_data"))
    assert not methods.TOOL_STREAM.used(task(), config("text"))
    assert not methods.TOOL_STREAM.used(task(["schema_contract"]), config("mixed"))


@pytest.mark.parametrize(
    ("method", "changed"),
    [
        (methods.FACT_SLOTS, slots(facts=[{"name": "x", "any_of": ["two"]}])),
        (methods.DEDUP, rows(count={"min": 1})),
        (methods.DB_FIELDS, rows(columns={"summary": "x"})),
        (methods.ERROR_MESSAGES, slots(prefix="Sorry")),
        (methods.FILTER_FIXTURES, {"mode": "stream_fixture"}),
        (methods.FILTER_FIXTURES, CUT),
        (methods.FILTER_FIXTURES, {**CUT, **slots(visible_text="x")}),
        (methods.FILTER_FIXTURES, {"mode": "stream_fixture", **slots(split_invariant=True)}),
        (methods.FILTER_FIXTURES, slots(split_invariant=True)),
        (methods.CONCURRENT_STATE, rows(unique=["id"])),
        (methods.CONCURRENT_STATE, {"mode": "concurrent"}),
    ],
)
def test_what_comes_close_is_not_enough(method: Method, changed: dict[str, Any]) -> None:
    """One wording is no list of synonyms, a minimum no dedup, an error message without a fault no contract of one."""
    assert not method.used(task(**copy.copy(changed)), config())


def test_every_method_has_a_task_that_uses_it() -> None:
    """No method is without a row above."""
    assert {method.name for method, _ in USES} | {methods.TOOL_STREAM.name} == {method.name for method in ALL}
