"""Alignment: as much as possible stays, whichever side is the base."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.compare import align as module
from tapegate.compare.align import align
from tapegate.model.diff import Edit

MARKS = {"same": " ", "removed": "-", "added": "+"}
SHORT = st.lists(st.sampled_from("abc"), max_size=7)
LONG = st.lists(st.sampled_from("abcdef"), max_size=200)


def marks(edits: tuple[Edit, ...]) -> str:
    """`a -b +c`."""
    return " ".join(f"{MARKS[edit.op]}{edit.text}".strip() for edit in edits)


@pytest.mark.parametrize(
    ("base", "head", "shown"),
    [
        ("", "", ""),
        ("search read", "search read", "search read"),
        ("search read", "search search read", "search +search read"),
        ("search read", "search web read", "search +web read"),
        ("search web read", "search read", "search -web read"),
        ("search read", "web read", "-search +web read"),
        ("a b", "b a", "+b a -b"),
        ("a x y b", "a p q b", "a -x -y +p +q b"),
        ("", "a", "+a"),
    ],
)
def test_one_change_reads_as_one_change(base: str, head: str, shown: str) -> None:
    """An inserted call is one insertion; what was replaced stands before what replaces it."""
    assert marks(align(base.split(), head.split())) == shown


@given(LONG, LONG)
@settings(max_examples=60)
def test_both_sequences_can_be_read_off(base: list[str], head: list[str]) -> None:
    """Nothing is lost, added or moved."""
    edits = align(base, head)
    assert [edit.text for edit in edits if edit.op != "added"] == base
    assert [edit.text for edit in edits if edit.op != "removed"] == head


@given(SHORT, SHORT)
def test_no_alignment_keeps_more(base: list[str], head: list[str]) -> None:
    """As many items stay as the longest common subsequence has, found by trying all of them."""
    kept = sum(edit.op == "same" for edit in align(base, head))
    common = (
        size
        for size in range(min(len(base), len(head)), -1, -1)
        if {*combinations(base, size)} & {*combinations(head, size)}
    )
    assert kept == next(common)


@given(LONG, LONG)
@settings(max_examples=60)
def test_swapping_the_sides_mirrors_it(base: list[str], head: list[str]) -> None:
    """What was removed is added and the other way round, item for item."""
    turned = {"same": "same", "removed": "added", "added": "removed"}
    there = [Edit(turned[edit.op], edit.text) for edit in align(head, base)]
    here = list(align(base, head))
    assert [edit for edit in here if edit.op != "added"] == [edit for edit in there if edit.op != "added"]
    assert [edit for edit in here if edit.op != "removed"] == [edit for edit in there if edit.op != "removed"]


def test_what_is_too_long_to_align_is_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the work bound the common start and end stay, and the middle is told as replaced."""
    monkeypatch.setattr(module, "WORK", 3)
    assert marks(align([*"saxbe"], [*"sbxae"])) == "s -a -x -b +b +x +a e"
