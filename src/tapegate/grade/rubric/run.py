"""A judged run as samples of the rubric: every trial of every task is one, whatever its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tapegate.grade.rubric.aggregate import aggregate
from tapegate.grade.rubric.score import score
from tapegate.grade.rubric.shown import fraction
from tapegate.model.rubric import RunScore, Sample
from tapegate.model.run import Metrics, TaskResult
from tapegate.model.scores import Scores


def run_score(tasks: Iterable[TaskResult]) -> RunScore:
    """The rubric's aggregates over all trials in which an agent was asked. One that was not judged lacks its scores and
    is counted."""
    return aggregate(
        sample_of(f"{task.key}[{trial.trial}]", trial.metrics, trial.scores)
        for task in tasks
        for trial in task.trials
        if trial.scores is None or trial.scores.sample
    )


def sample_of(name: str, metrics: Metrics, scores: Scores | None) -> Sample:
    """One trial as a sample."""
    scores = scores or Scores()
    latency = metrics.latency_e2e_ms
    if latency is None and scores.timed_out:
        # The harness ended it at its limit: that long it took, and the wall time of a replay is no measurement.
        latency = scores.timeout_ms
    return Sample(
        accuracy_score=scores.accuracy_score,
        faithfulness_score=scores.faithfulness_score,
        latency_e2e_ms=latency,
        latency_model_ms=metrics.latency_model_ms,
        input_tokens=metrics.input_tokens,
        output_tokens=metrics.output_tokens,
        total_tokens=metrics.total_tokens,
        timed_out=scores.timed_out,
        crashed=scores.crashed,
        timeout_ms=scores.timeout_ms,
        id=name,
    )


def with_quality(metrics: Metrics, scores: Scores) -> Metrics:
    """The metrics of a trial with its weighted sample score, where nothing of that is missing."""
    weighted = score(sample_of("", metrics, scores)).sample_score if scores.sample else None
    return metrics if weighted is None else replace(metrics, quality=fraction(weighted))
