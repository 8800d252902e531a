"""Exact sums and percentiles."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.grade.rubric.exact import mean, nearest_rank, total, variance

VECTORS = Path(__file__).parents[3].parent / "shared" / "vectors" / "percentiles.json"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.fractions(max_denominator=50), max_size=30))
def test_a_sum_is_the_sum(values: list[Fraction]) -> None:
    """Adding pairwise, equal terms together, is adding."""
    assert total(values) == sum(values, Fraction(0))


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([], 95, (None, False)),
        ([7], 95, (7, False)),
        (list(range(1, 21)), 95, (19, False)),
        (list(range(1, 22)), 95, (20, False)),
        (list(range(1, 20)), 95, (19, False)),
        ([3, 1, 2], 50, (2, False)),
        ([1, None], 50, (1, False)),
        ([1, None], 95, (None, True)),
        ([0, 0, None], 0, (0, False)),
        ([5, 6], 100, (6, False)),
    ],
)
def test_the_rank_is_reckoned_in_integers(
    values: list[int | None], percent: int, expected: tuple[int | None, bool]
) -> None:
    """Rank ceil(p·n/100): 19 of 20 at 95, where 0.95 * 20 in floats is 19.0 only by luck."""
    assert nearest_rank(values, percent) == expected


@pytest.mark.skipif(not VECTORS.is_file(), reason="../shared/vectors/percentiles.json is not here")
def test_the_golden_percentiles_are_met() -> None:
    """Every nearest-rank percentile of the shared vectors comes out."""
    for case in json.loads(VECTORS.read_bytes())["sets"]:
        for percent in (50, 90, 95, 99):
            assert nearest_rank(case["data"], percent) == (case[f"p{percent}"]["nearest_rank"], False)


def test_variance_is_of_a_sample() -> None:
    """With n - 1, and none of a single value."""
    assert variance([Fraction(1), Fraction(2), Fraction(4)]) == Fraction(7, 3)
    assert variance([Fraction(1)]) is None
    assert mean([]) is None
