"""Replacing pieces of a body that arrived in chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tapegate.tape.secrets.edits import Edit, apply, resize


@st.composite
def _edited(draw: st.DrawFn) -> tuple[bytes, list[int], list[Edit]]:
    pieces = draw(st.lists(st.tuples(st.binary(max_size=8), st.none() | st.binary(max_size=8)), max_size=6))
    edits, at = [], 0
    for old, new in pieces:
        if new is not None and old:
            edits.append(Edit(at, at + len(old), new))
        at += len(old)
    cuts = sorted(draw(st.lists(st.integers(0, at), max_size=5)))
    sizes = [end - start for start, end in zip([0, *cuts], [*cuts, at], strict=True)]
    return b"".join(old for old, _ in pieces), sizes, edits


@given(_edited())
def test_sizes_follow_the_text(edited: tuple[bytes, list[int], list[Edit]]) -> None:
    """After any edits the sizes add up to the new text, none is negative, and none is lost."""
    text, sizes, edits = edited
    resized = resize(sizes, edits)
    assert sum(resized) == len(apply(text, edits))
    assert len(resized) == len(sizes)
    assert all(size >= 0 for size in resized)


def test_boundaries_stay_where_they_were() -> None:
    """A boundary before a replaced piece stays, one after it moves along, one inside stays as far inside."""
    text, edits = b"aaSECRETbb", [Edit(2, 8, b"XYZ")]
    assert apply(text, edits) == b"aaXYZbb"
    assert resize([2, 6, 2], edits) == [2, 3, 2]
    assert resize([1, 3, 6], edits) == [1, 3, 3]
    assert resize([7, 3], edits) == [5, 2]


def test_no_edits_change_nothing() -> None:
    """Without edits text and sizes stay."""
    assert (apply(b"abc", []), resize([1, 2], [])) == (b"abc", [1, 2])
