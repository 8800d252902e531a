"""Vectors without a model."""

from __future__ import annotations

import math

import pytest

from paperdesk.rag.embedder import DIMENSIONS, embedded, likeness


def test_alike_as_far_as_words_are_shared() -> None:
    """The same words in any order are the same; more shared words are more alike; none shared is far off."""
    moss = embedded("Moss walls cool bus shelters")
    assert embedded("bus shelters: cool moss walls") == moss
    assert likeness(moss, moss) == 1
    assert likeness(moss, embedded("moss on walls")) > likeness(moss, embedded("ferry noise in walls")) > 0.05
    assert len(moss) == DIMENSIONS
    assert math.isclose(sum(part * part for part in moss), 1)


@pytest.mark.parametrize("nothing", ["", "the of and", "!?"])
def test_no_words(nothing: str) -> None:
    """A text without words is like nothing, itself included."""
    assert embedded(nothing) == [0.0] * DIMENSIONS
    assert likeness(embedded(nothing), embedded("moss")) == 0
