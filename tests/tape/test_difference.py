"""Differences, shown to a person."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.tape.difference import MOST_COMPARED, MOST_LINES, MOST_WIDTH, changes, text_diff

WORDS = st.text(alphabet="ab ", max_size=3 * MOST_WIDTH)


def test_a_change_at_the_end_of_a_long_value_is_shown() -> None:
    """Both sides are cut around their first difference."""
    (change,) = changes({"content": "winter " * 60 + "38 metres"}, {"content": "winter " * 60 + "39 metres"})
    recorded, asked = str(change).split(": recorded ")[1].split(", now ")
    assert recorded.endswith('38 metres"')
    assert asked.endswith('39 metres"')
    assert recorded.startswith("…")


@given(WORDS, WORDS)
def test_two_sides_that_differ_never_look_the_same(recorded: str, asked: str) -> None:
    """Whatever is cut away, what is shown of them differs."""
    for change in changes(recorded, asked):
        old, new = str(change).split(": recorded ")[1].split(", now ")
        assert old != new


@given(WORDS, WORDS)
def test_no_line_of_a_diff_is_taken_away_and_added(recorded: str, asked: str) -> None:
    """A line that was changed is cut around what changed in it."""
    before, after = f"same\n{recorded}|\nend", f"same\n{asked}|\nend"
    lines = text_diff(before, after)
    assert bool(lines) == (recorded != asked)
    gone = [line[5:] for line in lines if line.startswith("    -")]
    come = [line[5:] for line in lines if line.startswith("    +")]
    assert not set(gone) & set(come)


def test_a_diff_names_its_line_and_what_it_leaves_out() -> None:
    """One line around each change stands with it; beyond the most lines the rest is counted."""
    assert text_diff("a\nb\nc\nd", "a\nb\nx\nd") == ["  line 2:", "     b", "    -c", "    +x", "     d"]
    many = text_diff("\n".join("old" for _ in range(40)), "\n".join("new" for _ in range(40)))
    assert many[-1] == f"    … {81 - MOST_LINES} more lines differ"


def test_long_texts_are_compared_from_their_first_difference_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is bounded, whatever a tool returned: an agent waits for the answer. Lines keep their numbers."""
    compared: list[int] = []
    matcher = difflib.SequenceMatcher

    def counting(junk: None, mine: list[str], theirs: list[str], **more: bool) -> object:
        compared.append(max(len(mine), len(theirs)))
        return matcher(junk, mine, theirs, **more)

    monkeypatch.setattr(difflib, "SequenceMatcher", counting)
    same = [f"line {number}" for number in range(4_000)]
    lines = text_diff("\n".join([*same, "old", *same]), "\n".join([*same, "new", *same]))
    assert lines == ["  line 4000:", "     line 3999", "    -old", "    +new", "     line 0"]
    rest = text_diff("\n".join([*same, *["old"] * 9_000]), "\n".join([*same, *["new"] * 9_000]))
    assert rest[-1].endswith("more lines differ in the first 1,000")
    assert text_diff("\n".join(same), "\n".join(same[:-1]))
    assert max(compared) == MOST_COMPARED
