"""What a trial took, as its recording says: the numbers that `latency_cost` holds against limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from tapegate.model.trace import Exchange, Trace

Measure = Callable[[Trace], Fraction | None]
"""A number, or None where the recording does not say."""


def model_calls(trace: Trace) -> list[Exchange]:
    """The exchanges that are calls of a model."""
    return [exchange for exchange in trace.exchanges if exchange.model is not None]


def total(counts: Iterable[int | None]) -> int | None:
    """The sum, or None where there is nothing to add or one number is unknown: a sum with a gap is no sum."""
    known = list(counts)
    return sum(count for count in known if count is not None) if known and None not in known else None


def input_tokens(trace: Trace) -> int | None:
    """Tokens that the models read."""
    return total(call.usage.input_tokens if call.usage else None for call in model_calls(trace))


def output_tokens(trace: Trace) -> int | None:
    """Tokens that the models wrote, reasoning included."""
    return total(call.usage.output_tokens if call.usage else None for call in model_calls(trace))


def total_tokens(trace: Trace) -> int | None:
    """Both together."""
    read, written = input_tokens(trace), output_tokens(trace)
    return None if read is None or written is None else read + written


def dependent_calls(trace: Trace) -> int:
    """The longest chain of model calls each of which began after the one before it had ended, as recorded."""
    depth, end = 0, -1
    calls = [(call.started_us + call.duration_us, call.started_us) for call in model_calls(trace)]
    for ended, started in sorted(calls):
        if started >= end:
            depth, end = depth + 1, ended
    return depth


def request_bytes(trace: Trace) -> int:
    """Bytes of all request bodies that were played."""
    return sum(exchange.request_bytes for exchange in trace.exchanges)


def _counted(count: Callable[[Trace], int | None]) -> Measure:
    def measure(trace: Trace) -> Fraction | None:
        found = count(trace)
        return None if found is None else Fraction(found)

    return measure


MEASURES: Mapping[str, tuple[Measure, str, str]] = {
    "latency_e2e_ms": (_counted(lambda trace: trace.latency_e2e_ms), "ms", "from the question to the last byte"),
    "latency_model_ms": (_counted(lambda trace: trace.latency_model_ms), "ms", "in calls of models and services"),
    "cost_usd": (lambda trace: Fraction(trace.cost_usd) if trace.cost_usd is not None else None, "USD", "for models"),
    "input_tokens": (_counted(input_tokens), "tokens", "read by models"),
    "output_tokens": (_counted(output_tokens), "tokens", "written by models"),
    "total_tokens": (_counted(total_tokens), "tokens", "read and written by models"),
    "model_calls": (_counted(lambda trace: len(model_calls(trace))), "calls", "of models"),
    "dependent_calls": (_counted(dependent_calls), "calls", "of models, each waiting for the one before"),
    "tool_calls": (_counted(lambda trace: len(trace.tool_calls)), "calls", "of tools"),
    "request_bytes": (_counted(request_bytes), "bytes", "sent in requests"),
}
"""By name: the number, its unit, and what it counts."""

GROWS = frozenset({"model_calls", "dependent_calls", "tool_calls", "request_bytes", "input_tokens", "output_tokens"})
"""Numbers that a longer trial can only raise, so that one over its limit stays there."""
