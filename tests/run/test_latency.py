"""Latencies: the union of recorded intervals, in whole milliseconds, rounded up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.run.latency import e2e_ms, model_ms, up
from tapegate.tape.cassette import Chunks


def interval(start: int, end: int) -> Chunks:
    """An interaction from one microsecond to another."""
    return Chunks(start, (), (), end)


@pytest.mark.parametrize(
    ("intervals", "ms"),
    [
        ([], 0),
        ([(0, 0)], 0),
        ([(0, 1)], 1),
        ([(0, 1000)], 1),
        ([(0, 1001)], 2),
        ([(0, 2000), (5000, 6000)], 3),  # one after the other
        ([(0, 2000), (1000, 3000)], 3),  # side by side
        ([(0, 9000), (1000, 2000)], 9),  # one within the other
        ([(5000, 6000), (0, 2000)], 3),  # in any order
        ([(0, 400), (1000, 1400)], 1),  # rounded once, at the end
    ],
)
def test_what_ran_side_by_side_counts_once(intervals, ms):
    """The provider's latency is the time in which at least one call was open."""
    assert model_ms(interval(*each) for each in intervals) == ms


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=8)


@given(SPANS, st.randoms(use_true_random=False))
def test_the_union_is_what_counting_microseconds_gives(spans, random):
    """Against a count of every microsecond that is covered; the order of the calls does not matter."""
    random.shuffle(spans)
    covered = {us for start, length in spans for us in range(start, start + length)}
    assert model_ms(interval(start, start + length) for start, length in spans) == up(len(covered))
    scaled = (interval(start * 1000, (start + length) * 1000) for start, length in spans)
    assert model_ms(scaled) == len(covered)


def test_the_whole_answer_is_timed_from_the_question():
    """Not from the start of the trial: a server that starts slowly is no slow answer."""
    assert e2e_ms(Chunks(900_000, (1,), (901_000,), 902_001)) == 3


@given(st.integers(0, 10**15))
def test_rounding_is_up_and_exact(us):
    """The smallest whole number of milliseconds that holds them, however large."""
    assert (up(us) - 1) * 1000 < us <= up(us) * 1000 or us == up(us) == 0
