"""Tasks and traces to judge, built from a few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Event, Finish, Text, ToolCall, Trace
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle


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
        },
        "grading": {"deterministic_metrics": list(metrics or ["tool_trace"])},
        **fields,
    }
    task = Task.model_validate_json(json.dumps(document))
    if metrics is None:
        needed = [oracle.name for oracle in CATALOG if any(oracle.claims(task))]
        document["grading"]["deterministic_metrics"] = needed or ["tool_trace"]
        task = Task.model_validate_json(json.dumps(document))
    return task.at(Source("evals/retrieval/RET-01@A1.yaml", lines or {(): 1}))


def build_trace(*events: Event | str, finish: bool = True, **fields: Any) -> Trace:
    """A completed trace of these events: a text is what the user sees, `tool:name` is a tool call."""
    made: list[Event] = []
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


def codes_found(oracle: Oracle, task: Task, trace: Trace) -> list[str]:
    """The codes of everything the metric finds, in order: broken invariants, then unmet conditions of each outcome."""
    found = list(oracle.broken(task, trace))
    for index, outcome in enumerate(task.expect.accepted_outcomes):
        found += oracle.unmet(index, outcome, task, trace)
    return [unmet.code for unmet in found]


@pytest.fixture(scope="session")
def make_task() -> Callable[..., Task]:
    """Builds a task."""
    return build_task


@pytest.fixture
def make_trace() -> Callable[..., Trace]:
    """Builds a trace."""
    return build_trace


@pytest.fixture
def judged() -> Callable[..., list[str]]:
    """Judges a case of a metric's table: (name, expectation, events, codes)."""

    def judge(oracle: Oracle, expectation: dict[str, Any], events: Sequence[Event | str]) -> list[str]:
        outcomes = [expectation["outcome"]] if "outcome" in expectation else []
        rest = {key: value for key, value in expectation.items() if key != "outcome"}
        finish = not any(event == "unfinished" for event in events)
        trace = build_trace(*(event for event in events if event != "unfinished"), finish=finish)
        return codes_found(oracle, build_task(*outcomes, **rest), trace)

    return judge
