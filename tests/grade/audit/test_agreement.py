"""Agreement of judge and graders."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tapegate.grade.audit.agreement import agreement, kappa
from tapegate.model.audit import Pair


@pytest.mark.parametrize(
    ("table", "value", "interval"),
    [
        # Held against statsmodels 0.15.0, inter_rater.cohens_kappa.
        ([[20, 5, 0], [3, 10, 2], [1, 4, 15]], "0.6210526315789474", ("0.4577", "0.7844")),
        ([[5, 9, 3], [7, 2, 8], [6, 4, 1]], "-0.25", ("-0.4140", "-0.0860")),
        ([[40, 1, 0], [2, 0, 0], [0, 0, 0]], "-0.032", ("-0.0767", "0.0127")),
        ([[10, 0, 0], [0, 10, 0], [0, 0, 10]], "1", ("1", "1")),
    ],
)
def test_kappa_and_its_interval_are_the_known_ones(
    table: list[list[int]], value: str, interval: tuple[str, str]
) -> None:
    """Exact as a fraction; the interval rounded outward, so that it never claims more than it has."""
    found = kappa(table)
    assert found is not None
    assert abs(found[0] - Fraction(value)) < Fraction(1, 10**12)
    assert found[1] == (Fraction(interval[0]), Fraction(interval[1]))


def test_there_is_no_kappa_below_thirty_pairs() -> None:
    """The table stands, and a number that says too little does not."""
    pairs = [Pair(2, 2)] * 20 + [Pair(0, 2)] * 9
    few, enough = agreement("accuracy_score", pairs), agreement("accuracy_score", [*pairs, Pair(1, 1)])
    assert (few.n, few.agreed, few.kappa, few.interval) == (29, 20, None, None)
    assert few.table == ((0, 0, 9), (0, 0, 0), (0, 0, 20))
    assert enough.kappa is not None
    assert enough.interval is not None


def test_kappa_is_undefined_where_chance_always_agrees() -> None:
    """Two raters who always say 2 agree, and nothing is known of how well."""
    found = agreement("accuracy_score", [Pair(2, 2)] * 40)
    assert (found.agreed, found.kappa, found.interval) == (40, None, None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=3, max_size=3))
def test_kappa_is_bounded_and_symmetric(table: list[list[int]]) -> None:
    """It lies in its interval, within -1 and 1, and does not ask which rater came first."""
    assume(sum(map(sum, table)))
    found = kappa(table)
    assert found == kappa([list(column) for column in zip(*table, strict=True)])
    if found is not None:
        value, (low, high) = found
        assert -1 <= low <= value <= high <= 1
