"""Whether an answer says something, however it spells it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.oracles.wording import normal, says


@pytest.mark.parametrize(
    ("answer", "wording"),
    [
        ("It uses Retrieval Augmented Generation.", "retrieval-augmented generation"),
        ("a **local-first** design", "local first"),
        ("a `local first`\ndesign", "local-first design"),
        ("the naïve café", "NAIVE CAFE"),
        ("12,500 abstracts", "12500 abstracts"),
        ("12500 abstracts", "12,500"),
        ("12\u202f500 and 1'200'000", "12500"),
        ("12\u202f500 and 1'200'000", "1,200,000"),
        ("it rose to 1,234.5 points", "1234.5"),
        ("0.92 (p<.05)", "0.92"),
        ("92 % of them", "92%"),
        ("a drop of −0.5", "-0.5"),
        ("between 3–5 items", "5"),
        ("(2019)", "2019"),
        ("in 2019, 300 papers", "2019"),
        ("in 2019, 300 papers", "300"),
        ("cost: $5", "5"),
        ("C++ and F1-score", "F1 score"),
        ("ﬁne-tuning", "fine tuning"),
        ("zero\u200bshot re\u00adtrieval", "zeroshot retrieval"),
        ("日本語 論文", "論文"),
        ("GPT-4 and 3-shot", "gpt 4"),
    ],
)
def test_spelling_makes_no_difference(answer, wording):
    """Case, accents, emphasis, dashes, spaces, ligatures and thousands separators do not matter."""
    assert says(answer, wording)


@pytest.mark.parametrize(
    ("answer", "wording"),
    [
        ("it uses maps", "map"),
        ("unmapped", "map"),
        ("1,992", "92"),
        ("92.5", "92"),
        ("0.92", "92"),
        ("p < .05", "05"),
        ("12,300", "300"),
        ("12,300", "12"),
        ("-0.5", "0.5"),
        ("a drop to −92", "92"),
        ("92", "92.5"),
        ("table p5", "5"),
        ("5th", "5"),
        ("12k", "12"),
        ("12 5000", "125000"),
        ("", "anything"),
    ],
)
def test_other_words_and_numbers_are_not_said(answer, wording):
    """A word within a word and a number within a number say something else."""
    assert not says(answer, wording)


@given(st.text(max_size=40))
def test_a_text_says_itself(text):
    """Whatever a text is, once it has a letter or a digit it says itself and is its own normal form."""
    if any(char.isalnum() for char in normal(text)):
        assert says(text, text)


@given(st.text(alphabet="0123456789,.' -a", max_size=14), st.integers(0, 9999))
def test_a_number_is_found_whole_or_not_at_all(text, number):
    """Where a number is said, its digits stand there without a digit before or after them."""
    if says(text, str(number)):
        found = normal(text)
        spans = [at for at in range(len(found)) if found.startswith(str(number), at)]
        assert any(
            not found[max(0, at - 1) : at].isdigit()
            and not found[at + len(str(number)) : at + len(str(number)) + 1].isdigit()
            for at in spans
        )
