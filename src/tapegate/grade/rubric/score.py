"""One sample's score (rubric §3.1 to §3.3)."""

from __future__ import annotations

from fractions import Fraction

from tapegate.model.rubric import Sample, SampleScore

MOST_LATENCY_MS = 8000
MOST_TOKENS = 6000
"""A sample passes up to and including these."""
FULL_LATENCY_MS = 3000
FULL_TOKENS = 2000
"""Faster or shorter than this earns nothing more, so that speed cannot buy truth."""

ACCURACY, FAITHFULNESS, LATENCY, TOKENS = 9, 6, 6, 4
"""Fortieths of the score: the rubric's 0.45 and 0.30 for two points each, 0.15 and 0.10 for a full component."""

WORST, BEST = 0, 2
"""What a missing score is taken for in the lower and in the upper bound."""


def score(sample: Sample) -> SampleScore:
    """Score one sample.

    A time-out or a crash is a fact: its score is 0, it fails, and it is a faithfulness failure, whatever scores came
    with it. A latency or a token count that nobody measured earns nothing, and the sample does not pass.
    """
    failed = sample.timed_out or sample.crashed
    latency, tokens = counted_latency(sample), sample.total_tokens
    fast, short = _component(FULL_LATENCY_MS, latency), _component(FULL_TOKENS, tokens)
    ours, theirs = sample.accuracy_score, sample.faithfulness_score
    within = latency is not None and latency <= MOST_LATENCY_MS and tokens is not None and tokens <= MOST_TOKENS
    within = within and not failed

    def scored(accuracy: int, faithfulness: int) -> Fraction:
        if failed:
            return Fraction(0)
        # One division at the end: four sums of fractions would take ten times as long.
        points = (ACCURACY * accuracy + FAITHFULNESS * faithfulness) * fast[1] * short[1]
        return Fraction(points + LATENCY * fast[0] * short[1] + TOKENS * short[0] * fast[1], 40 * fast[1] * short[1])

    complete = failed or (ours is not None and theirs is not None)
    low = _or(ours, WORST), _or(theirs, WORST)
    high = _or(ours, BEST), _or(theirs, BEST)
    lower = scored(*low)
    return SampleScore(
        sample=sample,
        latency_e2e_ms=latency,
        accuracy_norm=_norm(ours, failed),
        faithfulness_norm=_norm(theirs, failed),
        latency_norm=Fraction(*fast),
        token_efficiency_norm=Fraction(*short),
        token_efficiency_ratio=_ratio(sample),
        sample_score=lower if complete else None,
        lower=lower,
        upper=lower if complete else scored(*high),
        passes=within and min(low) >= 1,
        may_pass=within and min(high) >= 1,
        faithfulness_failure=failed or theirs == 0,
        surely_faithful=not failed and theirs not in (None, 0),
    )


def counted_latency(sample: Sample) -> int | None:
    """The latency that counts: a time-out lasted at least as long as its limit. None: nobody measured it."""
    if sample.latency_e2e_ms is None or not sample.timed_out:
        return sample.latency_e2e_ms
    return max(sample.latency_e2e_ms, sample.timeout_ms or 0)


def _component(full: int, measured: int | None) -> tuple[int, int]:
    """`min(1, full / measured)` as numerator and denominator; 0 of what nobody measured."""
    if measured is None:
        return 0, 1
    return (1, 1) if measured <= full else (full, measured)


def _or(value: int | None, imputed: int) -> int:
    return imputed if value is None else value


def _norm(value: int | None, failed: bool) -> Fraction | None:
    if failed:
        return Fraction(0)
    return None if value is None else Fraction(value, 2)


def _ratio(sample: Sample) -> Fraction | None:
    if sample.input_tokens is None or sample.output_tokens is None:
        return None
    return Fraction(sample.output_tokens, max(sample.input_tokens, 1))
