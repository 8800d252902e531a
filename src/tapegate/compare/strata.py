"""What the pairs of each stratum say together. Strata are never mixed (DESIGN §6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from tapegate.compare.measures import MEASURES, delta
from tapegate.compare.pairing import Pair
from tapegate.compare.stats import (
    LOW_N,
    bootstrap_interval,
    mcnemar_exact,
    mean,
    nearest_rank,
    sign_flip_test,
    wilson_interval,
)
from tapegate.model.diff import JUDGED, MeasureStatistic, Rate, Stratum, StratumStatistics, VerdictStatistic
from tapegate.model.finding import Verdict
from tapegate.model.run import Run


def rate(run: Run) -> Rate | None:
    """The pass rate of a whole run, tasks that could not be judged in its denominator; None for a run without tasks."""
    if not run.tasks:
        return None
    passed, total = run.count(Verdict.PASS), len(run.tasks)
    low, high = wilson_interval(passed, total)
    return Rate(passed, total, low, high)


def statistics(pairs: Iterable[Pair]) -> tuple[StratumStatistics, ...]:
    """One for each stratum that has a pair, in the order of `Stratum`."""
    both = [pair for pair in pairs if pair.base is not None and pair.head is not None]
    found = []
    for stratum in Stratum:
        inside = [pair for pair in both if pair.stratum is stratum]
        if not inside:
            continue
        if stratum is Stratum.CONTRACT_CHANGED:
            found.append(StratumStatistics(stratum, len(inside), None, (), ()))
            continue
        # What is read from the same bytes is the same, and says nothing.
        names = [name for name in MEASURES if stratum is Stratum.RE_RECORDED or not MEASURES[name].recorded]
        told = [(name, _measure(name, inside)) for name in names]
        measures = tuple(one for _, one in told if isinstance(one, MeasureStatistic))
        missing = tuple((name, one) for name, one in told if isinstance(one, str))
        found.append(StratumStatistics(stratum, len(inside), _verdicts(inside), measures, missing))
    return tuple(found)


def increases(name: str, pairs: Iterable[Pair]) -> tuple[dict[str, tuple[Fraction, Fraction]], list[str]]:
    """One measure of every pair that has it on both sides, the mean of its trials, as (base, head) by key; and the
    reasons why others have it not."""
    found: dict[str, tuple[Fraction, Fraction]] = {}
    reasons = []
    for pair in pairs:
        deltas = [delta(name, base, head) for base, head in pair.trials()]
        sides = [(one.base, one.head) for one in deltas if one.increase is not None]
        befores = [base for base, _ in sides if base is not None]
        afters = [head for _, head in sides if head is not None]
        if befores:
            found[pair.key] = (sum(befores, Fraction()) / len(befores), sum(afters, Fraction()) / len(afters))
        reasons += [one.not_measured for one in deltas if one.not_measured]
    return found, reasons


def _verdicts(pairs: Sequence[Pair]) -> VerdictStatistic:
    turns = [(pair.base.verdict, pair.head.verdict) for pair in pairs if pair.base and pair.head]
    judged = [turn for turn in turns if JUDGED.issuperset(turn)]
    broken = judged.count((Verdict.PASS, Verdict.FAIL))
    fixed = judged.count((Verdict.FAIL, Verdict.PASS))
    test = mcnemar_exact(fixed, broken)
    return VerdictStatistic(
        pairs=len(judged),
        fixed=fixed,
        broken=broken,
        p_two_sided=float(test.p_two_sided),
        p_regression=float(test.p_regression),
        low_n=len(judged) < LOW_N,
        method=test.method,
    )


def _measure(name: str, pairs: Sequence[Pair]) -> MeasureStatistic | str | None:
    """The statistic; the reason why no pair has the measure; or None where it was on neither side of any."""
    found, reasons = increases(name, pairs)
    if not found:
        said = Counter(reason for reason in reasons if not reason.endswith("in base and head"))
        return max(said, key=lambda reason: (said[reason], reason)) if said else None
    worse = MEASURES[name].worse
    unit = lcm(*(value.denominator for sides in found.values() for value in sides))
    befores, afters = ([int(sides[place] * unit) for sides in found.values()] for place in (0, 1))
    diffs = [after - before for before, after in zip(befores, afters, strict=True)]
    interval, test = bootstrap_interval(diffs, worse), sign_flip_test(diffs, worse)

    def shown(value: Fraction | int) -> float:
        return float(Fraction(value) / unit)

    return MeasureStatistic(
        measure=name,
        pairs=len(diffs),
        base_mean=shown(mean(befores)),
        head_mean=shown(mean(afters)),
        difference=shown(mean(diffs)),
        low=shown(interval.low),
        high=shown(interval.high),
        p_two_sided=float(test.p_two_sided),
        p_regression=float(test.p_regression),
        worse=worse,
        low_n=len(diffs) < LOW_N,
        interval_method=interval.method,
        test_method=test.method,
        base_p50=shown(nearest_rank(befores, 50)),
        head_p50=shown(nearest_rank(afters, 50)),
        base_p95=shown(nearest_rank(befores, 95)),
        head_p95=shown(nearest_rank(afters, 95)),
    )
