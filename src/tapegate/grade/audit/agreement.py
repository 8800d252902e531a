"""How far the judge agrees with the deterministic graders: the table always, Cohen's kappa from 30 pairs on."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tapegate.grade.rubric.shown import root, shown
from tapegate.model.audit import Agreement, Axis, Pair

SCORES = (0, 1, 2)
LEAST_PAIRS = 30
"""Fewer say too little for a kappa."""
Z = Fraction("1.959963984540054")
"""The 97.5 % point of the normal distribution."""


def agreement(axis: Axis, pairs: Sequence[Pair]) -> Agreement:
    """The agreement of labelled pairs on one axis."""
    table = tuple(tuple(sum(pair == Pair(mine, theirs) for pair in pairs) for theirs in SCORES) for mine in SCORES)
    agreed = sum(table[score][score] for score in SCORES)
    found = kappa(table) if len(pairs) >= LEAST_PAIRS else None
    return Agreement(axis, len(pairs), table, agreed, *(found if found is not None else (None, None)))


def kappa(table: Sequence[Sequence[int]]) -> tuple[Fraction, tuple[Fraction, Fraction]] | None:
    """Cohen's kappa, unweighted, and its 95 % interval; None where chance alone would always agree.

    The interval is kappa ± z · standard error, with the large-sample error of Fleiss, Cohen and Everitt (1969), kept
    within [-1, 1] and rounded outward at four decimals. All but the root of the variance is exact.
    """
    n = sum(map(sum, table))
    rows = [Fraction(sum(row), n) for row in table]
    columns = [Fraction(sum(column), n) for column in zip(*table, strict=True)]
    observed = Fraction(sum(table[i][i] for i in range(len(table))), n)
    chance = sum((row * column for row, column in zip(rows, columns, strict=True)), Fraction(0))
    if chance == 1:
        return None
    value = (observed - chance) / (1 - chance)
    on, off = Fraction(0), Fraction(0)
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            share = Fraction(count, n)
            if i == j:
                on += share * (1 - (rows[i] + columns[i]) * (1 - value)) ** 2
            else:
                off += share * (columns[i] + rows[j]) ** 2
    variance = (on + (1 - value) ** 2 * off - (value - chance * (1 - value)) ** 2) / (n * (1 - chance) ** 2)
    half = Z * Fraction(root(max(variance, Fraction(0)), places=8))
    low = max(Fraction(-1), Fraction(shown(value - half, "down")))
    high = min(Fraction(1), Fraction(shown(value + half, "up")))
    return value, (low, high)
