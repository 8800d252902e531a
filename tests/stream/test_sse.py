"""Server-sent events as WHATWG HTML 9.2.6 reads them, and what that reading would hide."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Violation
from tapegate.stream.sse import Message, Sse, Stray, Unfinished


def _items(*chunks, limit=1000):
    sse = Sse(limit)
    return [item for chunk in chunks for item in sse.feed(chunk)] + sse.close()


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [Message("message", "a", "")]),
        (b"data:a\n\n", [Message("message", "a", "")]),
        (b"data:  a\n\n", [Message("message", " a", "")]),
        (b"data: a\ndata:\ndata: b\n\n", [Message("message", "a\n\nb", "")]),
        (b"data\n\n", [Message("message", "", "")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [Message("x", "a", ""), Message("message", "b", "")]),
        (b"id: 7\ndata: a\n\ndata: b\n\n", [Message("message", "a", "7"), Message("message", "b", "7")]),
        (
            b"id: 7\ndata: a\n\nid: 8\0\ndata: b\n\nid\ndata: c\n\n",
            [Message("message", "a", "7"), Message("message", "b", "7"), Message("message", "c", "")],
        ),
        (b": comment\n\n:\n\nevent: x\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [Message("message", "a", "")]),
        ("data: a\u2028b\x85c\n\n".encode(), [Message("message", "a\u2028b\x85c", "")]),
        (b"data: a\r\ndata: b\r\rdata: c\n\r\n", [Message("message", "a\nb", ""), Message("message", "c", "")]),
    ],
)
def test_fields_make_events(stream, expected, split):
    """Each rule of the specification holds, at every split."""
    for chunks in split(stream):
        assert expected == _items(*chunks)


def test_a_line_that_is_no_field_is_not_dropped_in_silence():
    """The specification ignores an unknown field; here it comes out, so that a check can say so."""
    assert [Stray('0:"x"'), Message("message", "a", "")] == _items(b'data: a\n0:"x"\n\n')


@pytest.mark.parametrize(
    ("stream", "left"), [(b"data: a", "a"), (b"data: a\n", "a"), (b"da", "da"), (b"data: a\nevent", "a")]
)
def test_an_event_without_its_blank_line_is_unfinished(stream, left):
    """What a client would never be given comes out as unfinished."""
    assert [Unfinished(left)] == _items(stream)


def test_an_event_that_lost_a_line_is_not_given():
    """A bad line spoils its event and no other."""
    items = _items(b"data: a\ndata: \xff\ndata: b\n\ndata: c\n\n")
    assert [type(item).__name__ for item in items] == ["Violation", "Message"]
    assert items[1].data == "c"


def test_an_event_of_many_lines_is_limited_too():
    """Lines under the limit cannot add up to an event over it; it is told once."""
    items = _items(*[b"data: 0123456789\n"] * 30, b"\ndata: a\n\n", limit=100)
    assert [Violation("line_limit", "an event holds more than 100 characters"), Message("message", "a", "")] == items


def test_the_reconnection_time_is_kept():
    """`retry` is a number of milliseconds; anything else is ignored."""
    sse = Sse()
    sse.feed(b"retry: 2500\nretry: x\nretry: \xc2\xb2\n\n")
    assert sse.retry_ms == 2500
