"""The sentences of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.oracles.sentences import sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("One", 1),
        ("One.", 1),
        ("One. Two! Three? Four…", 4),
        ("One... Two.", 2),
        ("He said “yes.” Then he left.", 2),
        ("It rose by 3.5 points, i.e. 12 % (cf. Fig. 3). That helps.", 2),
        ("Smith et al. show it. J. R. Smith agrees.", 2),
        ("See e.g. Dr. Smith, approx. 5 of them, vs. none.", 1),
        ("It works. see also this", 1),
        ("- One\n- Two\n- Three", 3),
        ("1. One.\n2. Two.", 2),
        ("# Title\n\nOne. Two.", 3),
        ("One line\nthat goes on.", 1),
        ("One.\n\nTwo", 2),
        ("**One.** *Two.*", 2),
        ("一つ。二つ。", 2),
        ("Really?! Yes.", 2),
    ],
)
def test_sentences_are_counted_as_a_reader_would(text, count):
    """Paragraphs and list items end a sentence; abbreviations, initials and decimals do not."""
    assert len(sentences(text)) == count


@given(st.text(alphabet="aB.! \n-1,", max_size=30), st.text(alphabet="aB.! \n-1,", max_size=10))
def test_more_text_takes_no_sentence_away(text, more):
    """So an answer that has too many sentences cannot be mended by going on."""
    assert len(sentences(text + more)) >= len(sentences(text))
