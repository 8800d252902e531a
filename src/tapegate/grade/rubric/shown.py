"""Exact numbers as they are shown: rounded to the side that cannot contradict a verdict."""

from __future__ import annotations

from decimal import MAX_PREC, Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import Literal

Side = Literal["down", "up"]
"""`down` for what must be at least a limit, `up` for what must be at most one."""

PLACES = 4
_EXACT = Context(prec=MAX_PREC)


def shown(value: Fraction, side: Side = "down", places: int = PLACES) -> Decimal:
    """`value` with so many decimals. 0.79999999 shows as 0.7999 and never as the 0.8 that it did not reach."""
    scaled = value * 10**places
    whole = scaled.numerator // scaled.denominator if side == "down" else -(-scaled.numerator // scaled.denominator)
    return Decimal(whole).scaleb(-places)


def root(value: Fraction, places: int = PLACES) -> Decimal:
    """The square root of a number that is not negative, rounded up at so many decimals."""
    scaled = value * 10 ** (2 * places)
    whole = -(-scaled.numerator // scaled.denominator)
    found = isqrt(whole)
    return Decimal(found + (found * found < whole)).scaleb(-places)


def fraction(value: Fraction) -> str:
    """`4/5`, `1/1`: exact, however many digits it takes (Python refuses to write integers of more than 4,300)."""
    return f"{_digits(value.numerator)}/{_digits(value.denominator)}"


def _digits(number: int) -> str:
    return format(_EXACT.create_decimal(number), "f")
