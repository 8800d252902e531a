"""What a trial took, as its recording says."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Exchange
from tapegate.oracles.measures import dependent_calls, total


def calls(*intervals: tuple[int, int]) -> tuple[Exchange, ...]:
    """Calls of a model by start and end."""
    return tuple(
        Exchange(index, "m", "POST", "/", 200, start, end - start, 1, "m")
        for index, (start, end) in enumerate(intervals)
    )


@pytest.mark.parametrize(
    ("intervals", "depth"),
    [
        ((), 0),
        (((0, 10),), 1),
        (((0, 10), (10, 20)), 2),
        (((0, 10), (9, 20)), 1),
        (((0, 100), (10, 20), (30, 40), (50, 60)), 3),
        (((0, 0), (0, 0)), 2),
    ],
)
def test_the_depth_is_the_longest_chain_of_calls_that_wait(make_trace, intervals, depth):
    """Calls that overlap do not wait for one another; a long one beside a chain does not lengthen it."""
    assert dependent_calls(make_trace(exchanges=calls(*intervals))) == depth


@pytest.mark.parametrize(("counts", "expected"), [([], None), ([1, 2], 3), ([1, None], None), ([0], 0)])
def test_a_sum_with_a_gap_is_no_sum(counts, expected):
    """Nothing to add is unknown too, and zero is a number."""
    assert total(counts) == expected
