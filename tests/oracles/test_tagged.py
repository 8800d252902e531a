"""What a text holds between hidden tags."""

from __future__ import annotations

import pytest

from tapegate.oracles.tagged import hidden_pieces


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("a<think>b</think>c", ("b",), "ac"),
        ("a<think>b<think>c</think>d</think>e", ("b", "c", "d"), "ae"),
        ("a<THINK x='1'>b</Think >c", ("b",), "ac"),
        ("a<think>b", ("b",), "a"),
        ("a<think", (), "a"),
        ("a<think b", (), "a"),
        ("a<think/>b", (), "ab"),
        ("a</think>b", (), "ab"),
        ("a<thinker>b</thinker>c", (), "a<thinker>b</thinker>c"),
        ("a<think>b<private>c</think>d</private>e", ("b", "c", "d"), "ae"),
        ("a<think <private>b</private>c", ("b", "c"), "a"),
    ],
)
def test_tags_nest_and_hide_to_the_end_where_they_stay_open(text, inside, outside):
    """In any case, with attributes, self-closed, closed too often, broken off."""
    found = hidden_pieces(text, ["think", "private"])
    assert (found.inside, found.outside) == (inside, outside)


@pytest.mark.parametrize(
    ("text", "shown", "seen"),
    [
        ("<think>the user wants a number</think>Fine.", "Fine.", False),
        ("<think>the user wants a number</think>Fine.", "er wants a", True),
        ("<think>the user wants a number</think>Fine.", "the use", False),
        ("<think>K-17</think>Fine.", "Ask k-17.", True),
        ("<think>ok</think>Fine.", "ok", False),
        ("<think>Moss cools the shelter</think>Moss cools the shelter.", "Moss cools the shelter.", False),
    ],
)
def test_hidden_text_is_found_in_runs(text, shown, seen):
    """Eight characters in a row, or a short part as a whole; what also stands outside may be seen."""
    assert (hidden_pieces(text, ["think"]).seen_in(shown) is not None) is seen
