"""Limits that a task sets to a change (`expect.differential`), held against its pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapegate.compare.measures import MEASURES, delta
from tapegate.model.diff import JUDGED
from tapegate.model.finding import Finding
from tapegate.model.run import TrialResult
from tapegate.model.task import Task
from tapegate.oracles.differential_ab import DifferentialAb

UNMEASURED = "growth_not_measured"
"""The code of a limit that could not be held against a pair: it asks for a person, and is neither kept nor exceeded."""


def beyond(task: Task, base: TrialResult, head: TrialResult) -> Iterator[Finding]:
    """The limits of `task` that head exceeds, at their lines. Only trials that were judged on both sides are held."""
    metric = DifferentialAb()
    if metric.name not in task.grading.deterministic_metrics or not {base.verdict, head.verdict} <= JUDGED:
        return
    before, after = _comparable(base, head)
    for unmet in metric.differences(task, before, after):
        yield Finding(
            metric.name,
            unmet.code,
            "needs_review" if unmet.code == UNMEASURED else "fail",
            unmet.message,
            task.source.file,
            task.source.line(*unmet.path),
            head.trial,
            expected=unmet.expected,
            got=unmet.got,
        )


def _comparable(base: TrialResult, head: TrialResult) -> tuple[TrialResult, TrialResult]:
    """Both trials without the measures that do not compare between them, as times of two machines do not."""
    if not any(delta(name, base, head).not_measured for name, measure in MEASURES.items() if measure.timed):
        return base, head
    before = replace(base.metrics, latency_e2e_ms=None, latency_model_ms=None)
    after = replace(head.metrics, latency_e2e_ms=None, latency_model_ms=None)
    return replace(base, metrics=before), replace(head, metrics=after)
