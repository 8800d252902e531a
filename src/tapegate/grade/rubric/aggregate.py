"""A run's score and its readiness (rubric §1 and §3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tapegate.grade.rubric.exact import mean, nearest_rank
from tapegate.grade.rubric.score import score
from tapegate.model.rubric import GateName, Readiness, RunScore, Sample, SampleScore

LOW_N = 20
"""Below so many samples a run says `low_n`."""
LEAST_AGGREGATE = Fraction(80, 100)
LEAST_PASS_RATE = Fraction(85, 100)
MOST_FAILURES = Fraction(5, 100)
MOST_P95_MS = 10_000
"""The run-level gates, every boundary included."""

_MEASURED = (
    "accuracy_score",
    "faithfulness_score",
    "latency_e2e_ms",
    "latency_model_ms",
    "input_tokens",
    "output_tokens",
    "total_tokens",
)


def aggregate(samples: Iterable[Sample]) -> RunScore:
    """Score a run. The order of the samples changes nothing, the order of `RunScore.samples` included.

    A run is ready only where it would be with every missing score at 0, not ready where it would not be with every
    missing score at 2, and inconclusive between the two. An empty run is `no_data`, never ready.
    """
    scored = sorted((score(sample) for sample in samples), key=_content)
    n = len(scored)
    means = [one.sample_score for one in scored if one.sample_score is not None]
    lower, upper = mean([one.lower for one in scored]), mean([one.upper for one in scored])
    pass_rate = _share(sum(one.passes for one in scored), n)
    pass_upper = _share(sum(one.may_pass for one in scored), n)
    failures = _share(sum(one.faithfulness_failure for one in scored), n)
    failures_upper = _share(sum(not one.surely_faithful for one in scored), n)
    p95, p95_infinite = nearest_rank((one.latency_e2e_ms for one in scored), 95)
    p50, p50_infinite = nearest_rank((one.latency_e2e_ms for one in scored), 50)
    model = [one.sample.latency_model_ms for one in scored if one.sample.latency_model_ms is not None]
    correct = sum(one.accuracy_norm == 1 for one in scored)
    tokens = _sum(scored, "total_tokens")
    counted = any(one.sample.total_tokens is not None for one in scored)
    late = p95_infinite or (p95 is not None and p95 > MOST_P95_MS)
    failed = _failed(lower, pass_rate, failures_upper, late)
    failed_upper = _failed(upper, pass_upper, failures, late)
    return RunScore(
        samples=tuple(scored),
        n=n,
        n_scored=len(means),
        n_correct=correct,
        low_n=n < LOW_N,
        missing=_missing(scored),
        accuracy_mean=mean([one.accuracy_norm * 2 for one in scored if one.accuracy_norm is not None]),
        accuracy_full_credit_rate=_share(correct, n),
        faithfulness_mean=mean([one.faithfulness_norm * 2 for one in scored if one.faithfulness_norm is not None]),
        faithfulness_failure_rate=failures,
        faithfulness_failure_rate_upper=failures_upper,
        latency_e2e_p50_ms=p50,
        latency_e2e_p95_ms=p95,
        p50_is_infinite=p50_infinite,
        p95_is_infinite=p95_infinite,
        latency_model_p50_ms=nearest_rank(model, 50)[0],
        latency_model_p95_ms=nearest_rank(model, 95)[0],
        total_input_tokens=_sum(scored, "input_tokens"),
        total_output_tokens=_sum(scored, "output_tokens"),
        total_tokens=tokens,
        token_efficiency_ratio_mean=mean(
            [one.token_efficiency_ratio for one in scored if one.token_efficiency_ratio is not None]
        ),
        # Of tokens that nobody counted there is no number, rather than 0.
        tokens_per_correct_answer=Fraction(tokens, max(correct, 1)) if counted else None,
        aggregate_score=mean(means),
        aggregate_gate_lower=lower,
        aggregate_upper=upper,
        pass_rate=pass_rate,
        pass_rate_upper=pass_upper,
        failed_gates=failed,
        failed_gates_upper=failed_upper,
        verdict=_verdict(n, failed, failed_upper),
    )


def _failed(
    score: Fraction | None, passed: Fraction | None, failures: Fraction | None, late: bool
) -> tuple[GateName, ...]:
    held: tuple[tuple[GateName, bool], ...] = (
        ("aggregate", score is not None and score >= LEAST_AGGREGATE),
        ("pass_rate", passed is not None and passed >= LEAST_PASS_RATE),
        ("faithfulness_failure_rate", failures is not None and failures <= MOST_FAILURES),
        ("latency_p95", not late),
    )
    return tuple(name for name, holds in held if not holds) if score is not None else ()


def _verdict(n: int, failed: Sequence[GateName], failed_upper: Sequence[GateName]) -> Readiness:
    if not n:
        return "no_data"
    if not failed:
        return "ready"
    return "not_ready" if failed_upper else "inconclusive"


def _share(count: int, n: int) -> Fraction | None:
    return Fraction(count, n) if n else None


def _sum(scored: Sequence[SampleScore], field: str) -> int:
    """Of the samples that have it; `missing` says how many have not."""
    return sum(getattr(one.sample, field) or 0 for one in scored)


def _missing(scored: Sequence[SampleScore]) -> dict[str, int]:
    counts = {field: sum(getattr(one.sample, field) is None for one in scored) for field in _MEASURED}
    return {field: count for field, count in counts.items() if count}


def _content(one: SampleScore) -> tuple[object, ...]:
    """A sort key of everything a sample holds, so that two which share it are the same."""
    sample = one.sample
    values = [getattr(sample, name) for name in (*_MEASURED, "timeout_ms")]
    numbers = tuple(-1 if value is None else value for value in values)
    return (sample.run_id, sample.id, numbers, sample.timed_out, sample.crashed, sample.evaluator_error)
