"""Every answer of a trial that a user may have seen, each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapegate.model.trace import Trace


def answers(trace: Trace) -> Iterator[tuple[str, Trace]]:
    """Each answer with a word on which it is: one of several turns, or what another cut of the same stream gave."""
    for number, turn in enumerate(trace.turns, 1):
        yield (f"answer {number}: " if len(trace.turns) > 1 else ""), turn
    for variant in trace.splits.variants if trace.splits is not None else ():
        places = " and ".join(map(str, variant.cuts))
        yield f"cut at byte {places}: ", replace(trace, events=variant.events, ending=variant.ending, splits=None)
