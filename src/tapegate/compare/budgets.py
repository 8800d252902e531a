"""Budgets that a profile declares, held against the pairs that they apply to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from tapegate.compare.measures import CUT_SHORT, MEASURES
from tapegate.compare.pairing import Pair
from tapegate.compare.strata import increases
from tapegate.model.budget import Budget
from tapegate.model.diff import Spent, Stratum

Sides = Mapping[str, tuple[Fraction, Fraction]]


def spent(budgets: Sequence[Budget], pairs: Iterable[Pair]) -> tuple[Spent, ...]:
    """Every budget, and whether head kept it.

    Tokens, cost and latency are held where the recordings differ: elsewhere both sides have the same. What the code
    itself does (calls) is held where the recordings are the same, too. A task whose contract changed is never held.
    """
    both = [pair for pair in pairs if pair.base is not None and pair.head is not None]
    return tuple(_spent(budget, both) for budget in budgets)


def _spent(budget: Budget, pairs: Sequence[Pair]) -> Spent:
    strata = {Stratum.RE_RECORDED}
    if not MEASURES[budget.measure].recorded:
        strata.add(Stratum.SAME_RECORDINGS)
    inside = [pair for pair in pairs if pair.stratum in strata]
    found, _ = increases(budget.measure, inside)
    over = _over(budget, found)
    state: Literal["kept", "exceeded", "not_measured"] = "exceeded" if over else "kept"
    if not found and (inside or not _idle(pairs)):
        state = "not_measured"
    return Spent(budget.measure, budget.over, limit(budget), state, budget.block, len(found), over)


def _idle(pairs: Sequence[Pair]) -> bool:
    """Whether both sides spent the same for certain: there are pairs, and each that is comparable replayed the same
    bytes to its end."""
    comparable = [pair for pair in pairs if pair.stratum is not Stratum.CONTRACT_CHANGED]
    whole = [pair for pair in comparable if not CUT_SHORT & {side.verdict for side in (pair.base, pair.head) if side}]
    return bool(comparable) and len(whole) == len(comparable)


def _over(budget: Budget, found: Sides) -> tuple[tuple[str, Fraction, Fraction], ...]:
    if budget.over == "mean":
        if not found:
            return ()
        base = sum((before for before, _ in found.values()), Fraction()) / len(found)
        head = sum((after for _, after in found.values()), Fraction()) / len(found)
        return (("", base, head),) if exceeds(budget, base, head) else ()
    over = [(key, base, head) for key, (base, head) in found.items() if exceeds(budget, base, head)]
    return tuple(sorted(over, key=lambda each: (each[1] - each[2], each[0])))


def exceeds(budget: Budget, base: Fraction, head: Fraction) -> bool:
    """Whether an increase from `base` to `head` is beyond the budget; exactly at a limit is within it."""
    increase = head - base
    if increase <= 0:
        return False
    beyond = []
    if budget.increase is not None:
        beyond.append(increase > _exact(budget.increase))
    if budget.increase_percent is not None:
        # Multiplied out, so that any increase from 0 is beyond any percentage.
        beyond.append(100 * increase > _exact(budget.increase_percent) * base)
    return any(beyond) if budget.exceeded == "any" else bool(beyond) and all(beyond)


def limit(budget: Budget) -> str:
    """The budget in words: `at most +500 tokens or +10 % for each task`."""
    measure, parts = MEASURES[budget.measure], []
    if budget.increase is not None:
        parts.append(f"+{_plain(budget.increase)} {measure.unit}")
    if budget.increase_percent is not None:
        parts.append(f"+{_plain(budget.increase_percent)} %")
    both = " and " if budget.exceeded == "any" else " or "
    whom = "for each task" if budget.over == "each_task" else "on average"
    return f"{measure.title}: at most {both.join(parts)} {whom}"


def _exact(value: float) -> Fraction:
    # A limit is what its author wrote: 0.1 is a tenth, not the nearest binary number.
    return Fraction(repr(value))


def _plain(value: float) -> str:
    return f"{value:,.10g}"
