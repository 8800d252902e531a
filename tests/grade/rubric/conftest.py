"""Samples to score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tapegate.model.rubric import Sample


def sample(**changes: Any) -> Sample:
    """A sample on which nothing is wrong: score 1."""
    values: dict[str, Any] = {
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "latency_e2e_ms": 3000,
        "input_tokens": 1500,
        "output_tokens": 500,
        "total_tokens": 2000,
    }
    return Sample(**{**values, **changes})


@pytest.fixture(scope="session")
def make_sample() -> Callable[..., Sample]:
    """Builds a sample: one on which nothing is wrong, and what is changed of it."""
    return sample
