"""Exact sums and percentiles. No float takes part: two samples of 23/25 and 17/25 average 4/5, and floats say less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction


def total(values: Iterable[Fraction]) -> Fraction:
    """The sum. Added pairwise, so that ten thousand different denominators grow in the last few steps only."""
    terms = [value * count for value, count in Counter(values).items()]
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        terms = [*(one + other for one, other in pairs), *(terms[-1:] if len(terms) % 2 else [])]
    return terms[0] if terms else Fraction(0)


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """The mean; None of nothing."""
    return total(values) / len(values) if values else None


def nearest_rank(values: Iterable[int | None], percent: int) -> tuple[int | None, bool]:
    """The nearest-rank percentile, and whether it is unbounded: a None among the values is larger than any number.

    The value at rank ceil(percent * n / 100), counted from 1, reckoned in integers; (None, False) of nothing.
    """
    ordered = sorted(values, key=lambda value: (value is None, value or 0))
    if not ordered:
        return None, False
    found = ordered[max(1, -(-percent * len(ordered) // 100)) - 1]
    return found, found is None


def variance(values: Sequence[Fraction]) -> Fraction | None:
    """The variance of a sample, with n - 1; None of fewer than two values."""
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    return total((value - centre) ** 2 for value in values) / (len(values) - 1)
