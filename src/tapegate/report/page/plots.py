"""Plots as SVG: every task a dot, base above head, with median and 95th percentile."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from tapegate.compare.stats import nearest_rank
from tapegate.report import change_words as say

WIDTH, LEFT, RIGHT = 640, 52, 16
ROW = 34
TICKS = 4


def strip(measure: str, rows: Sequence[tuple[str, Sequence[Fraction]]]) -> str:
    """A strip plot of one measure: a row of dots for each side, none of them without values."""
    top = _nice(max(max(values) for _, values in rows))
    height = ROW * len(rows) + 30
    parts = [_axis(measure, top, height)]
    for number, (name, values) in enumerate(rows):
        y = 20 + ROW * number
        middle, tail = (_percentile(values, percent) for percent in (50, 95))
        dots = "".join(f"M{_x(value, top)} {y}h0" for value in sorted(values))
        parts.append(
            f'<text x="0" y="{y + 4}" class="row">{escape(name)}</text><path class="dots {escape(name)}" d="{dots}"/>'
        )
        if _x(middle, top) == _x(tail, top):
            parts.append(_mark(_x(middle, top), y, "p50 p95"))
        else:
            parts += [_mark(_x(middle, top), y, "p50"), _mark(_x(tail, top), y, "p95")]
    label = "; ".join(told(measure, name, values) for name, values in rows)
    return _svg(height, escape(label), parts)


def told(measure: str, name: str, values: Sequence[Fraction]) -> str:
    """One row in words: `base: median 2,543, p95 4,430`."""
    middle, tail = (_tick(measure, _percentile(values, percent)) for percent in (50, 95))
    return f"{name}: median {middle}, p95 {tail}"


def bars(rates: Sequence[tuple[str, int, int]]) -> str:
    """A bar a run: what share of its tasks passed."""
    step = min(40, (WIDTH - LEFT - RIGHT) // max(len(rates), 1))
    parts, said = [], []
    for number, (name, passed, total) in enumerate(rates):
        height = max(60 * passed // total if total else 0, 1)
        x = LEFT + step * number
        parts.append(
            f'<rect x="{x}" y="{70 - height}" width="{max(step - 4, 2)}" height="{height}" class="bar">'
            f"<title>{escape(name)}: {passed} of {total}</title></rect>"
        )
        said.append(f"{name}: {passed} of {total}")
    label = escape("; ".join(said))
    base = f'<path class="axis" d="M{LEFT} 70h{WIDTH - LEFT - RIGHT}"/><text x="0" y="14" class="row">100 %</text>'
    return _svg(80, label, [base, *parts])


def _svg(height: int, label: str, parts: Sequence[str]) -> str:
    shown = f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}"'
    return f"<svg {shown}><title>{label}</title>{''.join(parts)}</svg>"


def _axis(measure: str, top: Fraction, height: int) -> str:
    y = height - 22
    parts = [f'<path class="axis" d="M{LEFT} {y}h{WIDTH - LEFT - RIGHT}"/>']
    for number in range(TICKS + 1):
        value = top * number / TICKS
        x = _x(value, top)
        anchor = "end" if number == TICKS else "middle"
        parts.append(
            f'<path class="axis" d="M{x} {y}v4"/>'
            f'<text x="{x}" y="{y + 17}" text-anchor="{anchor}" class="tick">{escape(_tick(measure, value))}</text>'
        )
    return "".join(parts)


def _tick(measure: str, value: Fraction) -> str:
    return say.pair(measure, value, value).split(" → ")[0]


def _mark(x: str, y: int, name: str) -> str:
    label = f'<text x="{x}" y="{y - 11}" text-anchor="middle" class="tick">{name}</text>'
    return f'<path class="mark {name}" d="M{x} {y - 9}v18"/>{label}'


def _x(value: Fraction, top: Fraction) -> str:
    tenths = round(10 * value * (WIDTH - LEFT - RIGHT) / top) if top else 0
    return f"{LEFT + tenths // 10}.{tenths % 10}"


def _nice(largest: Fraction) -> Fraction:
    """The least of 1, 2, 4, 5, 8 times a power of ten that is no smaller."""
    if largest <= 0:
        return Fraction(1)
    power = Fraction(1)
    while power * 10 <= largest:
        power *= 10
    while power > largest:
        power /= 10
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= largest)


def _percentile(values: Sequence[Fraction], percent: int) -> Fraction:
    ordered = sorted(values)
    return ordered[nearest_rank(range(len(ordered)), percent)]
