"""The filter of hidden tags."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperdesk.content_filter import ContentFilter, visible

PIECES = (
    "<thinking>", "</thinking>", "<private>", "</private>", "<THINKING>", "</Private>", "<thinking note='a'>",
    "<private/>", "<thinking />", "< thinking>", "<thinkings>", "<", ">", "</", "a < b", "text ", "\n", "é", "🙂",
    "<b>", "<priv", "think", "/", "</private >",
)  # fmt: skip
HIDDEN_TAG = re.compile(r"</?(thinking|private)(?=[\s/>])", re.IGNORECASE)
BEGINNINGS = tuple(tag[:end] for tag in ("<thinking", "</thinking", "<private", "</private") for end in range(1, 11))


def fed(pieces: list[str]) -> str:
    content = ContentFilter()
    return "".join(content.feed(piece) for piece in pieces)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("a <thinking>b</thinking> c", "a  c"),
        ("a <private>b</private> c", "a  c"),
        ("a <ThInKiNg>b</THINKING> c", "a  c"),
        ("a <thinking>b<thinking>c</thinking>d</thinking> e", "a  e"),
        ("a <thinking>b<private>c</private>d</thinking> e", "a  e"),
        ("a <thinking>b<private>c</thinking>d</private> e", "a  e"),
        ("a <private>b", "a "),
        ("a <thinking>b<thinking>c</thinking>d", "a "),
        ("a </thinking> b", "a  b"),
        ("a <thinking why='x > y'>b</thinking> c", "a  c"),
        ("a <thinking\nlong>b</thinking\n> c", "a  c"),
        ("a <private/> b", "a  b"),
        ("a <thinking", "a "),
        ("a <thinking no end", "a "),
        ("a <thinking <private>b</private> c", "a "),
        ("a </thinki", "a "),
        ("a <", "a "),
        ("a < b and <b>c</b>", "a < b and <b>c</b>"),
        ("a <thinkings> b", "a <thinkings> b"),
        ("<<thinking>b</thinking>", ""),
        ("<<thinking>b</thinking>thinking>c", ""),
        ("<thi<private>b</private>nking>c</thinking>d", "d"),
        ("<thi<private>b</private>s", "<this"),
        ("a <<b", "a <<b"),
        ("a <th<b", "a <th<b"),
    ],
)
def test_text(text: str, shown: str) -> None:
    """Only what stands outside of hidden tags is shown."""
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["a <thinking>b<private>c</private></thinking> d", "x <private >y</private> z <b>"])
def test_every_split_in_three(text: str) -> None:
    """A text cut at any two places gives what the whole gives."""
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            assert fed([text[:first], text[first:second], text[second:]]) == visible(text)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.data())
def test_splits(pieces: list[str], data: st.DataObject) -> None:
    """However a text is cut, the same is shown, and never a hidden tag or a part of one at the end."""
    text = "".join(pieces)
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    cut = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    shown = fed(cut)
    assert shown == fed(list(text)) == visible(text)
    assert not HIDDEN_TAG.search(shown)
    assert not shown.lower().endswith(BEGINNINGS)
    assert visible(shown) == shown


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(blacklist_characters="<", blacklist_categories=["Cs"])))
def test_text_without_tags(text: str) -> None:
    """Text without `<` is shown at once, all of it."""
    assert ContentFilter().feed(text) == text


@settings(max_examples=200)
@given(st.text(alphabet="<>/ thinkgprvae", max_size=40))
def test_holds_back_only_what_may_become_a_tag(text: str) -> None:
    """Outside of tags nothing is held back but a beginning of a hidden tag."""
    content = ContentFilter()
    shown = content.feed(text)
    if not content.hiding and not HIDDEN_TAG.search(text):
        held = text[len(shown) :]
        assert text.startswith(shown)
        assert all(part in BEGINNINGS for part in re.findall("<[^<]*", held))


def test_released_as_soon_as_possible() -> None:
    """A held beginning comes out with the first character that rules the tag out."""
    content = ContentFilter()
    assert content.feed("a <thin") == "a "
    assert content.feed("g") == "<thing"
    assert not content.hiding


def test_a_naive_filter_fails_these_tests() -> None:
    """A filter that looks at one piece at a time leaks, so the splits above would find it."""
    naive = re.compile(r"<thinking>.*?</thinking>", re.DOTALL)
    text = "a <thinking>b</thinking> c"
    leaks = [
        split for split in range(1, len(text)) if naive.sub("", text[:split]) + naive.sub("", text[split:]) != "a  c"
    ]
    assert leaks
