"""Tasks, traces and results to grade, built from a few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Metrics, TaskResult, TrialResult
from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Event, Finish, Text, ToolCall, Trace
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.pins import pin
from tapegate.tape.store import Loaded

OUTCOME = ("expect", "accepted_outcomes")


@pytest.fixture(scope="session")
def make_task() -> Callable[..., Task]:
    """Builds a task: outcomes, then the other parts by name; every metric that is needed by default is declared."""

    def build(*outcomes: dict[str, Any], invariants: Sequence[str] = (), **fields: Any) -> Task:
        document = {
            "id": "RET-01",
            "suite": "retrieval",
            "path_id": "A1",
            "mode": "single_turn",
            "input": "What does the paper say?",
            "expect": {
                "required_invariants": list(invariants),
                "accepted_outcomes": list(outcomes) or [{"allowed_first_tools": ["search"]}],
            },
            "grading": {"deterministic_metrics": fields.pop("metrics", ["tool_trace"])},
            **fields,
        }
        lines = {(): 1, ("expect", "required_invariants", 0): 8, (*OUTCOME, 0): 10, (*OUTCOME, 1): 20}
        return Task.model_validate_json(json.dumps(document)).at(Source("evals/retrieval/RET-01@A1.yaml", lines))

    return build


@pytest.fixture(scope="session")
def make_trace() -> Callable[..., Trace]:
    """Builds a completed trace: a text is what the user sees, `tool:name` is a tool call."""

    def build(*events: Event | str, finish: bool = True, **fields: Any) -> Trace:
        made: list[Event] = []
        for event in events:
            if isinstance(event, str) and event.startswith("tool:"):
                made.append(ToolCall(f"call-{len(made)}", event.removeprefix("tool:"), {}))
            else:
                made.append(Text(event) if isinstance(event, str) else event)
        made += [Finish("stop")] if finish else []
        values: dict[str, Any] = {
            "key": "RET-01@A1",
            "trial": 1,
            "events": tuple(made),
            "exchanges": (),
            "account": Account(played=1),
            "ending": Ending("completed"),
        }
        return Trace(**{**values, **fields})

    return build


@pytest.fixture(scope="session")
def recorded() -> Callable[[int], Loaded]:
    """A recording of a trial, which holds nothing."""

    def build(number: int) -> Loaded:
        made = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "scripted", "scripted", "rules")
        cassette = Cassette("RET-01@A1", number, made, AgentStream("text", b"", Chunks(0, (), (), 0)), ())
        return Loaded(cassette, b"", pin(cassette, b"raw"), f"cassettes/retrieval/RET-01@A1/trial-{number}.yaml")

    return build


@pytest.fixture(scope="session")
def make_finding() -> Callable[..., Finding]:
    """Builds a finding."""

    def build(metric: str = "tool_trace", severity: Any = "fail", trial: int = 1) -> Finding:
        return Finding(metric, "a_code", severity, "a message", "evals/a.yaml", 1, trial)

    return build


@pytest.fixture(scope="session")
def make_trial() -> Callable[..., TrialResult]:
    """Builds a judged trial."""

    def build(verdict: Verdict = Verdict.PASS, trial: int = 1, *findings: Finding, **fields: Any) -> TrialResult:
        outcome = 0 if verdict is Verdict.PASS else None
        values = {"outcome": outcome, "tool_path": (), "answer_sha256": "a" * 64, "cassette_sha256": "c" * 64}
        metrics = Metrics(total_tokens=trial)
        return TrialResult(trial=trial, verdict=verdict, metrics=metrics, findings=findings, **{**values, **fields})

    return build


@pytest.fixture(scope="session")
def make_result(make_trial: Callable[..., TrialResult]) -> Callable[..., TaskResult]:
    """Builds a judged task."""

    def build(key: str, verdict: Verdict, *findings: Finding, blocking: bool = True) -> TaskResult:
        trial = make_trial(verdict, 1, *findings)
        task_id, path_id = key.split("@")
        return TaskResult(
            key=key,
            id=task_id,
            suite="retrieval",
            path_id=path_id,
            file=f"evals/retrieval/{key}.yaml",
            verdict=verdict,
            outcome=trial.outcome,
            outcome_names=(None,),
            blocking=blocking,
            metrics=trial.metrics,
            trials=(trial,),
        )

    return build
