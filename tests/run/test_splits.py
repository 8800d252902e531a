"""Where a stream fixture is cut."""

from __future__ import annotations

import pytest

from tapegate.run import splits
from tapegate.run.splits import cuts, pieces

STREAM = "A<th\u200bink>🙂".encode()


def test_every_cut_of_a_short_stream_is_tried():
    """One place, two places, and all at once; each once, and none of them the uncut stream."""
    plan = cuts(b"abcd")
    assert plan.tried == ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3))
    assert (plan.possible, plan.sampled) == (7, False)
    assert [pieces(b"abcd", cut) for cut in plan.tried[3:5]] == [[b"a", b"b", b"cd"], [b"a", b"bc", b"d"]]


def test_pieces_of_any_cut_are_the_stream():
    """Nothing is lost and nothing is empty."""
    for cut in cuts(STREAM).tried:
        assert b"".join(pieces(STREAM, cut)) == STREAM
        assert all(pieces(STREAM, cut))


def test_text_is_cut_between_characters():
    """Bytes are cut anywhere, text where it still is text."""
    for cut in cuts(STREAM, text=True).tried:
        assert "".join(part.decode() for part in pieces(STREAM, cut)) == STREAM.decode()
    assert cuts(STREAM, text=True).possible < cuts(STREAM).possible
    with pytest.raises(UnicodeDecodeError):
        cuts(b"\xff\xfe", text=True)


@pytest.mark.parametrize("stream", [b"", b"a"])
def test_what_cannot_be_cut_has_no_cuts(stream):
    """An empty stream, and one of a single byte."""
    assert cuts(stream).tried == ()
    assert pieces(stream, ()) == [stream]


def test_a_long_stream_is_sampled_the_same_way_every_time():
    """Each cut once, single ones and pairs, and the cut everywhere first; what is drawn hangs on the stream alone."""
    stream = bytes(range(256)) * 4
    plan = cuts(stream)
    assert (len(plan.tried), plan.sampled) == (splits.MOST, True)
    assert len(set(plan.tried)) == splits.MOST
    assert plan.tried[0] == tuple(range(1, len(stream)))
    assert {len(cut) for cut in plan.tried[1:]} == {1, 2}
    assert cuts(stream) == plan
    assert cuts(stream[::-1]).tried[1:20] != plan.tried[1:20]


def test_a_very_long_stream_is_cut_less_often():
    """The work is bounded, whatever a fixture holds."""
    assert len(cuts(b"x" * (1 << 20)).tried) == splits.WORK >> 20
