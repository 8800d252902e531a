"""What a task demands of a change: how its head may differ from its base."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tapegate.model.part import Band, NonEmpty, Part


class Differential(Part):
    """Limits of a comparison. A verdict that gets worse needs no limit: it is reported whatever stands here."""

    outcome: Literal["any", "same"] = "any"
    """`same`: the accepted outcome that held on the base holds on the head."""
    tool_path: Literal["any", "same"] = "any"
    """`same`: the tools are called in the same order as on the base."""
    answer: Literal["any", "same"] = "any"
    """`same`: the answer is the base's, character for character."""
    growth: dict[NonEmpty, Band] = Field(default_factory=dict)
    """By measure (`total_tokens`, `cost_usd`, …), how much more than on the base is accepted."""
