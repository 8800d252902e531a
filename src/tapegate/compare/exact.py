"""Whole distributions of sums of integers, counted and not drawn.

A polynomial holds, as its coefficient of x**s, in how many ways the sum s comes about. It is packed into one long
number, each coefficient in a field of its own (Kronecker substitution), so that the arithmetic of polynomials is
arithmetic of long integers: exact, and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from functools import reduce
from math import gcd

SIGN_FLIP_WORK = 8_000_000_000
"""Bits that the shifts and additions of one sign-flip test may touch: about 0.3 s."""
BOOTSTRAP_WORK = 4_000_000
"""Decimal digits that the power of one bootstrap may have: about 0.6 s."""

# Decimal multiplies long numbers by a number-theoretic transform, and int by Karatsuba: at 4 million digits 0.5 s
# against 2.5 s. `Inexact` is trapped, so that nothing is ever rounded.
_WHOLE = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def sign_flips(diffs: Sequence[int]) -> tuple[int, int, int] | None:
    """Of the 2**n ways to give the n differences other than zero a sign each: in how many the sum is at most as low
    as the one observed, at least as high, and at least as far from zero; None beyond `SIGN_FLIP_WORK`.
    """
    sizes = [abs(diff) for diff in diffs if diff]
    unit = reduce(gcd, sizes, 0) or 1
    sizes = [size // unit for size in sizes]
    total, width = sum(sizes), len(sizes) + 1
    if len(sizes) * (total + 1) * width > SIGN_FLIP_WORK:
        return None
    # The coefficient of x**a counts the choices in which the differences made positive add up to a.
    ways = 1
    for size in sizes:
        ways += ways << (size * width)
    positive = sum(diff // unit for diff in diffs if diff > 0)
    every = 1 << len(sizes)
    high = _sum_of_fields(ways >> (positive * width), total - positive + 1, width)
    low = every - _sum_of_fields(ways >> ((positive + 1) * width), total - positive, width)
    return low, high, every if 2 * positive == total else 2 * min(low, high)


def _sum_of_fields(packed: int, count: int, width: int) -> int:
    """The sum of `count` fields, folded in halves. It fits in one field, as the number of all choices does."""
    while count > 1:
        half = (count + 1) // 2
        packed = (packed >> (half * width)) + (packed & ((1 << (half * width)) - 1))
        count = half
    return packed


def bootstrap_sums(diffs: Sequence[int]) -> Iterator[tuple[int, int]] | None:
    """Every sum that n draws with replacement from the n differences can have, lowest first, and in how many of the
    n**n ways it comes about; None beyond `BOOTSTRAP_WORK`.
    """
    count, lowest = len(diffs), min(diffs)
    unit = reduce(gcd, (diff - lowest for diff in diffs), 0) or 1
    steps = [(diff - lowest) // unit for diff in diffs]
    width = len(str(count**count))
    digits = (count * max(steps) + 1) * width
    if digits > BOOTSTRAP_WORK:
        return None
    row = [0] * (max(steps) + 1)
    for step in steps:
        row[step] += 1
    once = Decimal("".join(str(number).rjust(width, "0") for number in reversed(row)))
    packed = format(_power(once, count), "f").rjust(digits, "0")
    return (
        (count * lowest + unit * place, int(packed[end - width : end]))
        for place, end in enumerate(range(digits, 0, -width))
    )


def _power(base: Decimal, exponent: int) -> Decimal:
    result = Decimal(1)
    while exponent:
        if exponent & 1:
            result = _WHOLE.multiply(result, base)
        exponent >>= 1
        if exponent:
            base = _WHOLE.multiply(base, base)
    return result
