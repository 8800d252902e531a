"""Answers, aligned by words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.compare.answer import align_answers

TEXT = st.text(alphabet="ab. \n3é", max_size=60)
OPEN = {"same": "", "removed": "[-", "added": "{+"}
CLOSE = {"same": "", "removed": "-]", "added": "+}"}


@pytest.mark.parametrize(
    ("base", "head", "shown"),
    [
        ("It is 3.6 degrees cooler.", "It is 3.7 degrees cooler.", "It is [-3.6-]{+3.7+} degrees cooler."),
        ("See /paper/p-moss-02.", "See /paper/p-moss-03.", "See [-/paper/p-moss-02-]{+/paper/p-moss-03+}."),
        ("one two three", "one 2 3 three", "one [-two-]{+2 3+} three"),
        ("a b c d", "a x y d", "a [-b c-]{+x y+} d"),
        ("same", "same", "same"),
        ("", "new", "{+new+}"),
        ("a\nb", "a b", "a[-\n-]{+ +}b"),
    ],
)
def test_words_that_changed_are_marked(base: str, head: str, shown: str) -> None:
    """Numbers and links change as a whole; a rewritten stretch is one change with its white space."""
    assert "".join(f"{OPEN[e.op]}{e.text}{CLOSE[e.op]}" for e in align_answers(base, head)) == shown


@given(TEXT, TEXT)
@settings(max_examples=80)
def test_both_texts_can_be_read_off(base: str, head: str) -> None:
    """To the last character, and no two neighbours are of one kind."""
    edits = align_answers(base, head)
    assert "".join(edit.text for edit in edits if edit.op != "added") == base
    assert "".join(edit.text for edit in edits if edit.op != "removed") == head
    assert all(one.op != other.op for one, other in pairwise(edits))
