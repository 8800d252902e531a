"""Plain text: the bytes are what the user sees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.trace import Text
from tapegate.stream.text import PlainText


def _text(events):
    return "".join(event.text for event in events if isinstance(event, Text))


def test_text_stays_intact(read, sample):
    """All characters and line ends stay as they came; each line is one event."""
    data = sample("text")
    events = read("text", data)
    assert data.decode() == _text(events)
    assert data.count(b"\n") + 1 == len(events)


@given(text=st.text(max_size=60), cut=st.integers(0, 100))
def test_any_text_comes_back(text, cut):
    """Whatever text is cut wherever, its characters come back."""
    reader, data = PlainText(), text.encode()
    assert text == _text(reader.feed(data[:cut]) + reader.feed(data[cut:]) + reader.close())


def test_the_sound_part_of_a_bad_line_is_kept_for_the_checks(read, codes):
    """A line with bad bytes is a violation, and what can be read of it still reaches the checks."""
    events = read("text", b"ok\n<think\xff>secret\nend")
    assert codes(events) == ["invalid_utf8"]
    assert _text(events) == "ok\n<think>secret\nend"


def test_a_cut_character_is_truncated(read, codes):
    """A stream that ends inside a character was cut off."""
    assert codes(read("text", "ab🌊".encode()[:-1])) == ["truncated"]


def test_a_think_tag_survives_every_split(read, split):
    """The text of a hidden tag is the same however it was cut over chunks (STR-01)."""
    data = "Hi <think>plan 🌊</think> there".encode()
    for chunks in split(data):
        assert data.decode() == _text(read("text", *chunks))


def test_reading_goes_on_after_a_line_over_the_limit():
    """The long line is refused at its place; the next line is read."""
    reader = PlainText(limit=4)
    events = reader.feed(b"abcd\nabcde") + reader.feed(b"fgh\nxy") + reader.close()
    assert [type(event).__name__ for event in events] == ["Text", "Violation", "Text"]
    assert _text(events) == "abcd\nxy"
