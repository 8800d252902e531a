"""A budget: how much more a change may cost before it is told, or blocks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tapegate.model.task import Part

Measure = Literal[
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost_usd",
    "latency_e2e_ms",
    "latency_model_ms",
    "model_calls",
    "tool_calls",
]
"""What a budget may limit, as `metrics` in results.json calls it."""

Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Budget(Part):
    """A limit to the increase of one measure from base to head, where both were recorded."""

    measure: Measure
    """What is limited."""
    over: Literal["each_task", "mean"] = "each_task"
    """`each_task`: no task may grow by more; `mean`: the tasks together may not, on average."""
    increase: Limit | None = None
    """Largest increase, in the measure's unit: tokens, US dollars, milliseconds, calls."""
    increase_percent: Limit | None = None
    """Largest increase in percent of the base."""
    exceeded: Literal["any", "all"] = "any"
    """Where both limits stand: `any` is exceeded with either of them, `all` only with both, so that +100 % of very
    little stays within it."""
    block: bool = True
    """Whether exceeding it fails the comparison; false: it is told."""
