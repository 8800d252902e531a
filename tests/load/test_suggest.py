"""Suggestions: the nearest of the known words, and what is known."""

from __future__ import annotations

import pytest

from tapegate.load.suggest import did_you_mean, nearest

KNOWN = ["tool_trace", "citation_contract", "output_hygiene"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("tool_trase", "tool_trace"),
        ("TOOL_TRACE", "tool_trace"),
        ("citations_contract", "citation_contract"),
        ("zzz", None),
        ("", None),
        (3, None),
        (None, None),
        (["tool_trace"], None),
        ("t" * 10_000, None),
    ],
)
def test_the_nearest_word_is_found_or_none(word: object, found: str | None) -> None:
    """Case is ignored; what is no text, or much too long, is near to nothing."""
    assert nearest(word, KNOWN) == found


def test_the_known_words_are_listed_in_order() -> None:
    """The sentence names the nearest and all of them, each once."""
    assert did_you_mean("tool_trase", [*KNOWN, "tool_trace"]) == (
        "did you mean 'tool_trace'? (known: citation_contract, output_hygiene, tool_trace)"
    )
    assert did_you_mean("zzz", KNOWN) == "known: citation_contract, output_hygiene, tool_trace"
    assert did_you_mean("zzz", []) == "known: none"


def test_a_long_list_is_cut_and_says_so() -> None:
    """Ten thousand task ids do not fill a screen."""
    said = did_you_mean("zzz", [f"RET-{n:05d}" for n in range(10_000)])
    assert said.endswith("RET-00039 and 9960 more")


def test_words_that_cannot_be_printed_are_quoted() -> None:
    """A key with a line break in it cannot start a line of a log."""
    assert did_you_mean("zzz", ["a\n::error::"]) == "known: 'a\\n::error::'"
