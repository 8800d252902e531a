"""Documents: finding values by pattern, and places for what is there and what is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.load.document import Document

Read = Callable[..., Document]
TEXT = "a:\n  x: {n: 1}\n  y: {n: two}\n  z: 3\nb: [[1], {n: 4}]\n"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (("a", "*", "n"), [(("a", "x", "n"), 1), (("a", "y", "n"), "two")]),
        (("b", "*", "n"), [(("b", 1, "n"), 4)]),
        (("b", "*", "*"), [(("b", 0, 0), 1), (("b", 1, "n"), 4)]),
        (("a", "z", "*"), []),
        (("a", "z", "n"), []),
        (("c",), []),
        (("b", "0"), []),
    ],
)
def test_each_finds_what_matches_and_passes_over_the_rest(
    pattern: tuple[str, ...], found: list[tuple[tuple[str | int, ...], object]], read: Read
) -> None:
    """A star stands for any key or index; values that are nested otherwise are no error."""
    assert list(read(TEXT).each(*pattern)) == found


def test_text_is_the_text_at_a_path_or_nothing(read: Read) -> None:
    """Numbers, lists and missing keys are no text."""
    document = read(TEXT)
    assert document.text("a", "y", "n") == "two"
    assert [document.text(*path) for path in (("a", "x", "n"), ("a",), ("b", "0"), ("nowhere", "n"))] == [None] * 4


def test_a_place_that_is_not_there_is_its_nearest_ancestors(read: Read) -> None:
    """A problem about something missing points at what should hold it."""
    document = read(TEXT)
    assert document.place(("a", "y", "nowhere", 0)) == document.place(("a", "y")) == (3, 6)
    assert document.key_place(("a", "y")) == (3, 3)
    assert document.key_place(("b", 0)) == document.place(("b", 0)) == (5, 5)
    assert read("").place(("a",)) == (1, 1)
