"""Numbers compared exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tapegate.model.part import Band
from tapegate.oracles.number import amount, near, number, plain, with_band


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.1, Fraction(1, 10)), (3, Fraction(3)), (1e3, Fraction(1000)), (True, None), ("1", None), (float("nan"), None)],
)
def test_a_number_is_what_is_written(value, expected):
    """A tenth is a tenth, true is none, and neither is NaN."""
    assert number(value) == expected


@pytest.mark.parametrize(("value", "expected"), [("0.015", "0.015"), ("-1", None), ("1e3", None), (-1, None), (2, "2")])
def test_an_amount_may_be_a_decimal_in_quotes(value, expected):
    """From 0 up, in plain digits."""
    found = amount(value)
    assert (None if found is None else plain(found)) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(18, 5), "3.6"), (Fraction(-1, 8), "-0.125"), (Fraction(12500), "12500"), (Fraction(1, 3), "1/3")],
)
def test_numbers_are_written_plainly(value, text):
    """As decimals where they are, without an exponent."""
    assert plain(value) == text


def test_both_ends_of_a_band_belong_to_it():
    """And the larger of share and number counts."""
    assert near(Fraction(3), Fraction("3.1"), Band(abs=0.1))
    assert not near(Fraction(3), Fraction("3.1000001"), Band(abs=0.1))
    assert near(Fraction(200), Fraction(190), Band(abs=1, rel=0.05))
    assert with_band("200", Band(abs=1, rel=0.05)) == "200 ± 1 or 5 %"
