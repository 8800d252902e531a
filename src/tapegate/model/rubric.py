"""The rubric's numbers (evaluation-rubric.md), under the rubric's names. Every one of them is exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Readiness = Literal["ready", "not_ready", "inconclusive", "no_data"]
"""Of a run. `inconclusive`: scores are missing, and what they turn out to be would decide."""

GateName = Literal["aggregate", "pass_rate", "faithfulness_failure_rate", "latency_p95"]
"""A run-level gate (rubric §3.4)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample as it was measured. None is a value that nobody measured; it is never zero."""

    accuracy_score: int | None
    faithfulness_score: int | None
    latency_e2e_ms: int | None = None
    latency_model_ms: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    timed_out: bool = False
    crashed: bool = False
    timeout_ms: int | None = None
    """The limit that a sample which timed out had run into."""
    id: str = ""
    """What a report calls it; empty where it has no name."""
    run_id: str = ""
    """The run it belongs to, where several runs are told apart."""
    evaluator_error: str = ""
    """Why a score is missing, in the evaluator's word: `parse_error`."""


@dataclass(frozen=True, slots=True)
class SampleScore:
    """One sample, scored (rubric §3.1 to §3.3)."""

    sample: Sample
    latency_e2e_ms: int | None
    """What counts as its latency: of a time-out never less than its limit. None: unbounded, for nobody measured it."""
    accuracy_norm: Fraction | None
    faithfulness_norm: Fraction | None
    latency_norm: Fraction
    token_efficiency_norm: Fraction
    token_efficiency_ratio: Fraction | None
    sample_score: Fraction | None
    """None where a score is missing."""
    lower: Fraction
    """With 0 for every missing score."""
    upper: Fraction
    """With 2 for every missing score."""
    passes: bool
    """With 0 for every missing score."""
    may_pass: bool
    """With 2 for every missing score."""
    faithfulness_failure: bool
    """A score of 0, a time-out or a crash; a missing score is none."""
    surely_faithful: bool
    """Whether it is no faithfulness failure, whatever a missing score would turn out to be."""

    @property
    def scored(self) -> bool:
        """Whether nothing is missing that its score needs: a time-out and a crash are scored by what happened."""
        return self.sample_score is not None


@dataclass(frozen=True, slots=True)
class RunScore:
    """A run, scored (rubric §1 and §3.4). Shares and means are None where there is nothing to take them of."""

    samples: tuple[SampleScore, ...]
    """In an order that depends on their content alone."""
    n: int
    n_scored: int
    n_correct: int
    """With full credit for accuracy."""
    low_n: bool
    missing: Mapping[str, int]
    """By field, how many samples lack it; only fields that some sample lacks."""
    accuracy_mean: Fraction | None
    accuracy_full_credit_rate: Fraction | None
    faithfulness_mean: Fraction | None
    faithfulness_failure_rate: Fraction | None
    faithfulness_failure_rate_upper: Fraction | None
    """As if every missing faithfulness were a failure."""
    latency_e2e_p50_ms: int | None
    latency_e2e_p95_ms: int | None
    p50_is_infinite: bool
    p95_is_infinite: bool
    """Whether so many latencies are missing that the percentile falls on one of them."""
    latency_model_p50_ms: int | None
    latency_model_p95_ms: int | None
    total_input_tokens: int
    total_output_tokens: int
    total_tokens: int
    token_efficiency_ratio_mean: Fraction | None
    tokens_per_correct_answer: Fraction | None
    aggregate_score: Fraction | None
    """Mean over the scored samples; `n_scored` stands beside it."""
    aggregate_gate_lower: Fraction | None
    """Mean over all samples, 0 for every missing score."""
    aggregate_upper: Fraction | None
    """Mean over all samples, 2 for every missing score."""
    pass_rate: Fraction | None
    pass_rate_upper: Fraction | None
    failed_gates: tuple[GateName, ...]
    """That fail while every missing score is counted against the run; ready only where there is none."""
    failed_gates_upper: tuple[GateName, ...]
    """That fail even while every missing score is counted for the run; not ready where there is one."""
    verdict: Readiness

    @property
    def release_ready(self) -> bool:
        """Whether the run may be released (rubric §3.4)."""
        return self.verdict == "ready"


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of one number over repeated runs (rubric §4.4)."""

    mean: Fraction | None
    """None where a run does not have the number."""
    variance: Fraction | None
    """Of the sample, with n - 1."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The same benchmark, run several times."""

    runs: Mapping[str, RunScore]
    """By run id, sorted."""
    aggregate_score: Spread
    latency_e2e_p95_ms: Spread
    verdict: Readiness
    """`ready` where every run is, `not_ready` where one is not."""
