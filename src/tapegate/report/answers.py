"""The two answers of a run, kept apart: whether the behaviour holds, and whether the recordings cover the code.

A team can require the first on its first day, and the second when its recordings keep up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tapegate.grade.unjudged import HARNESS, INPUT
from tapegate.model.diff import Diff, Kind
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the judged tasks say."""

    state: Literal["holds", "fails", "unknown"]
    """`fails`: a blocking task failed, or one that blocks here or in the base regressed or changed more than it allows;
    `unknown`: none could be judged, or one could not for a reason other than its recordings; `holds`: all that could be
    judged hold."""
    sentence: str
    keys: tuple[str, ...] = ()
    """The tasks that it is about."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """What the replays say."""

    state: Literal["current", "stale", "unusable", "unknown"]
    """`stale`: a replay left its recording; `unusable`: a file of a recording cannot be trusted; `unknown`: a task
    could not be replayed at all; `current`: every replay was complete."""
    sentence: str
    keys: tuple[str, ...] = ()
    """The tasks that it is about."""


def behaviour(run: Run, diff: Diff | None = None) -> Behaviour:
    """Whether the agent does what its tasks accept, and where it is compared, what it did before."""
    total = len(run.tasks)
    passed = run.count(Verdict.PASS)
    crashed = [task for task in run.tasks if task.verdict is Verdict.ERROR and not _unusable(task)]
    # A task that no longer blocks is held to what it was: else a change could excuse its own regression.
    regressed, moved = _worse(diff, Kind.REGRESSION), _worse(diff, Kind.MOVED)
    failed = [task for task in run.tasks if (task.blocking and task.verdict is Verdict.FAIL) or task.key in regressed]
    if failed or moved:
        said = [f"fails in {len(failed)} of {_tasks(total)}"] if failed else []
        said += [f"changed more than it may in {len(moved)} of {_tasks(total)}"] if moved else []
        return Behaviour("fails", "; ".join(said), (*_keys(failed), *sorted(moved)))
    if not passed:
        return Behaviour("unknown", f"not known: none of {_tasks(total)} could be judged" if total else "not known")
    if crashed:
        return Behaviour("unknown", f"not known in {_tasks(len(crashed))}", _keys(crashed))
    if passed == total:
        return Behaviour("holds", "holds in the only task" if total == 1 else f"holds in all {_tasks(total)}")
    return Behaviour("holds", f"holds in {passed:,} of {_tasks(total)}; {_rest(run)}")


def recordings(run: Run) -> Recordings:
    """Whether the recordings answer all that the code asks."""
    unusable = [task for task in run.tasks if _unusable(task)]
    stale = [task for task in run.tasks if _stale(task)]
    if not run.tasks:
        return Recordings("unknown", "not known: there is no task")
    if unusable:
        return Recordings("unusable", f"cannot be used in {_tasks(len(unusable))}", _keys(unusable))
    if stale:
        said = f"do not cover the code in {len(stale)} of {_tasks(len(run.tasks))}"
        return Recordings("stale", said, _keys(stale))
    unrun = [task for task in run.tasks if any(finding.metric == HARNESS for finding in task.findings)]
    if unrun:
        return Recordings("unknown", f"not known in {_tasks(len(unrun))}, which could not be run", _keys(unrun))
    return Recordings("current", "cover the code")


def _worse(diff: Diff | None, kind: Kind) -> set[str]:
    if diff is None or not diff.available:
        return set()
    return {task.key for task in diff.of(kind) if task.blocking}


def _unusable(task: TaskResult) -> bool:
    return task.verdict is Verdict.ERROR and any(finding.metric == INPUT for finding in task.findings)


def _stale(task: TaskResult) -> bool:
    # A task that failed before its replay left the recording is a failure, and its recording is stale all the same.
    return any(finding.severity == "stale" for finding in task.findings)


def _rest(run: Run) -> str:
    words = {
        Verdict.FAIL: ("failed and does not block", "failed and do not block"),
        Verdict.STALE: ("stale", "stale"),
        Verdict.NEEDS_REVIEW: ("to be reviewed", "to be reviewed"),
        Verdict.ERROR: ("without a usable recording", "without a usable recording"),
    }
    return ", ".join(f"{count:,} {said[count > 1]}" for verdict, said in words.items() if (count := run.count(verdict)))


def _tasks(count: int) -> str:
    return f"{count:,} {'task' if count == 1 else 'tasks'}"


def _keys(tasks: list[TaskResult]) -> tuple[str, ...]:
    return tuple(task.key for task in tasks)
