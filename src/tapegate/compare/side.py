"""One side of a comparison: a run, and what is at hand to judge it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tapegate.grade import contract
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult, TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle

Traces = Callable[[str, int], Trace | None]
"""The trace of a task's trial; None where it is not at hand."""


def no_traces(key: str, trial: int) -> None:
    """For a side that is a single file: no trace is at hand."""


@dataclass(frozen=True, slots=True)
class Side:
    """A run that is compared, or the reason why there is none."""

    name: str
    """What the user called it."""
    run: Run | None
    """None where it could not be run."""
    digest: str = ""
    commit: str = ""
    contracts: Mapping[str, Task] = field(default_factory=dict)
    """Its tasks by key; empty where they are not at hand."""
    traces: Traces = no_traces
    problem: str = ""
    """Why it could not be run; empty where it was."""
    exit_code: int = 3
    """What a side that could not be run ended with."""
    notes: tuple[str, ...] = ()
    """What a reader must know of it."""
    catalog: Sequence[Oracle] = CATALOG
    """The metrics that it is judged by again."""

    def task(self, result: TaskResult) -> Task | None:
        """The task that a result was judged by; None where it is not at hand."""
        task = self.contracts.get(result.key)
        return task if task is not None and contract.digest(task) == result.contract_sha256 else None

    def trace(self, key: str, trial: TrialResult) -> Trace | None:
        """The trace that a trial's result was judged from; None where it is not at hand, or of another run."""
        trace = self.traces(key, trial.trial)
        if trace is None or sha256(trace.text.encode("utf-8", "surrogatepass")).hexdigest() != trial.answer_sha256:
            return None
        return trace if trace.tool_path == trial.tool_path else None


UNRUN = frozenset({Verdict.STALE, Verdict.ERROR})
NO_ANSWER = sha256(b"").hexdigest()


def regraded(side: Side, result: TaskResult, task: Task) -> TaskResult | None:
    """A task's trials judged by `task`, as this version of Tapegate does; None where a trace is not at hand.

    A trial that never came to a trace keeps its result: there is nothing to judge.
    """
    trials = []
    for trial in result.trials:
        trace = side.trace(result.key, trial)
        if trace is None:
            if trial.verdict in UNRUN and not trial.tool_path and trial.answer_sha256 == NO_ANSWER:
                trials.append(trial)
                continue
            return None
        judged = grade_trial(task, trace, trial.cassette_sha256, side.catalog)
        metrics = replace(judged.metrics, quality=judged.metrics.quality or trial.metrics.quality)
        commit = trial.recorded_commit
        trials.append(
            replace(judged, metrics=metrics, machine=trial.machine, recorded_commit=commit, extra=trial.extra)
        )
    return grade_task(task, trials)
