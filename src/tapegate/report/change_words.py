"""How a change is said in words and numbers, the same in every format."""

from __future__ import annotations

from fractions import Fraction

from tapegate.compare.measures import MEASURES
from tapegate.compare.stats import LOW_N
from tapegate.model.diff import (
    Delta,
    Kind,
    MeasureStatistic,
    Rate,
    Spent,
    Stratum,
    StratumStatistics,
    TaskDiff,
)
from tapegate.model.finding import Verdict
from tapegate.report.words import ABSENT, milliseconds

MINUS = "−"

VERDICTS: dict[Verdict | None, str] = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.STALE: "stale",
    Verdict.ERROR: "error",
    Verdict.NEEDS_REVIEW: "needs review",
    None: "not there",
}

KINDS: dict[Kind, str] = {
    Kind.REGRESSION: "Regressions",
    Kind.MOVED: "Changed more than allowed",
    Kind.LOOSENED: "Pass only because their contract changed",
    Kind.UNJUDGED: "Not judged any more",
    Kind.FIXED: "Improved",
    Kind.REMOVED: "Removed",
    Kind.RECONTRACTED: "Contract changed",
    Kind.CHANGED: "Other behaviour",
    Kind.NUMBERS: "Same behaviour, other numbers",
    Kind.RENAMED: "Renamed",
    Kind.ADDED: "New",
}
"""Headings, the most important first."""

STRATA: dict[Stratum, str] = {
    Stratum.SAME_RECORDINGS: "Same recordings",
    Stratum.RE_RECORDED: "Re-recorded",
    Stratum.CONTRACT_CHANGED: "Contract changed",
}


def number(measure: str, value: Fraction | float | None) -> str:
    """A value with its unit: `1,234 tokens`, `1.3 s`, `$0.0012`, `0.78`; a dash where nobody measured it."""
    if value is None:
        return ABSENT
    exact = _exact(value)
    sign, size = (MINUS if exact < 0 else ""), abs(exact)
    unit = MEASURES[measure].unit
    if unit == "ms":
        return sign + milliseconds(-(-size.numerator // size.denominator))
    if unit == "US$":
        return f"{sign}${_significant(size)}"
    if not unit:
        return sign + (_decimals(size, 3) if size == 0 or size * 2000 >= 1 else _significant(size, 1))
    return f"{sign}{_decimals(size, 2 if size < 10 else 1)} {_singular(unit) if size == 1 else unit}"


def increase(measure: str, base: Fraction | float, head: Fraction | float) -> str:
    """`+312 tokens (+8 %)`, `−1.2 s (−15 %)`, `no change`; without a percentage where there was nothing before."""
    before, after = _exact(base), _exact(head)
    if before == after:
        return "no change"
    change = after - before
    share = f" ({_signed_percent(100 * change / before)})" if before > 0 else ""
    return f"{'+' if change > 0 else ''}{number(measure, change)}{share}"


def _exact(value: Fraction | float) -> Fraction:
    """A number as it is written: 0.012625 is that many millionths, so that it rounds like the fraction it came from."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def delta(one: Delta) -> str:
    """One measure of one pair in words: `+312 tokens (+8 %), 3,900 → 4,212`, or why it cannot be compared."""
    if one.not_measured or one.base is None or one.head is None:
        return f"{MEASURES[one.measure].title} not comparable, {one.not_measured}: {_sides(one)}"
    return f"{named(one.measure, increase(one.measure, one.base, one.head))}, {_sides(one)}"


def named(measure: str, change: str) -> str:
    """A change with its measure's name: `+312 input tokens (+8 %)`, `latency +1.2 s (+15 %)`."""
    told = MEASURES[measure]
    if told.unit and told.title.endswith(told.unit) and change[:1] in ("+", MINUS):
        size, unit, rest = change.partition(f" {told.unit}")
        if not unit:
            size, unit, rest = change.partition(f" {_singular(told.unit)}")
            return f"{size} {_singular(told.title)}{rest}"
        return f"{size} {told.title}{rest}"
    return f"{told.title} {change}"


def _sides(one: Delta) -> str:
    return pair(one.measure, one.base, one.head)


def pair(measure: str, base: Fraction | float | None, head: Fraction | float | None) -> str:
    """`3,900 → 4,212`, `1.1 s → 1.7 s`: a unit that the measure's name says already is left out."""
    unit = MEASURES[measure].unit
    plain = unit and MEASURES[measure].title.endswith(unit)
    shown = [number(measure, value) for value in (base, head)]
    if unit == "ms" and None not in (base, head) and base != head and shown[0] == shown[1]:
        # Two times that differ never look the same.
        shown = [f"{_decimals(_exact(value), 1)} ms" for value in (base, head) if value is not None]
    return " → ".join(
        text.removesuffix(f" {unit}").removesuffix(f" {_singular(unit)}") if plain else text for text in shown
    )


def turn(task: TaskDiff) -> str:
    """`pass → fail`."""
    return f"{VERDICTS[task.base_verdict]} → {VERDICTS[task.head_verdict]}"


def share(rate: Rate | None) -> str:
    """`118 of 120 pass (98 %, 95 % interval 94 % to 99.6 %)`."""
    if rate is None:
        return "no task"
    percent, low, high = (_percent(Fraction(value)) for value in (100 * rate.passed / rate.total, *_hundred(rate)))
    return f"{rate.passed:,} of {rate.total:,} pass ({percent}, 95 % interval {low} to {high})"


def _hundred(rate: Rate) -> tuple[float, float]:
    return 100 * rate.low, 100 * rate.high


def probability(value: float) -> str:
    """`p = 0.031`, `p < 0.001`."""
    return "p < 0.001" if value < 0.001 else f"p = {_significant(Fraction(value), 2)}"


def statistic(told: MeasureStatistic) -> str:
    """One measure of a stratum in a line: the mean difference a task, its interval, and how surely it is one."""
    name = told.measure
    mean = increase(name, told.base_mean, told.head_mean)
    low, high = (f"{'+' if end > 0 else ''}{number(name, end)}" for end in (told.low, told.high))
    return (
        f"{named(name, mean)} a task, {pair(name, told.base_mean, told.head_mean)}; "
        f"95 % interval {low} to {high}, {probability(told.p_two_sided)}, {count(told.pairs, 'pair', 'pairs')}"
        f"{_drawn(told)}"
    )


def _drawn(told: MeasureStatistic) -> str:
    """The methods by name where not the whole distribution was counted; empty where it was."""
    drawn = [name for name in (told.interval_method, told.test_method) if not name.endswith("_exact")]
    return f" ({', '.join(drawn)})" if drawn else ""


def statistics(told: StratumStatistics) -> list[str]:
    """One stratum in lines: its heading, its verdicts, and every measure that differs."""
    pairs = [one.pairs for one in told.measures] + ([told.verdicts.pairs] if told.verdicts is not None else [])
    few = ", too few to conclude from" if pairs and max(pairs) < LOW_N else ""
    lines = [f"{STRATA[told.stratum]}: {count(told.tasks, 'task', 'tasks')}{few}"]
    if told.verdicts is not None and not told.verdicts.pairs:
        lines.append("verdicts: no task was judged on both sides")
    elif told.verdicts is not None:
        one = told.verdicts
        lines.append(
            f"verdicts: {one.fixed:,} fixed, {one.broken:,} broken of {count(one.pairs, 'pair', 'pairs')}; "
            f"so many broken by chance: {probability(one.p_regression)}"
        )
    lines += [statistic(one) for one in told.measures if differs(one)]
    same = [MEASURES[one.measure].title for one in told.measures if not differs(one)]
    lines += [f"no difference in {', '.join(same)}"] if same else []
    return lines


def unmeasured(told: StratumStatistics) -> list[tuple[str, str]]:
    """The measures that no pair has on both sides, those of one reason together: `tokens, cost: not measured`, and the
    reason, which may be a stranger's words."""
    whys: dict[str, list[str]] = {}
    for name, why in told.not_measured:
        whys.setdefault(why, []).append(MEASURES[name].title)
    return [(f"{', '.join(names)}: not measured", why) for why, names in whys.items()]


def differs(told: MeasureStatistic) -> bool:
    """Whether a measure differs in any pair."""
    return any((told.difference, told.low, told.high)) or told.p_two_sided < 1


def budget(one: Spent) -> str:
    """Whether a budget was kept; its limit stands before it."""
    state = {"kept": "kept", "exceeded": "exceeded", "not_measured": "not measured"}[one.state]
    if one.state == "kept" and not one.pairs:
        return "kept: nothing was recorded again"
    told = "" if one.block or one.state != "exceeded" else ", told only"
    return f"{state}{told} ({count(one.pairs, 'pair', 'pairs')})"


def overrun(one: Spent) -> list[tuple[str, str]]:
    """What exceeds a budget: `RET-01@A1` and `1,200 → 1,500, +300 tokens (+25 %)`."""
    return [
        (key or "the mean", f"{pair(one.measure, base, head)}, {increase(one.measure, base, head)}")
        for key, base, head in one.exceeded
    ]


def count(number_of: int, one: str, many: str) -> str:
    """`1 task fails`, `3 tasks fail`."""
    return f"{number_of:,} {one if number_of == 1 else many}"


def _singular(unit: str) -> str:
    return unit.removesuffix("s")


def _decimals(value: Fraction, places: int) -> str:
    """A number with thousands separated, rounded half to even, without zeros at its end."""
    scaled = round(value * 10**places)
    whole, rest = divmod(scaled, 10**places)
    shown = f"{rest:0{places}}".rstrip("0")
    return f"{whole:,}.{shown}" if shown else f"{whole:,}"


def _significant(value: Fraction, digits: int = 3) -> str:
    """A number below 1 to so many digits that are not leading zeros, any other to hundredths."""
    places = 2
    while 0 < value < 1 and round(value * 10**places) < 10 ** (digits - 1) and places < 12:
        places += 1
    return _decimals(value, places)


def _signed_percent(value: Fraction) -> str:
    if abs(value) < Fraction(1, 20):
        return "under 0.1 %"
    return f"{'+' if value > 0 else MINUS}{_percent(abs(value))}"


def _percent(value: Fraction) -> str:
    """`8 %`, `0.4 %`, `99.6 %`: a tenth where a whole percent would hide it."""
    if 0 < value < 1 or 99 < value < 100:
        return f"{_decimals(min(max(value, Fraction(1, 10)), Fraction(999, 10)), 1)} %"
    return f"{_decimals(value, 0)} %"
