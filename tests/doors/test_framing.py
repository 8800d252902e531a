"""What both doors make of recorded headers and bodies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.doors.framing import announced, arrivals, frame
from tapegate.tape.wire import Answer

CHUNKED = (("transfer-encoding", "chunked"),)


def answer(*chunks: bytes, headers=(), status=200, ended="eof") -> Answer:
    return Answer(status, "OK", tuple(headers), chunks, tuple(range(len(chunks))), ended)


@pytest.mark.parametrize(
    ("recorded", "framing", "chunked", "whole"),
    [
        (answer(b"ab"), (("content-length", "2"),), False, True),
        (answer(), (("content-length", "0"),), False, True),
        (answer(b"", b"ab", b""), (("content-length", "2"),), False, True),
        (answer(b"a", b"b"), CHUNKED, True, True),
        (answer(b"ab", headers=[("Transfer-Encoding", "Chunked")]), CHUNKED, True, True),
        (answer(b"ab", headers=[("content-length", "99")]), (("content-length", "2"),), False, True),
        (answer(b"ab", ended="error"), CHUNKED, True, False),
        (answer(ended="error"), CHUNKED, True, False),
        (answer(b"ab", ended="client_closed"), (("content-length", "2"),), False, True),
        (answer(b"a", b"b", ended="client_closed"), CHUNKED, True, True),
        (answer(b"ab", ended="client_closed", headers=[("content-length", "99")]), CHUNKED, True, False),
        (
            answer(b"ab", ended="client_closed", headers=[("content-length", "2")]),
            (("content-length", "2"),),
            False,
            True,
        ),
        (
            answer(b"ab", ended="client_closed", headers=[("content-length", "9" * 5000)]),
            (("content-length", "2"),),
            False,
            True,
        ),
    ],
)
def test_a_body_is_framed_by_how_it_came_and_ended(recorded, framing, chunked, whole):
    """One chunk has a length, several are chunks, and what broke off never ends."""
    framed = frame(recorded, "POST")
    assert (framed.headers, framed.chunked, framed.whole) == (framing, chunked, whole)


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_an_answer_without_a_body_gets_none(method, status):
    """Whatever a recording holds, no byte follows such a head."""
    assert frame(answer(b"stray", status=status), method).chunks == ()


def test_headers_of_the_connection_stay_behind():
    """Only end-to-end headers are passed on: in their order, their spelling, with their duplicates."""
    headers = (
        ("Content-Type", "text/plain"),
        ("Connection", "close, X-Hop"),
        ("Keep-Alive", "timeout=5"),
        ("x-hop", "1"),
        ("Set-Cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("Transfer-Encoding", "chunked"),
        ("Trailer", "x"),
        ("Content-Encoding", "gzip"),
    )
    assert announced(headers).end_to_end == (
        ("Content-Type", "text/plain"),
        ("Set-Cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("Content-Encoding", "gzip"),
    )


@pytest.mark.parametrize(
    ("lengths", "length"), [(["5"], 5), (["5", "5"], 5), (["5", "6"], None), (["-1"], None), (["٥"], None), ([], None)]
)
def test_only_a_length_that_can_be_believed_is_one(lengths, length):
    """Contradictory, negative and non-ASCII lengths are none."""
    assert announced(tuple(("content-length", value) for value in lengths)).length == length


@given(st.lists(st.binary(max_size=20)), st.sampled_from(["eof", "client_closed", "error"]), st.booleans())
def test_no_byte_is_lost_or_added(chunks, ended, chunked):
    """Whatever the framing, the chunks add up to the recording, and none is empty."""
    framed = frame(answer(*chunks, headers=CHUNKED if chunked else (), ended=ended), "POST")
    assert b"".join(framed.chunks) == b"".join(chunks)
    assert all(framed.chunks)
    assert framed.chunked or len(framed.chunks) <= 1


def test_each_chunk_keeps_its_time():
    """Empty chunks go, and their times with them."""
    recorded = Answer(200, "OK", (), (b"", b"a", b"", b"b"), (1, 2, 3, 4))
    assert (frame(recorded, "POST").chunks, arrivals(recorded)) == ((b"a", b"b"), (2, 4))
