"""Repeated runs of one benchmark (rubric §4.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from tapegate.errors import UsageError
from tapegate.grade.rubric.aggregate import aggregate
from tapegate.grade.rubric.exact import mean, variance
from tapegate.model.rubric import Readiness, Repeats, Sample, Spread

LEAST_RUNS = 3
"""Of a task whose results vary."""


def repeats(samples: Iterable[Sample]) -> Repeats:
    """The runs that the samples' `run_id` tells apart, each scored, and how their headline numbers spread.

    Of no sample the verdict is `no_data`. Raises UsageError `unnamed_run` for a sample without a run, `too_few_runs`
    for fewer than three.
    """
    by_run: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_run[sample.run_id].append(sample)
    if not by_run:
        return Repeats({}, Spread(None, None), Spread(None, None), "no_data")
    if "" in by_run:
        raise UsageError.of(
            "unnamed_run",
            f"{len(by_run[''])} of the samples have no 'run_id', so that --repeats cannot tell their run",
            fix="name the run of every sample, or leave --repeats away",
        )
    if len(by_run) < LEAST_RUNS:
        named = ", ".join(map(repr, sorted(by_run))) or "none"
        raise UsageError.of(
            "too_few_runs",
            f"{len(by_run)} runs ({named}); repeated runs are at least {LEAST_RUNS} (rubric §4.4)",
            fix="run the benchmark again, or leave --repeats away",
        )
    runs = {run: aggregate(by_run[run]) for run in sorted(by_run)}
    return Repeats(
        runs=runs,
        aggregate_score=_spread([run.aggregate_score for run in runs.values()]),
        latency_e2e_p95_ms=_spread(
            [None if run.latency_e2e_p95_ms is None else Fraction(run.latency_e2e_p95_ms) for run in runs.values()]
        ),
        verdict=_together([run.verdict for run in runs.values()]),
    )


def _spread(values: Sequence[Fraction | None]) -> Spread:
    known = [value for value in values if value is not None]
    if len(known) != len(values):  # a mean over the runs that happen to have the number would be another number
        return Spread(None, None)
    return Spread(mean(known), variance(known))


def _together(verdicts: Sequence[Readiness]) -> Readiness:
    if "not_ready" in verdicts:
        return "not_ready"
    return "ready" if all(verdict == "ready" for verdict in verdicts) else "inconclusive"
