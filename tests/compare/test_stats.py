"""Statistics of paired runs, held against golden values and against counting everything by hand."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.compare import exact, resample
from tapegate.compare.stats import (
    bootstrap_interval,
    mcnemar_exact,
    mean,
    nearest_rank,
    sign_flip_test,
    wilson_interval,
)

VECTORS = Path(__file__).parents[2].parent / "shared" / "vectors"

SMALL = st.lists(st.integers(-6, 6), min_size=1, max_size=5)


def vectors(name: str) -> Any:
    """A file of golden values."""
    path = VECTORS / name
    if not path.exists():
        pytest.skip("the golden values are not beside this project")
    return json.loads(path.read_text())


def test_mcnemar_gives_the_golden_values() -> None:
    """Exact fractions for both p, checked against statsmodels and scipy when they were made."""
    for case in vectors("mcnemar.json")["cases"]:
        table = case["table"]
        found = mcnemar_exact(table["base_fail_cand_pass"], table["base_pass_cand_fail"])
        assert found.p_two_sided == Fraction(case["p_two_sided_exact"])
        assert math.isclose(found.p_regression, case["p_one_sided_regression"], rel_tol=1e-12)


def test_wilson_gives_the_golden_values() -> None:
    """To the last bit where the vectors use the same formula."""
    for case in vectors("wilson.json")["cases"]:
        assert list(wilson_interval(case["k"], case["n"])) == case["wilson"]


def test_sign_flip_and_bootstrap_give_the_golden_values() -> None:
    """Exact fractions, counted and drawn."""
    for case in vectors("paired_bootstrap.json")["cases"]:
        diffs = case["diffs"]
        assert mean(diffs) == Fraction(case["mean"])
        assert list(bootstrap_interval(diffs)) == [Fraction(end) for end in case["exact_percentile_ci"]]
        found = sign_flip_test(diffs)
        assert found.p_two_sided == Fraction(case["signflip_p_two_sided"])
        assert found.p_regression == Fraction(case["signflip_p_one_sided_regression"])
        if "sha256_boot_seed_golden_B2000" in case:
            drawn = [Fraction(end) for end in case["sha256_boot_seed_golden_B2000"]]
            assert list(bootstrap_interval(diffs, draw=True)) == drawn


def test_nearest_rank_gives_the_golden_values() -> None:
    """Integer arithmetic, also where rounding up a float product is off by one."""
    document = vectors("percentiles.json")
    for case in document["sets"]:
        for percent in (50, 90, 95, 99):
            assert nearest_rank(case["data"], percent) == case[f"p{percent}"]["nearest_rank"]
    for percent, count in document["examples"]:
        assert nearest_rank(range(1, count + 1), percent) == percent * count // 100


@pytest.mark.parametrize(
    ("fixed", "broken", "two_sided", "regression"),
    [
        (0, 0, Fraction(1), Fraction(1)),
        (1, 0, Fraction(1), Fraction(1)),
        (0, 1, Fraction(1), Fraction(1, 2)),
        (0, 6, Fraction(1, 32), Fraction(1, 64)),
        (3, 12, Fraction(9, 256), Fraction(9, 512)),
    ],
)
def test_mcnemar_on_numbers_worked_by_hand(fixed: int, broken: int, two_sided: Fraction, regression: Fraction) -> None:
    """Six broken and none fixed is 1 in 64 by chance."""
    found = mcnemar_exact(fixed, broken)
    assert (found.p_two_sided, found.p_regression) == (two_sided, regression)
    assert (found.worse, found.method) == ("broken", "mcnemar_exact")


@given(st.integers(0, 7), st.integers(0, 7))
def test_mcnemar_is_what_counting_all_coins_gives(fixed: int, broken: int) -> None:
    """Each changed pair is a coin: p is the share of outcomes as extreme as the one seen."""
    found = mcnemar_exact(fixed, broken)
    coins = list(itertools.product((0, 1), repeat=fixed + broken))
    as_bad = sum(sum(coin) >= broken for coin in coins)
    as_far = sum(abs(2 * sum(coin) - fixed - broken) >= abs(broken - fixed) for coin in coins)
    assert found.p_regression == Fraction(as_bad, len(coins))
    assert found.p_two_sided == Fraction(as_far, len(coins))


@given(SMALL)
@settings(max_examples=60)
def test_sign_flip_is_what_trying_all_signs_gives(diffs: list[int]) -> None:
    """The exact test counts the same sign choices that a loop over all of them does, in both directions."""
    flips = [sum(sign * diff for sign, diff in zip(signs, diffs, strict=True)) for signs in _signs(len(diffs))]
    seen = sum(diffs)
    lower, higher = sign_flip_test(diffs), sign_flip_test(diffs, "higher")
    assert lower.p_regression == Fraction(sum(flip <= seen for flip in flips), len(flips))
    assert higher.p_regression == Fraction(sum(flip >= seen for flip in flips), len(flips))
    assert lower.p_two_sided == Fraction(sum(abs(flip) >= abs(seen) for flip in flips), len(flips))
    assert (lower.worse, higher.worse) == ("lower", "higher")


def _signs(count: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product((-1, 1), repeat=count)


@given(SMALL)
@settings(max_examples=40)
def test_the_bootstrap_is_what_drawing_every_resample_gives(diffs: list[int]) -> None:
    """Each end is the smallest sum that its share of all n**n resamples does not exceed."""
    sums = sorted(map(sum, itertools.product(diffs, repeat=len(diffs))))
    ends = [Fraction(sums[-(-share * len(sums) // 200) - 1], len(diffs)) for share in (5, 195)]
    found = bootstrap_interval(diffs)
    assert list(found) == ends
    assert found.method == "bootstrap_exact"


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=12))
@settings(max_examples=40)
def test_the_other_side_sees_the_opposite(diffs: list[int]) -> None:
    """With base and head swapped, the mean and the worse direction turn around and p stays."""
    turned = [-diff for diff in diffs]
    assert mean(turned) == -mean(diffs)
    here, there = sign_flip_test(diffs, "lower"), sign_flip_test(turned, "higher")
    assert (here.p_two_sided, here.p_regression) == (there.p_two_sided, there.p_regression)


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([90, 95, 99]))
def test_wilson_ends_solve_its_equation(passed: int, more: int, level: int) -> None:
    """At each end inside (0, 1) the observed rate is exactly z standard errors away; the rate lies between them."""
    total = passed + more
    z = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}[level]
    found = wilson_interval(passed, total, level)
    assert 0 <= found.low <= passed / total <= found.high <= 1
    assert found.worse == "lower"
    for end in found:
        if 0 < end < 1:
            assert math.isclose(abs(passed / total - end), z * math.sqrt(end * (1 - end) / total), rel_tol=1e-9)


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=30), st.integers(0, 100))
def test_nearest_rank_is_the_least_value_that_enough_do_not_exceed(values: list[int], percent: int) -> None:
    """At least `percent` of the values are at most it, and of no smaller value that is true."""
    found = nearest_rank(values, percent)
    enough = [value for value in values if 100 * sum(other <= value for other in values) >= percent * len(values)]
    assert found == min(enough)


def test_drawing_stands_in_where_counting_is_too_long() -> None:
    """Beyond the work bound the method says that it drew; the draws are pinned, so that every machine has the same."""
    diffs = [(number * 7919) % 20_011 - 10_000 for number in range(400)]
    assert exact.sign_flips(diffs) is None
    assert exact.bootstrap_sums(diffs) is None
    flipped, interval = sign_flip_test(diffs), bootstrap_interval(diffs)
    assert flipped.method == f"sign_flip_sha256_{resample.FLIPS}"
    assert interval.method == f"bootstrap_sha256_{resample.RESAMPLES}"
    assert (flipped.p_two_sided, flipped.p_regression) == DRAWN
    assert list(interval) == DRAWN_ENDS


DRAWN = (Fraction(9270, 10001), Fraction(5347, 10001))
DRAWN_ENDS = [Fraction(-223083, 400), Fraction(58739, 100)]
"""Made by a program of ten lines that follows the docstrings of `resample` and shares no code with it."""


def test_draws_agree_with_counts() -> None:
    """On data that can be counted, drawing gives nearly the same p and nearly the same ends."""
    diffs = [-120, 35, -60, 0, -15, -220, 40, -75, 10, -5, -90, 0, 12, -33]
    low, high, far = resample.sign_flips(diffs)
    counted = sign_flip_test(diffs)
    assert abs(Fraction(low, resample.FLIPS) - counted.p_regression) < Fraction(1, 50)
    assert abs(Fraction(far, resample.FLIPS) - counted.p_two_sided) < Fraction(1, 50)
    assert high > resample.FLIPS // 2
    for drawn, end in zip(bootstrap_interval(diffs, draw=True), bootstrap_interval(diffs), strict=True):
        assert abs(drawn - end) < 5


def test_draws_of_numbers_beyond_64_bits_do_not_wrap() -> None:
    """Sums stay whole where numpy's integers would not hold them."""
    assert resample.bootstrap_sums([2**62, 2**62, 2**62], resamples=5) == [3 * 2**62] * 5


@pytest.mark.parametrize(
    "call",
    [
        lambda: mcnemar_exact(-1, 0),
        lambda: wilson_interval(0, 0),
        lambda: wilson_interval(3, 2),
        lambda: wilson_interval(1, 2, level=94),
        lambda: sign_flip_test([]),
        lambda: sign_flip_test([True]),
        lambda: bootstrap_interval([]),
        lambda: bootstrap_interval([0.5]),  # type: ignore[list-item]
        lambda: mean([]),
        lambda: nearest_rank([], 50),
        lambda: nearest_rank([1], 101),
    ],
)
def test_nothing_has_no_mean_and_no_rate(call: Any) -> None:
    """No pair, no count and no whole number is refused, never taken for 0."""
    with pytest.raises(ValueError, match=r"\w"):
        call()
