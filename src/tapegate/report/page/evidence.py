"""What a page shows beyond the results: conversations and recordings, as far as they are at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tapegate.compare.measures import MEASURES
from tapegate.model.run import Run, TaskResult, TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.tape.cassette import Cassette


def no_trace(task: TaskResult, trial: TrialResult) -> None:
    """For results without traces."""


def no_recording(task: TaskResult, trial: TrialResult) -> None:
    """For results without recordings."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a page looks. Everything is optional; what is not there is said not to be there."""

    tasks: Mapping[str, Task] = field(default_factory=dict)
    """The tasks that were judged, by key."""
    trace: Callable[[TaskResult, TrialResult], Trace | None] = no_trace
    """The trace that a trial was judged from."""
    recording: Callable[[TaskResult, TrialResult], Cassette | None] = no_recording
    """The very recording that a trial replayed."""
    base: Run | None = None
    """The run that this one is compared with."""
    history: tuple[tuple[str, Run], ...] = ()
    """Earlier runs, the oldest first, each under its name."""

    agreement: tuple[str, ...] = ()
    """Where a judge scored beside the deterministic graders: how far they agree, a line an axis."""

    def base_values(self, measure: str) -> list[Fraction]:
        """One measure of every task of base that has it."""
        tasks = self.base.tasks if self.base is not None else ()
        return [value for task in tasks if (value := MEASURES[measure].of(task.metrics)) is not None]
