"""Pairs of several weeks."""

from __future__ import annotations

from tapegate.grade.audit.counted import Counted
from tapegate.model.audit import Pair

MINE, SAID = {"accuracy_score": 2, "faithfulness_score": 1}, {"accuracy_score": 1, "faithfulness_score": None}


def test_an_answer_counts_once() -> None:
    """The same answer of the same trial again is no second pair; another answer, trial or task is."""
    counted = Counted()
    for key, trial, answer in (
        ("A@A1", 1, "a"),
        ("A@A1", 1, "a"),
        ("A@A1", 2, "a"),
        ("A@A1", 1, "b"),
        ("B@A1", 1, "a"),
    ):
        counted.enter(key, trial, answer, MINE, SAID)
    assert counted.pairs == {"accuracy_score": [Pair(2, 1)] * 4, "faithfulness_score": []}


def test_the_latest_week_counts() -> None:
    """What is entered first is kept, however a later one scored it."""
    counted = Counted()
    counted.enter("A@A1", 1, "a", MINE, SAID)
    counted.enter("A@A1", 1, "a", MINE, {**SAID, "accuracy_score": 0})
    assert counted.pairs["accuracy_score"] == [Pair(2, 1)]


def test_an_answer_without_a_name_may_be_any() -> None:
    """A record of an earlier version names no answer: it counts where nothing else of its trial does."""
    counted = Counted()
    counted.enter("A@A1", 1, "a", MINE, SAID)
    counted.enter("A@A1", 1, None, MINE, SAID)
    counted.enter("A@A1", 2, None, MINE, SAID)
    counted.enter("A@A1", 2, None, MINE, SAID)
    counted.enter("A@A1", 2, "a", MINE, SAID)
    assert len(counted.pairs["accuracy_score"]) == 2
