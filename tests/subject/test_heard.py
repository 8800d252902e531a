"""What was heard of a subject, and when."""

from __future__ import annotations

import time

import pytest

from tapegate.model.trace import Ending
from tapegate.subject.heard import Heard, stopwatch

DONE = Ending("completed")


def test_an_answer_is_its_chunks():
    """The body is the chunks in their order."""
    assert Heard((b"a", b"", b"b"), (1, 1, 2), 0, 2, DONE).body == b"ab"


@pytest.mark.parametrize(
    ("at", "started", "ended"),
    [((1, 0), 0, 2), ((1, 2), 2, 3), ((1, 3), 0, 2), ((1,), 0, 2), ((1, 2, 3), 0, 4), ((1, 2), -1, 2)],
)
def test_times_that_fall_are_rejected(at, started, ended):
    """A negative duration is never kept: no monotonic clock gives one."""
    with pytest.raises(ValueError, match="none before the last"):
        Heard((b"a", b"b"), at, started, ended, DONE)


def test_setting_the_clock_of_the_machine_changes_nothing(monkeypatch):
    """Durations come from the monotonic clock."""
    clock = stopwatch()
    first = clock()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert 0 <= first <= clock() < 60_000_000
