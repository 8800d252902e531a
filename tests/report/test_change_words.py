"""Changes in words: a table to review."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tapegate.model.diff import Delta, MeasureStatistic, Rate, Spent, Stratum, StratumStatistics, VerdictStatistic
from tapegate.report import change_words as say


@pytest.mark.parametrize(
    ("measure", "value", "shown"),
    [
        ("total_tokens", 0, "0 tokens"),
        ("total_tokens", 1, "1 token"),
        ("total_tokens", 1234, "1,234 tokens"),
        ("total_tokens", Fraction(100, 3), "33.3 tokens"),
        ("total_tokens", -12, "−12 tokens"),
        ("latency_e2e_ms", 840, "840 ms"),
        ("latency_e2e_ms", 1201, "1.3 s"),
        ("latency_e2e_ms", -1201, "−1.3 s"),
        ("cost_usd", Fraction("12.5"), "$12.5"),
        ("cost_usd", Fraction("0.00123456"), "$0.00123"),
        ("cost_usd", 0, "$0"),
        ("tool_calls", 1, "1 call"),
        ("quality", Fraction(39, 50), "0.78"),
        ("quality", Fraction(-1, 10_000), "−0.0001"),
        ("quality", None, "–"),
    ],
)
def test_a_number_has_its_unit(measure: str, value: Any, shown: str) -> None:
    """Tokens, times, money and scores as a person writes them; a dash where nobody measured."""
    assert say.number(measure, value) == shown


@pytest.mark.parametrize(
    ("measure", "base", "head", "shown"),
    [
        ("total_tokens", 3900, 4212, "+312 tokens (+8 %)"),
        ("total_tokens", 4212, 3900, "−312 tokens (−7 %)"),
        ("total_tokens", 100, 100, "no change"),
        ("total_tokens", 0, 5, "+5 tokens"),
        ("total_tokens", 1000, 1004, "+4 tokens (+0.4 %)"),
        ("total_tokens", 10_000, 10_001, "+1 token (under 0.1 %)"),
        ("total_tokens", 1000, 0, "−1,000 tokens (−100 %)"),
        ("latency_e2e_ms", 8000, 6800, "−1.2 s (−15 %)"),
        ("cost_usd", Fraction("0.01"), Fraction("0.0108"), "+$0.0008 (+8 %)"),
        ("model_calls", 2, 3, "+1 call (+50 %)"),
        ("quality", Fraction(4, 5), Fraction(3, 5), "−0.2 (−25 %)"),
    ],
)
def test_an_increase_is_said_as_a_person_says_it(measure: str, base: Any, head: Any, shown: str) -> None:
    """The change, and what share of before it is; no share of nothing."""
    assert say.increase(measure, base, head) == shown


@pytest.mark.parametrize(
    ("delta", "shown"),
    [
        (Delta("total_tokens", Fraction(3900), Fraction(4212)), "+312 tokens (+8 %), 3,900 → 4,212"),
        (Delta("input_tokens", Fraction(1), Fraction(2)), "+1 input token (+100 %), 1 → 2"),
        (Delta("latency_e2e_ms", Fraction(1100), Fraction(1700)), "latency +600 ms (+55 %), 1.1 s → 1.7 s"),
        (Delta("cost_usd", Fraction(1), Fraction(2)), "cost +$1 (+100 %), $1 → $2"),
        (
            Delta("latency_e2e_ms", Fraction(1100), Fraction(900), "recorded on a and on b"),
            "latency not comparable, recorded on a and on b: 1.1 s → 900 ms",
        ),
        (
            Delta("total_tokens", Fraction(5), None, "not recorded in head"),
            "tokens not comparable, not recorded in head: 5 → –",
        ),
    ],
)
def test_one_measure_of_one_pair_is_a_line(delta: Delta, shown: str) -> None:
    """With both values, and the reason where they do not compare."""
    assert say.delta(delta) == shown


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (Rate(118, 120, 0.9413, 0.9954), "118 of 120 pass (98 %, 95 % interval 94 % to 99.5 %)"),
        (Rate(0, 5, 0.0, 0.4345), "0 of 5 pass (0 %, 95 % interval 0 % to 43 %)"),
        (Rate(5, 5, 0.5655, 1.0), "5 of 5 pass (100 %, 95 % interval 57 % to 100 %)"),
        (Rate(999, 1000, 0.99435, 0.99982), "999 of 1,000 pass (99.9 %, 95 % interval 99.4 % to 99.9 %)"),
        (None, "no task"),
    ],
)
def test_a_rate_never_rounds_to_certainty(rate: Rate | None, shown: str) -> None:
    """Not every task is not 100 %."""
    assert say.share(rate) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "p = 1"), (0.03125, "p = 0.031"), (0.5, "p = 0.5"), (0.0012, "p = 0.0012"), (0.0009, "p < 0.001")],
)
def test_a_probability_has_two_digits(value: float, shown: str) -> None:
    """And is never 0."""
    assert say.probability(value) == shown


def measured(**changes: Any) -> MeasureStatistic:
    """The tokens of six pairs."""
    values: dict[str, Any] = {
        "measure": "total_tokens",
        "pairs": 6,
        "base_mean": 2922.5,
        "head_mean": 2926.8,
        "difference": 4.3,
        "low": 4.0,
        "high": 4.6,
        "p_two_sided": 0.03125,
        "p_regression": 0.015625,
        "worse": "higher",
        "low_n": True,
        "interval_method": "bootstrap_exact",
        "test_method": "sign_flip_exact",
        **dict.fromkeys(("base_p50", "head_p50", "base_p95", "head_p95"), 0.0),
    }
    return MeasureStatistic(**{**values, **changes})


def test_a_stratum_tells_what_differs() -> None:
    """Its verdicts, every measure that differs, and the names of those that do not."""
    same = measured(
        measure="tool_calls", base_mean=1.0, head_mean=1.0, difference=0.0, low=0.0, high=0.0, p_two_sided=1.0
    )
    verdicts = VerdictStatistic(6, 1, 3, 0.625, 0.3125, low_n=True, method="mcnemar_exact")
    told = StratumStatistics(Stratum.RE_RECORDED, 7, verdicts, (measured(), same), ())
    assert say.statistics(told) == [
        "Re-recorded: 7 tasks, too few to conclude from",
        "verdicts: 1 fixed, 3 broken of 6 pairs; so many broken by chance: p = 0.31",
        "+4.3 tokens (+0.1 %) a task, 2,922.5 → 2,926.8; 95 % interval +4 tokens to +4.6 tokens, p = 0.031, 6 pairs",
        "no difference in tool calls",
    ]
    unjudged = StratumStatistics(Stratum.SAME_RECORDINGS, 1, VerdictStatistic(0, 0, 0, 1.0, 1.0, True, ""), (), ())
    assert say.statistics(unjudged)[1] == "verdicts: no task was judged on both sides"


def test_what_nobody_measured_is_told_by_its_reason() -> None:
    """A line a reason, not a line a measure."""
    why = "not judged in head"
    missing = (("total_tokens", why), ("cost_usd", "not recorded in base"), ("quality", why))
    told = StratumStatistics(Stratum.RE_RECORDED, 1, None, (), missing)
    assert say.unmeasured(told) == [
        ("tokens, quality: not measured", why),
        ("cost: not measured", "not recorded in base"),
    ]


def test_what_was_drawn_and_not_counted_says_so() -> None:
    """The method is named where a resampling stands in for the whole distribution."""
    drawn = measured(interval_method="bootstrap_sha256_2000", test_method="sign_flip_sha256_10000")
    assert say.statistic(drawn).endswith("6 pairs (bootstrap_sha256_2000, sign_flip_sha256_10000)")
    assert say.statistic(measured()).endswith("6 pairs")


def test_a_mean_rounds_like_the_fraction_it_came_from() -> None:
    """A statistic holds the nearest float, a budget the exact mean: a reader sees one number."""
    exact = say.increase("cost_usd", Fraction("0.0115"), Fraction("0.012625"))
    assert say.increase("cost_usd", 0.0115, 0.012625) == exact == "+$0.00112 (+10 %)"


def test_a_budget_says_its_limit_and_what_exceeds_it() -> None:
    """With the task, both values and the increase."""
    over = (("RET-01@A1", Fraction(1200), Fraction(1500)), ("", Fraction(100), Fraction(160)))
    spent = Spent("total_tokens", "each_task", "tokens: at most +10 % for each task", "exceeded", True, 2, over)
    assert say.budget(spent) == "exceeded (2 pairs)"
    assert say.budget(replace(spent, state="kept", pairs=0, exceeded=())) == "kept: nothing was recorded again"
    assert say.overrun(spent) == [
        ("RET-01@A1", "1,200 → 1,500, +300 tokens (+25 %)"),
        ("the mean", "100 → 160, +60 tokens (+60 %)"),
    ]


def test_two_times_that_differ_never_look_the_same() -> None:
    """Where tenths of a second hide the difference, milliseconds show it."""
    assert say.pair("latency_e2e_ms", Fraction(1050), Fraction(1100)) == "1,050 ms → 1,100 ms"
    assert say.pair("latency_e2e_ms", Fraction(1050), Fraction(1300)) == "1.1 s → 1.3 s"
