"""One sample's score."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tapegate.grade.rubric.score import score
from tapegate.model.rubric import Sample


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "1"),
        ({"accuracy_score": 1}, "31/40"),
        ({"faithfulness_score": 1}, "17/20"),
        ({"latency_e2e_ms": 6000}, "37/40"),
        ({"latency_e2e_ms": 0}, "1"),
        ({"total_tokens": 4000}, "19/20"),
        ({"total_tokens": 0}, "1"),
        ({"latency_e2e_ms": None, "total_tokens": None}, "3/4"),
        ({"crashed": True}, "0"),
        ({"timed_out": True}, "0"),
    ],
)
def test_the_weights_are_the_rubrics(
    changes: dict[str, Any], expected: str, make_sample: Callable[..., Sample]
) -> None:
    """0.45 accuracy, 0.30 faithfulness, 0.15 latency up to 3 s, 0.10 tokens up to 2,000: as exact fractions."""
    assert score(make_sample(**changes)).sample_score == Fraction(expected)


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        ({"accuracy_score": 1, "faithfulness_score": 1, "latency_e2e_ms": 8000, "total_tokens": 6000}, True),
        ({"accuracy_score": 0}, False),
        ({"faithfulness_score": 0}, False),
        ({"latency_e2e_ms": 8001}, False),
        ({"total_tokens": 6001}, False),
        ({"latency_e2e_ms": None}, False),
        ({"total_tokens": None}, False),
        ({"accuracy_score": None}, False),
        ({"crashed": True}, False),
    ],
)
def test_every_boundary_is_included(changes: dict[str, Any], passes: bool, make_sample: Callable[..., Sample]) -> None:
    """A sample passes at 1, 1, 8,000 ms and 6,000 tokens, and not a step beyond."""
    assert score(make_sample(**changes)).passes is passes


def test_a_missing_score_is_bounded_not_guessed(make_sample: Callable[..., Sample]) -> None:
    """Without a score there is no sample score, only what it would be at 0 and at 2."""
    one = score(make_sample(accuracy_score=None))
    assert (one.sample_score, one.lower, one.upper) == (None, Fraction(55, 100), Fraction(1))
    assert (one.passes, one.may_pass, one.surely_faithful) == (False, True, True)


@pytest.mark.parametrize(("elapsed", "expected"), [(700, 9000), (9500, 9500), (None, None)])
def test_a_timeout_lasts_at_least_its_limit(
    elapsed: int | None, expected: int | None, make_sample: Callable[..., Sample]
) -> None:
    """A clock that says less than the limit is not believed; a time that nobody took stays unknown."""
    assert score(make_sample(timed_out=True, latency_e2e_ms=elapsed, timeout_ms=9000)).latency_e2e_ms == expected
    assert score(make_sample(latency_e2e_ms=elapsed, timeout_ms=9000)).latency_e2e_ms == elapsed
