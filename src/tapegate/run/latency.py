"""Latencies of a trial, from the times that its recording holds (DESIGN §4, "Time"). Integers, rounded up."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.tape.cassette import Chunks


def model_ms(intervals: Iterable[Chunks]) -> int:
    """Milliseconds covered by at least one of the recorded interactions: calls side by side count once."""
    covered = 0
    end = -1
    for start, stop in sorted((chunks.started_us, chunks.ended_us) for chunks in intervals):
        covered += max(0, stop - max(start, end))
        end = max(end, stop)
    return up(covered)


def e2e_ms(stream: Chunks) -> int:
    """Milliseconds from the question to the last byte of the answer."""
    return up(stream.ended_us - stream.started_us)


def up(microseconds: int) -> int:
    """Whole milliseconds, rounded up."""
    return -(-microseconds // 1000)
