"""Tasks and traces to judge, built from a few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields as dataclass_fields
from typing import Any

import pytest

from tapegate.model.database import Cell, Database, Table
from tapegate.model.finding import Verdict
from tapegate.model.run import Metrics, TrialResult
from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.model.trace import (
    Account,
    Ending,
    Event,
    Exchange,
    Finish,
    Offer,
    Splits,
    Text,
    ToolCall,
    Trace,
    Turn,
)
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle
from tapegate.oracles.turns import claims


def build_task(
    *outcomes: dict[str, Any],
    invariants: Sequence[str] = (),
    patterns: Sequence[str] = (),
    metrics: Sequence[str] | None = None,
    lines: dict[tuple[str | int, ...], int] | None = None,
    **fields: Any,
) -> Task:
    """A task with these accepted outcomes; without `metrics` it declares every metric that it needs."""
    document = {
        "id": "RET-01",
        "suite": "retrieval",
        "path_id": "A1",
        "mode": "single_turn",
        "input": "What does the paper say?",
        "expect": {
            "required_invariants": list(invariants),
            "accepted_outcomes": list(outcomes) or [{}],
            "forbidden_patterns": list(patterns),
            **fields.pop("expect", {}),
        },
        "grading": {"deterministic_metrics": list(metrics or ["tool_trace"])},
        **fields,
    }
    task = Task.model_validate_json(json.dumps(document))
    if metrics is None:
        needed = [oracle.name for oracle in CATALOG if any(claims(oracle, task))]
        document["grading"]["deterministic_metrics"] = needed or ["tool_trace"]
        task = Task.model_validate_json(json.dumps(document))
    return task.at(Source("evals/retrieval/RET-01@A1.yaml", lines or {(): 1}))


def build_trace(*events: Event | Turn | str, finish: bool = True, **fields: Any) -> Trace:
    """A completed trace of these events: a text is what the user sees, `tool:name` is a tool call."""
    made: list[Event | Turn] = []
    for event in events:
        if isinstance(event, str) and event.startswith("tool:"):
            made.append(ToolCall(f"call-{len(made)}", event.removeprefix("tool:"), {}))
        else:
            made.append(Text(event) if isinstance(event, str) else event)
    if finish:
        made.append(Finish("stop"))
    values: dict[str, Any] = {
        "key": "RET-01@A1",
        "trial": 1,
        "events": tuple(made),
        "exchanges": (),
        "account": Account(played=1),
        "ending": Ending("completed"),
    }
    return Trace(**{**values, **fields})


def build_table(columns: str, *rows: Sequence[Cell], key: int = 1) -> Table:
    """A table of these columns, the first `key` of which are its primary key."""
    return Table(tuple(columns.split()), {tuple(row[:key]): tuple(row) for row in rows})


def build_result(**fields: Any) -> TrialResult:
    """One side of a comparison: a trial that passed with its first outcome, or what the fields say."""
    names = {part.name for part in dataclass_fields(Metrics)}
    measured = {name: fields.pop(name) for name in list(fields) if name in names}
    values: dict[str, Any] = {
        "trial": 1,
        "verdict": Verdict.PASS,
        "outcome": 0,
        "tool_path": (),
        "answer_sha256": "a" * 64,
        "cassette_sha256": "c" * 64,
        "findings": (),
    }
    return TrialResult(**{**values, **fields}, metrics=Metrics(**measured))


def codes_found(oracle: Oracle, task: Task, trace: Trace, sides: Sequence[TrialResult] = ()) -> list[str]:
    """The codes of everything the metric finds, in order: broken invariants, unmet conditions, differences."""
    found = list(oracle.broken(task, trace))
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        found += oracle.unmet(index, outcome, task, trace)
    if sides:
        found += oracle.differences(task, *sides)
    return [unmet.code for unmet in found]


def build_case_trace(events: Sequence[Any]) -> Trace:
    """The trace of a table's case: events, and what else a trace may hold."""
    fields: dict[str, Any] = {}
    plain: list[Event | Turn | str] = []
    for item in events:
        if isinstance(item, Database):
            fields["database"] = item
        elif isinstance(item, Splits):
            fields["splits"] = item
        elif isinstance(item, Exchange):
            fields["exchanges"] = (*fields.get("exchanges", ()), item)
        elif isinstance(item, Offer):
            fields["offers"] = (*fields.get("offers", ()), item)
        elif isinstance(item, dict):
            fields |= item
        elif item != "unfinished" and not isinstance(item, TrialResult):
            plain.append(item)
    return build_trace(*plain, finish="unfinished" not in events, **fields)


@pytest.fixture(scope="session")
def make_task() -> Callable[..., Task]:
    """Builds a task."""
    return build_task


@pytest.fixture(scope="session")
def make_trace() -> Callable[..., Trace]:
    """Builds a trace."""
    return build_trace


@pytest.fixture(scope="session")
def make_table() -> Callable[..., Table]:
    """Builds a table."""
    return build_table


@pytest.fixture
def judged() -> Callable[..., list[str]]:
    """Judges a case of a metric's table: (name, expectation, events, codes).

    An event may also be a database, splits, an exchange, an offer, fields of the trace, or two results to compare.
    """

    def judge(oracle: Oracle, expectation: dict[str, Any], events: Sequence[Any]) -> list[str]:
        outcomes = [expectation["outcome"]] if "outcome" in expectation else []
        rest = {key: value for key, value in expectation.items() if key != "outcome"}
        sides = [item for item in events if isinstance(item, TrialResult)]
        return codes_found(oracle, build_task(*outcomes, **rest), build_case_trace(events), sides)

    return judge
