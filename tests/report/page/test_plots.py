"""Plots."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tapegate.report.page.plots import bars, strip, told


def values(*numbers: int) -> list[Fraction]:
    """Numbers as measures have them."""
    return [Fraction(number) for number in numbers]


def test_every_task_is_a_dot() -> None:
    """On a scale from 0 to a round number, with median and 95th percentile by nearest rank."""
    plot = strip("total_tokens", [("base", values(100, 200, 400)), ("head", values(390))])
    assert plot.count('class="dots base"') == plot.count('class="dots head"') == 1
    assert "M195.0 20h0M338.0 20h0M624.0 20h0" in plot
    assert ">400</text>" in plot
    assert 'aria-label="base: median 200, p95 400; head: median 390, p95 390"' in plot


@pytest.mark.parametrize(
    ("measure", "numbers", "shown"),
    [
        ("total_tokens", [1234], "run: median 1,234, p95 1,234"),
        ("latency_e2e_ms", [900, 1500], "run: median 900 ms, p95 1.5 s"),
        ("cost_usd", [0, 2], "run: median $0, p95 $2"),
    ],
)
def test_a_row_is_told_in_words(measure: str, numbers: list[int], shown: str) -> None:
    """For those who do not see the dots."""
    assert told(measure, "run", values(*numbers)) == shown


def test_nothing_but_zeros_is_drawn() -> None:
    """A scale has a width even where every value is 0."""
    assert "M52.0 20h0" in strip("total_tokens", [("run", values(0, 0))])


def test_history_is_a_bar_a_run() -> None:
    """Each with its name and count; a run that passed nothing is still seen."""
    plot = bars([("<old>", 0, 4), ("new", 4, 4)])
    assert 'height="1"' in plot
    assert 'height="60"' in plot
    assert "&lt;old&gt;: 0 of 4" in plot
