"""Lower and upper bounds of a count."""

from __future__ import annotations

import pytest

from tapegate.model.part import Bounds
from tapegate.oracles.bounds import contradiction, demands, said, within


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        (Bounds(min=1), "at least 1"),
        (Bounds(max=3), "at most 3"),
        (Bounds(min=2, max=2), "2"),
        (Bounds(min=1, max=3), "1 to 3"),
        (Bounds(max=0), "0"),
    ],
)
def test_bounds_are_said_in_words(bounds, text):
    """As a person says them."""
    assert said(bounds) == text


def test_both_ends_are_within():
    """And what excludes itself is told."""
    assert within(Bounds(min=1, max=3), 1)
    assert within(Bounds(min=1, max=3), 3)
    assert not within(Bounds(max=3), 4)
    assert not demands(Bounds())
    assert not demands(None)
    assert contradiction(Bounds(min=2, max=1)) == "no number is at least 2 and at most 1"
