"""Words of a question."""

from __future__ import annotations

import pytest

from paperdesk.scripted_model.words import clauses, coverage, key_words, sentences, stem, stems


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ferry", "ferries"), ("turbine", "turbines"), ("shelter", "shelters"), ("cool", "cooler"), ("dock", "docking"),
        ("close", "closed"), ("carry", "carried"), ("fence", "fences"), ("steep", "steepest"), ("moss", "moss"),
    ],
)  # fmt: skip
def test_stem(one: str, other: str) -> None:
    """Forms of a word have the same stem."""
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("moth", "moss"), ("peat", "pear"), ("kelp", "help"), ("ring", "rope")])
def test_stem_keeps_apart(one: str, other: str) -> None:
    """Different words have different stems."""
    assert stem(one) != stem(other)


def test_key_words() -> None:
    """Question words and small talk are left out, the rest stays in order, each once."""
    assert key_words("According to my papers, how wide is Halite-9, and how wide is the Brick?") == (
        "wide",
        "halite",
        "brick",
    )


def test_coverage() -> None:
    """Coverage is the part of the key words that a text holds."""
    assert coverage("How wide is the brick?", "Bricks are wide.") == 1
    assert coverage("How wide is the brick?", "The wall is wide.") == 0.5
    assert coverage("What is it?", "Anything.") == 0


def test_clauses() -> None:
    """A question with two questions in it is two; an enumeration is one."""
    assert clauses("How deep is the well, and what does it cost?") == ("How deep is the well", "what does it cost")
    assert clauses("Which bricks and tiles are red?") == ("Which bricks and tiles are red",)
    assert clauses("Why?") == ("Why?",)


def test_sentences() -> None:
    """Numbers do not end a sentence."""
    assert sentences("It is 2.5 m. Then more.") == ("It is 2.5 m.", "Then more.")


def test_stems() -> None:
    """Every word counts, small ones too."""
    assert stems("Two bricks") == {"two", "brick"}
