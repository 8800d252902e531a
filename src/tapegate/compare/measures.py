"""The measures that are compared, one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tapegate.compare.stats import Worse
from tapegate.model.diff import Delta
from tapegate.model.finding import Verdict
from tapegate.model.run import Metrics, TrialResult

CUT_SHORT = frozenset({Verdict.STALE, Verdict.ERROR})
"""Verdicts of trials that may have ended early: what they spent and called is no measurement."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a trial."""

    title: str
    """What a person calls it."""
    unit: str
    """In a sentence: `+312 tokens`; empty where the number stands alone."""
    of: Callable[[Metrics], Fraction | None]
    worse: Worse
    recorded: bool
    """Whether it is read from the recording: with the same recording on both sides it cannot differ."""
    timed: bool = False
    """Whether it compares within one machine class only."""


def _number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _count(number: int | None) -> Fraction | None:
    return None if number is None else Fraction(number)


MEASURES: Mapping[str, Measure] = {
    "total_tokens": Measure("tokens", "tokens", lambda metrics: _count(metrics.total_tokens), "higher", True),
    "input_tokens": Measure("input tokens", "tokens", lambda metrics: _count(metrics.input_tokens), "higher", True),
    "output_tokens": Measure("output tokens", "tokens", lambda metrics: _count(metrics.output_tokens), "higher", True),
    "cost_usd": Measure("cost", "US$", lambda metrics: _number(metrics.cost_usd), "higher", True),
    "latency_e2e_ms": Measure("latency", "ms", lambda metrics: _count(metrics.latency_e2e_ms), "higher", True, True),
    "latency_model_ms": Measure(
        "model latency", "ms", lambda metrics: _count(metrics.latency_model_ms), "higher", True, True
    ),
    "model_calls": Measure("model calls", "calls", lambda metrics: Fraction(metrics.model_calls), "higher", False),
    "tool_calls": Measure("tool calls", "calls", lambda metrics: Fraction(metrics.tool_calls), "higher", False),
    "quality": Measure("quality", "", lambda metrics: _number(metrics.quality), "lower", False),
}
"""By the name that `metrics` in results.json gives it, in the order in which reports show them."""


def delta(name: str, base: TrialResult, head: TrialResult) -> Delta:
    """One measure of a trial on both sides."""
    measure = MEASURES[name]
    before, after = measure.of(base.metrics), measure.of(head.metrics)
    unjudged = [side for side, trial in (("base", base), ("head", head)) if trial.verdict in CUT_SHORT]
    why = ""
    if unjudged:
        why = f"not judged in {' and '.join(unjudged)}"
    elif before is None or after is None:
        missing = [side for side, value in (("base", before), ("head", after)) if value is None]
        why = f"not recorded in {' and '.join(missing)}"
    elif measure.timed and base.machine != head.machine:
        why = f"recorded on {base.machine or 'an unknown machine'} and on {head.machine or 'an unknown machine'}"
    return Delta(name, before, after, why)
