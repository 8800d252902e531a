"""What a trial cost."""

from __future__ import annotations

import pytest

from tapegate.grade.metrics import metrics_of
from tapegate.model.trace import Exchange, Usage


def exchange(model: str | None = "m", usage: Usage | None = None) -> Exchange:
    """A played interaction."""
    return Exchange(0, "chat", "POST", "/chat/completions", 200, 0, 1000, 10, model=model, usage=usage)


def test_tokens_are_summed_over_the_model_calls(make_trace):
    """Calls of other services have no tokens and are no model calls."""
    exchanges = (exchange(usage=Usage(100, 10)), exchange(None), exchange(usage=Usage(200, 5)))
    metrics = metrics_of(make_trace("tool:a", "tool:b", exchanges=exchanges, latency_e2e_ms=12, latency_model_ms=9))
    assert (metrics.input_tokens, metrics.output_tokens, metrics.total_tokens) == (300, 15, 315)
    assert (metrics.model_calls, metrics.tool_calls) == (2, 2)
    assert (metrics.latency_e2e_ms, metrics.latency_model_ms) == (12, 9)
    assert metrics.cost_usd is None


@pytest.mark.parametrize(
    ("exchanges", "tokens"),
    [
        ((), (None, None, None)),
        ((exchange(None),), (None, None, None)),
        ((exchange(usage=Usage(1, 1)), exchange(usage=None)), (None, None, None)),
        ((exchange(usage=Usage(7, None)), exchange(usage=Usage(1, 1))), (8, None, None)),
        ((exchange(usage=Usage(0, 0)),), (0, 0, 0)),
    ],
)
def test_what_no_recording_says_is_absent_and_never_zero(make_trace, exchanges, tokens):
    """A sum with a gap in it is no sum; a reported zero is one."""
    metrics = metrics_of(make_trace(exchanges=exchanges))
    assert (metrics.input_tokens, metrics.output_tokens, metrics.total_tokens) == tokens
