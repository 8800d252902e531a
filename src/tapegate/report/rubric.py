"""The rubric's numbers as JSON: the rubric's field names, rounded, with the exact fractions beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, Literal

import orjson
from pydantic import Field

from tapegate.grade.rubric.shown import Side, fraction, root, shown
from tapegate.model.rubric import GateName, Readiness, Repeats, RunScore, SampleScore, Spread
from tapegate.report.row import Row

SCHEMA_ID = "tapegate.rubric/1"

AT_MOST = frozenset(
    {
        "faithfulness_failure_rate",
        "faithfulness_failure_rate_upper",
        "token_efficiency_ratio_mean",
        "tokens_per_correct_answer",
    }
)
"""Numbers of which less is better: they are rounded up, all others down, so that none looks better than it is."""


def side(name: str) -> Side:
    """To which side a number of that name is rounded."""
    return "up" if name in AT_MOST else "down"


class RubricRow(Row):
    """A run's score and readiness (rubric §1 and §3.4). Rounded so that no number contradicts the verdict."""

    verdict: Readiness
    release_ready: bool
    n: int
    n_scored: int
    """Samples whose scores are all known; time-outs and crashes are among them."""
    n_correct: int
    low_n: bool
    """Whether there are fewer than 20 samples."""
    missing: dict[str, int]
    """By field, how many samples lack it."""
    accuracy_mean: float | None
    accuracy_full_credit_rate: float | None
    faithfulness_mean: float | None
    faithfulness_failure_rate: float | None
    faithfulness_failure_rate_upper: float | None
    """With every missing score counted as a failure."""
    latency_e2e_p50_ms: int | None
    latency_e2e_p95_ms: int | None
    """Null also where the percentile falls on a latency that nobody measured."""
    p50_is_infinite: bool
    p95_is_infinite: bool
    latency_model_p50_ms: int | None
    latency_model_p95_ms: int | None
    total_input_tokens: int
    total_output_tokens: int
    total_tokens: int
    token_efficiency_ratio_mean: float | None
    tokens_per_correct_answer: float | None
    aggregate_score: float | None
    """Mean over the scored samples."""
    aggregate_gate_lower: float | None
    """Mean over all samples, missing scores at 0: what must reach 0.80 to be ready."""
    aggregate_upper: float | None
    """Mean over all samples, missing scores at 2."""
    pass_rate: float | None
    pass_rate_upper: float | None
    failed_gates: tuple[GateName, ...]
    """With every missing score counted against the run."""
    failed_gates_upper: tuple[GateName, ...]
    """With every missing score counted for the run."""
    exact: dict[str, str]
    """Every fraction above as `numerator/denominator`."""

    @classmethod
    def of(cls, score: RunScore) -> RubricRow:
        """The public shape of a run's score."""
        values = {field.name: getattr(score, field.name) for field in fields(score) if field.name != "samples"}
        rounded, exact = _split(values)
        return cls(**rounded, release_ready=score.release_ready, exact=exact)


class SampleRow(Row):
    """One sample and its score (rubric §3.1 to §3.3)."""

    id: str
    run_id: str
    accuracy_score: int | None
    faithfulness_score: int | None
    evaluator_error: str
    latency_e2e_ms: int | None
    latency_model_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    token_efficiency_ratio: float | None
    timed_out: bool
    crashed: bool
    accuracy_norm: float | None
    faithfulness_norm: float | None
    latency_norm: float
    token_efficiency_norm: float
    sample_score: float | None
    sample_score_lower: float
    sample_score_upper: float
    passes: bool
    exact: dict[str, str]

    @classmethod
    def of(cls, score: SampleScore) -> SampleRow:
        """The public shape of a sample's score."""
        sample = score.sample
        rounded, exact = _split(
            {
                "token_efficiency_ratio": score.token_efficiency_ratio,
                "accuracy_norm": score.accuracy_norm,
                "faithfulness_norm": score.faithfulness_norm,
                "latency_norm": score.latency_norm,
                "token_efficiency_norm": score.token_efficiency_norm,
                "sample_score": score.sample_score,
                "sample_score_lower": score.lower,
                "sample_score_upper": score.upper,
            }
        )
        measured = {name: getattr(sample, name) for name in cls.model_fields if hasattr(sample, name)}
        measured |= {"latency_e2e_ms": score.latency_e2e_ms, "passes": score.passes}
        return cls(**{**measured, **rounded}, exact=exact)


class SpreadRow(Row):
    """Mean and standard deviation of a number over repeated runs (rubric §4.4)."""

    mean: float | None
    standard_deviation: float | None
    """With n - 1, rounded up."""
    exact: dict[str, str]
    """The mean and the variance, whose root is the standard deviation."""

    @classmethod
    def of(cls, spread: Spread) -> SpreadRow:
        """The public shape of a spread."""
        known = {"mean": spread.mean, "variance": spread.variance}
        return cls(
            mean=None if spread.mean is None else float(shown(spread.mean)),
            standard_deviation=None if spread.variance is None else float(root(spread.variance)),
            exact={name: fraction(value) for name, value in known.items() if value is not None},
        )


class ScoreFile(RubricRow):
    """What `tapegate rubric --json` prints of one run."""

    schema_id: Literal["tapegate.rubric/1"] = Field(alias="schema")
    samples: tuple[SampleRow, ...]


class RepeatsFile(Row):
    """What `tapegate rubric --repeats --json` prints."""

    schema_id: Literal["tapegate.rubric/1"] = Field(alias="schema")
    verdict: Readiness
    release_ready: bool
    n_runs: int
    aggregate_score: SpreadRow
    latency_e2e_p95_ms: SpreadRow
    runs: dict[str, RubricRow]


def run_json(score: RunScore) -> bytes:
    """One run, canonical."""
    row = RubricRow.of(score)
    samples = tuple(SampleRow.of(one) for one in score.samples)
    return _canonical(ScoreFile(**dict(row), schema=SCHEMA_ID, samples=samples))


def repeats_json(repeats: Repeats) -> bytes:
    """Repeated runs, canonical."""
    return _canonical(
        RepeatsFile(
            schema=SCHEMA_ID,
            verdict=repeats.verdict,
            release_ready=repeats.verdict == "ready",
            n_runs=len(repeats.runs),
            aggregate_score=SpreadRow.of(repeats.aggregate_score),
            latency_e2e_p95_ms=SpreadRow.of(repeats.latency_e2e_p95_ms),
            runs={run: RubricRow.of(score) for run, score in repeats.runs.items()},
        )
    )


def _canonical(row: Row) -> bytes:
    document = row.model_dump(mode="json", by_alias=True)
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values with every fraction rounded, and the fractions themselves."""
    exact = {name: fraction(value) for name, value in values.items() if isinstance(value, Fraction)}
    rounded = {
        name: float(shown(value, side(name))) if isinstance(value, Fraction) else value
        for name, value in values.items()
    }
    return rounded, exact
