"""A stream of nothing but faults stays readable."""

from __future__ import annotations

from tapegate.model.trace import Text, Violation
from tapegate.stream.tally import VIOLATION_LIMIT


def test_violations_of_one_kind_are_counted_beyond_the_limit(read, codes):
    """A wrong dialect breaks in every line: the first ones are told, the rest are a number."""
    events = read("mixed", b"hello\n" * (VIOLATION_LIMIT + 30) + b'0:"a"\n')
    assert codes(events) == ["malformed_frame"] * VIOLATION_LIMIT + ["truncated", "malformed_frame"]
    assert events[-1] == Violation("malformed_frame", "30 more of this kind")
    assert Text("a") in events


def test_at_the_limit_nothing_is_left_out(read, codes):
    """Exactly as many violations as the limit are all told."""
    events = read("mixed", b"hello\n" * VIOLATION_LIMIT)
    assert codes(events) == ["malformed_frame"] * VIOLATION_LIMIT + ["truncated"]
