"""Runs to compare, built from a few words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pytest

from tapegate.compare.side import Side
from tapegate.grade.contract import digest
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.model.source import Source
from tapegate.model.task import Task
from tapegate.model.trace import Account, Ending, Finish, Miss, Text, ToolCall, Trace


class Build:
    """Tasks, traces, results and sides."""

    def metrics(self, tokens: int | None = 100, ms: int | None = 500, **more: Any) -> Metrics:
        """What a trial cost."""
        split = (None, None) if tokens is None else (tokens - tokens // 4, tokens // 4)
        return Metrics(*split, tokens, more.pop("cost", None), ms, ms, **more)

    def trial(self, number: int = 1, verdict: Verdict = Verdict.PASS, **more: Any) -> TrialResult:
        """One trial's result; `answer` is its text, `tape` names its recording."""
        answer, tape = more.pop("answer", "yes"), more.pop("tape", "tape")
        values: dict[str, Any] = {
            "outcome": 0 if verdict is Verdict.PASS else None,
            "tool_path": ("search",),
            "answer_sha256": sha256(answer.encode()).hexdigest(),
            "cassette_sha256": tape and sha256(tape.encode()).hexdigest(),
            "metrics": more.pop("metrics", None) or self.metrics(),
            "findings": (),
            "machine": "linux-x86_64-2cpu",
            **more,
        }
        return TrialResult(number, verdict, **values)

    def result(self, key: str, verdict: Verdict = Verdict.PASS, *trials: TrialResult, **more: Any) -> TaskResult:
        """One task's result, of one trial with its verdict where none is given."""
        words = {
            name: more.pop(name) for name in ("answer", "tape", "metrics", "tool_path", "findings") if name in more
        }
        trials = trials or (self.trial(1, verdict, **words),)
        name, _, path = key.partition("@")
        values: dict[str, Any] = {
            "id": name,
            "suite": "retrieval",
            "path_id": path,
            "file": f"evals/retrieval/{key}.yaml",
            "outcome": trials[0].outcome,
            "outcome_names": ("searches", None),
            "blocking": True,
            "metrics": trials[0].metrics,
            "contract_sha256": sha256(key.encode()).hexdigest(),
            **more,
        }
        return TaskResult(key=key, verdict=verdict, trials=trials, **values)

    def run(self, *tasks: TaskResult, partial: bool = False) -> Run:
        """A run of these tasks."""
        ordered = tuple(sorted(tasks, key=lambda task: task.key))
        return Run("pr", partial, ordered, Gate(True, 0, ()))

    def side(self, *tasks: TaskResult, name: str = "side", **more: Any) -> Side:
        """A side of which only results are at hand."""
        return Side(name, self.run(*tasks), digest="sha256:0", **more)

    def task(self, *outcomes: dict[str, Any], key: str = "RET-01@A1", **fields: Any) -> Task:
        """A task that the metric `tool_trace` judges."""
        name, _, path = key.partition("@")
        document = {
            "id": name,
            "suite": "retrieval",
            "path_id": path,
            "mode": "single_turn",
            "input": "What does the paper say?",
            "expect": {
                "accepted_outcomes": list(outcomes) or [{"name": "searches", "allowed_first_tools": ["search"]}]
            },
            "grading": {"deterministic_metrics": ["tool_trace"]},
            **fields,
        }
        return Task.model_validate_json(json.dumps(document)).at(Source(f"evals/retrieval/{key}.yaml", {(): 1}))

    def trace(
        self, *tools: str, text: str = "yes", key: str = "RET-01@A1", trial: int = 1, missed: bool = False
    ) -> Trace:
        """A trace that calls `tools` and answers `text`."""
        calls = [ToolCall(f"call-{place}", tool, {}) for place, tool in enumerate(tools)]
        misses = (Miss("model", "POST", "/chat", "prompt_changed", "the prompt changed"),) if missed else ()
        account = Account(played=1, misses=misses)
        return Trace(key, trial, (*calls, Text(text), Finish("stop")), (), account, Ending("completed"), 500, 400)

    def judged(
        self, contracts: Sequence[Task], traces: Sequence[Trace], *, tape: str = "tape", name: str = "side"
    ) -> Side:
        """A side with all at hand: each trace judged by its task."""
        results, kept = [], {}
        for task in contracts:
            mine = [trace for trace in traces if trace.key == task.key]
            results.append(
                grade_task(task, [grade_trial(task, trace, sha256(tape.encode()).hexdigest()) for trace in mine])
            )
            kept.update({(trace.key, trace.trial): trace for trace in mine})
        by_key: Mapping[str, Task] = {task.key: task for task in contracts}
        assert all(digest(by_key[result.key]) == result.contract_sha256 for result in results)
        return Side(name, self.run(*results), "sha256:0", "", by_key, lambda key, trial: kept.get((key, trial)))


@pytest.fixture(scope="session")
def build() -> Build:
    """Builders of all that is compared."""
    return Build()
