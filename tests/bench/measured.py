"""How things are compared: in turns, in one run, as the median of ratios."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """One comparison."""

    what: str
    ours: str
    other: str
    ratio: float
    """Ours over the other's, of work done in the same time: above 1 is faster."""


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long `work` takes, once."""
    start = clock()
    work()
    return clock() - start


def in_turns(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, ...]:
    """The median times of both, taken in turns, and the median of their ratios."""
    return of_times(lambda: seconds(ours), lambda: seconds(other))


def by_cpu(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, ...]:
    """The same in seconds of this thread's CPU, where all of the work is there: a loaded machine changes little."""
    return of_times(lambda: seconds(ours, time.thread_time), lambda: seconds(other, time.thread_time))


def of_times(ours: Callable[[], float], other: Callable[[], float], rounds: int = ROUNDS) -> tuple[float, ...]:
    """The same for work that takes its own time. Who goes first alternates; the first round warms up."""
    pairs = []
    for turn in range(rounds + 1):
        gc.collect()
        if turn % 2:
            theirs = other()
            pairs.append((ours(), theirs))
        else:
            mine = ours()
            pairs.append((mine, other()))
    return of_pairs(pairs[1:])


def of_pairs(pairs: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Medians of both columns and of the ratio of each pair."""
    mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    return mine, theirs, statistics.median(second / first for first, second in pairs)
