"""What two runs' differences say, and how surely: exact tests and intervals of paired data (DESIGN §6).

Differences are integers (head minus base, in whole units) and results exact fractions. Where a whole distribution
would be too long to count, sha256-counter resampling stands in, and `method` says so. Nothing here uses a
transcendental function or a sum of floats: the bytes are the same on every machine. Statistics describe; they decide
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt
from typing import Generic, Literal, TypeVar

from tapegate.compare import exact

Worse = Literal["lower", "higher"]
"""In which direction a difference is worse: a score that is lower, a cost that is higher."""

LOW_N = 20
"""Fewer pairs than this are too few to conclude from (`low_n`)."""

_Z = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
"""Two-sided quantiles of the normal distribution, by level in percent."""

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True, slots=True)
class Interval(Generic[Number]):
    """Two ends, both included, and how they were found. It unpacks into its ends."""

    low: Number
    high: Number
    worse: Worse
    """The direction in which what lies in it is worse."""
    method: str

    def __iter__(self) -> Iterator[Number]:
        """Low, then high."""
        return iter((self.low, self.high))


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How probable a difference at least as large is where there is none."""

    p_two_sided: Fraction
    """As far from none in either direction."""
    p_regression: Fraction
    """As far, or farther, in the direction that is worse."""
    worse: str
    """That direction, in one word."""
    method: str


def mcnemar_exact(fixed: int, broken: int) -> PairedTest:
    """McNemar's exact test of paired verdicts. Worse is `broken`: tasks that passed in base and fail in head.

    `fixed` counts those that failed in base and pass in head. Under no effect `broken` is Binomial(fixed + broken, ½);
    without any change both p are 1. Raises `ValueError` for a negative count.
    """
    if fixed < 0 or broken < 0:
        raise ValueError(f"counts are not negative: fixed {fixed!r}, broken {broken!r}")
    changed = fixed + broken
    fewer = _binomial_up_to(changed, min(fixed, broken))
    # P(X >= broken) = P(X <= fixed), as the coin is fair.
    return PairedTest(min(Fraction(1), 2 * fewer), _binomial_up_to(changed, fixed), "broken", "mcnemar_exact")


def _binomial_up_to(count: int, most: int) -> Fraction:
    return Fraction(sum(comb(count, number) for number in range(most + 1)), 2**count)


def wilson_interval(passed: int, total: int, level: int = 95) -> Interval[float]:
    """Wilson's score interval of a rate, within [0, 1]; worse is lower. `level` is 90, 95 or 99 percent.

    Only additions, products, quotients and square roots of floats, which IEEE 754 rounds the same everywhere.
    Raises `ValueError` where nothing was counted: the rate of nothing is not 0.
    """
    if not 0 <= passed <= total or total == 0:
        raise ValueError(f"a rate needs 0 <= passed <= total and total > 0; got {passed!r} of {total!r}")
    if level not in _Z:
        raise ValueError(f"level {level!r} is none of {', '.join(map(str, _Z))} percent")
    z, rate = _Z[level], passed / total
    square = z * z
    spread = 1 + square / total
    center = (rate + square / (2 * total)) / spread
    half = z / spread * sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    low = 0.0 if passed == 0 else max(0.0, center - half)
    high = 1.0 if passed == total else min(1.0, center + half)
    return Interval(low, high, "lower", "wilson")


def sign_flip_test(diffs: Sequence[int], worse: Worse = "lower") -> PairedTest:
    """The paired sign-flip (permutation) test of a mean difference of 0; `worse` says which direction is worse.

    Under no effect each pair's difference is as likely with the other sign. All sign choices are counted within
    `exact.SIGN_FLIP_WORK`; beyond it `resample.FLIPS` are drawn, and p is (1 + hits) / (1 + draws), which never says 0.
    Raises `ValueError` without a difference or where one is no integer.
    """
    _check(diffs)
    counted = exact.sign_flips(diffs)
    if counted is not None:
        low, high, far = counted
        every = 2 ** sum(diff != 0 for diff in diffs)
        return PairedTest(
            Fraction(far, every), Fraction(low if worse == "lower" else high, every), worse, "sign_flip_exact"
        )
    from tapegate.compare import resample  # numpy takes a tenth of a second to import, and most runs count exactly

    low, high, far = resample.sign_flips(diffs)
    every = 1 + resample.FLIPS
    one = Fraction(1 + (low if worse == "lower" else high), every)
    return PairedTest(Fraction(1 + far, every), one, worse, f"sign_flip_sha256_{resample.FLIPS}")


def bootstrap_interval(
    diffs: Sequence[int], worse: Worse = "lower", level: int = 95, *, draw: bool = False
) -> Interval[Fraction]:
    """The percentile bootstrap interval of the mean difference, `level` percent; `worse` is told with it.

    All n**n resamples are counted within `exact.BOOTSTRAP_WORK`: each end is the smallest mean that at least its share
    of them does not exceed. Beyond it, and where `draw` asks for it, `resample.RESAMPLES` are drawn and the ends are
    nearest ranks; then the interval of negated differences is drawn anew, and need not be this one's mirror image.
    Raises `ValueError` without a difference or where one is no integer.
    """
    _check(diffs)
    count = len(diffs)
    tail = 100 - level
    sums = None if draw else exact.bootstrap_sums(diffs)
    if sums is not None:
        every = count**count
        ends: list[int] = []
        shares = [Fraction(tail, 200), Fraction(200 - tail, 200)]
        below = 0
        for total, ways in sums:
            below += ways
            while len(ends) < 2 and below >= shares[len(ends)] * every:
                ends.append(total)
        return Interval(Fraction(ends[0], count), Fraction(ends[1], count), worse, "bootstrap_exact")
    from tapegate.compare import resample

    drawn = resample.bootstrap_sums(diffs)
    low, high = (_at_rank(drawn, share, 200) for share in (tail, 200 - tail))
    return Interval(Fraction(low, count), Fraction(high, count), worse, f"bootstrap_sha256_{resample.RESAMPLES}")


def mean(diffs: Sequence[int]) -> Fraction:
    """The mean difference, exactly. Raises `ValueError` without a difference: the mean of nothing is not 0."""
    _check(diffs)
    return Fraction(sum(diffs), len(diffs))


def nearest_rank(values: Sequence[int], percent: int) -> int:
    """The value at rank ⌈percent × n / 100⌉ of the sorted values, at least the first; integers only (rubric §1.3).

    For latencies, tokens and cost worse is higher. Raises `ValueError` for no values or a percentage outside 0…100.
    """
    if not values or not 0 <= percent <= 100:
        raise ValueError(f"a rank needs values and 0 <= percent <= 100; got {len(values)} values, {percent!r}")
    return _at_rank(sorted(values), percent, 100)


def _at_rank(ascending: Sequence[int], share: int, whole: int) -> int:
    return ascending[max(1, -(-share * len(ascending) // whole)) - 1]


def _check(diffs: Sequence[int]) -> None:
    if not diffs:
        raise ValueError("there is no pair to take a difference of")
    for diff in diffs:
        if type(diff) is not int:
            raise ValueError(f"differences are whole numbers; got {diff!r}")
