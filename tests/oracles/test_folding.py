"""Text without its disguises."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tapegate.oracles.folding import fold, foldings

pieces = st.sampled_from(
    [
        "<",
        ">",
        "think",
        "é",
        "&lt;",
        "&amp;",
        "lt;",
        "%3C",
        "\\u003c",
        "\u200b",
        "ｔ",
        "<!--",
        "-->",
        "ﬁ",
        "½",
        "\ud800",
    ]
)
texts = st.one_of(st.text(max_size=30), st.lists(pieces, max_size=12).map("".join))


def test_disguises_come_off_in_rounds():
    """An escape inside an escape, and an invisible character inside that, still read as what they are."""
    assert fold("&am\u200bp;lt;ｔｈínk%3E").text == "<think>"


def test_escapes_are_taken_off_four_deep():
    """`&lt;` escaped three times over is a bracket still; what is deeper stays, so that the work has a bound."""
    for depth in range(4):
        assert fold("&" + "amp;" * depth + "lt;").text == "<", depth
    assert fold("&" + "amp;" * 9 + "lt;").text != "<"
    assert fold("%" + "25" * 3 + "3C").text == "<"


def test_case_and_plain_text_stay():
    """Folding is not lower-casing, and text without a disguise is its own folding."""
    assert fold("<Thinking> /Users/Ada").text == "<Thinking> /Users/Ada"
    assert [reading.text for reading in foldings("plain\ntext")] == ["plain\ntext"]


def test_a_folded_span_leads_back_to_the_raw_one():
    """A finding shows what stood there, not what it was folded to."""
    raw = "yes &lt;th\u200bink&gt; no"
    folded = fold(raw)
    start = folded.text.index("<think>")
    begin, end = folded.origin(start, start + len("<think>"))
    assert raw[begin:end] == "&lt;th\u200bink&gt;"


def test_tag_characters_are_read_both_ways():
    """Dropped, as a reader sees them, and decoded, as a model reads them."""
    raw = "a" + "".join(chr(0xE0000 + ord(char)) for char in "<b>")
    assert [reading.text for reading in foldings(raw)] == [raw, "a", "a<b>"]


def test_escapes_that_are_none_stay():
    """Percent signs, ampersands and backslashes of ordinary text are left alone."""
    for text in ("100% of A&B", "\\alpha \\x", "&nosuch;", "\\u12", "%zz", "&"):
        assert fold(text).text == text


def test_an_escape_beyond_unicode_stays():
    """A number that is no character changes nothing and raises nothing."""
    assert fold("\\U99999999 \\u{ffffff}").text == "\\U99999999 \\u{ffffff}"


@given(texts)
def test_every_place_leads_back_into_the_raw_text(raw):
    """Origins exist for every folded character, never leave the raw text, and never fall."""
    for reading in foldings(raw):
        assert len(reading.origins) == len(reading.text)
        for start in range(len(reading.text)):
            begin, end = reading.origin(start, start + 1)
            assert 0 <= begin <= end <= len(raw)
        assert list(reading.origins) == sorted(reading.origins)


@given(texts)
def test_folding_is_a_function_of_the_text(raw):
    """The same text folds the same way, and a cached answer is the computed one."""
    first = foldings(raw)
    for other in range(5):
        fold(f"{raw}é{other}")
    assert foldings(raw) == first
