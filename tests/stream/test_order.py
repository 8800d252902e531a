"""One finish, nothing after it, an end, whole characters."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, Violation
from tapegate.stream.order import Done, Order, joined_surrogates


def _order(*steps, cut=False):
    order = Order()
    return [*order.admit(steps), *order.end(cut=cut)]


def _codes(events):
    return [event.code if isinstance(event, Violation) else event for event in events]


def test_a_finish_or_a_failure_ends_a_stream():
    """Without either, it is truncated; inside a frame, that was said already."""
    assert _order(Finish("stop")) == [Finish("stop")]
    assert _order(Failure("no")) == [Failure("no")]
    assert _codes(_order(Text("a"))) == [Text("a"), "truncated"]
    assert _order(Text("a"), cut=True) == [Text("a")]


def test_a_second_finish_is_dropped_and_told():
    """A trace has one finish at most: the first."""
    assert _codes(_order(Finish("a"), Finish("b"))) == [Finish("a"), "protocol_violation"]


def test_what_follows_the_finish_is_told_once():
    """One violation stands for all that follows."""
    events = _order(Finish("a"), Text("x"), Data(1), Failure("y"))
    assert _codes(events) == [Finish("a"), "protocol_violation", Text("x"), Data(1), Failure("y")]


def test_done_allows_nothing_after_it():
    """A finish after the marker comes too late, and still is the finish."""
    assert _codes(_order(Done(), Finish("a"))) == ["protocol_violation", Finish("a")]
    assert _order(Finish("a"), Done(), Done()) == [Finish("a")]


def test_empty_text_is_no_event():
    """A delta without text says nothing, also after the finish."""
    assert _order(Text(""), Finish("a"), Text("")) == [Finish("a")]


def test_events_that_cannot_be_written_do_not_reach_the_trace():
    """Half a surrogate pair in a name, an argument, a message or a reason is `invalid_utf8`."""
    half = "\ud83d"
    for event in (ToolCall("1", half, {}), ToolCall("1", "f", {"a": [half]}), Data({half: 1}), Failure(half)):
        assert _codes(_order(event, cut=True)) == ["invalid_utf8"]
    assert _order(Finish(half)) == [Finish("unknown")]


@given(st.text(max_size=8), st.lists(st.integers(0, 20), max_size=4))
def test_text_cut_between_surrogates_is_whole_again(text, cuts):
    """UTF-16 cut at any unit, as JavaScript cuts strings, comes back whole."""
    units = text.encode("utf-16-le")
    bounds = [0, *sorted(min(2 * cut, len(units)) for cut in cuts), len(units)]
    pieces = [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in pairwise(bounds)]
    events = _order(*map(Text, pieces), cut=True)
    assert "".join(event.text for event in events) == text


def test_a_lone_half_is_left_out():
    """Halves that find no partner are left out and told."""
    assert joined_surrogates("a\ude00b") == ("ab", True)
    assert joined_surrogates("\ud83d\ude00") == ("😀", False)
    assert _codes(_order(Text("a\ud83d"), Text("b"), cut=True)) == [Text("a"), Text("b"), "invalid_utf8"]
    assert _codes(_order(Text("\ud83d"), Finish("x"))) == ["invalid_utf8", Finish("x")]
