"""What a trial cost, read from its recording."""

from __future__ import annotations

from tapegate.model.run import Metrics
from tapegate.model.trace import Trace


def metrics_of(trace: Trace) -> Metrics:
    """Tokens, calls and latencies of the played recording.

    Tokens are None where no model was called or one call reports none: a sum with a gap in it is no sum.
    """
    calls = [exchange for exchange in trace.exchanges if exchange.model is not None]
    used = _sum([call.usage.input_tokens if call.usage else None for call in calls])
    written = _sum([call.usage.output_tokens if call.usage else None for call in calls])
    return Metrics(
        input_tokens=used,
        output_tokens=written,
        total_tokens=None if used is None or written is None else used + written,
        cost_usd=trace.cost_usd,
        latency_e2e_ms=trace.latency_e2e_ms,
        latency_model_ms=trace.latency_model_ms,
        model_calls=len(calls),
        tool_calls=len(trace.tool_calls),
    )


def _sum(tokens: list[int | None]) -> int | None:
    known = [count for count in tokens if count is not None]
    return sum(known) if known and len(known) == len(tokens) else None
