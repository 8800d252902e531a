"""One task: the verdict of its trials together."""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.errors import NotJudged
from tapegate.grade.contract import digest
from tapegate.grade.docket import worst
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.run import TaskResult, TrialResult
from tapegate.model.task import Task


def grade_task(task: Task, trials: Iterable[TrialResult]) -> TaskResult:
    """The task's result: its worst trial decides (`docket.WORST_FIRST`), and each trial must pass.

    A trial that the task asks for and nobody ran is an `error`, so that a task without trials is no pass. The order in
    which trials are given does not matter. Raises `ValueError` where two are the same trial.
    """
    by_number: dict[int, TrialResult] = {}
    for trial in trials:
        if trial.trial in by_number:
            raise ValueError(f"trial {trial.trial} of {task.key} is given twice")
        by_number[trial.trial] = trial
    for number in range(1, task.trials + 1):
        if number not in by_number:
            message = f"trial {number} of {task.trials} was not run"
            by_number[number] = unjudged_trial(task, number, NotJudged.of("trial_not_run", message))
    ordered = tuple(by_number[number] for number in sorted(by_number))
    return TaskResult(
        key=task.key,
        id=task.id,
        suite=task.suite,
        path_id=task.path_id,
        file=task.source.file,
        verdict=worst(trial.verdict for trial in ordered),
        outcome=ordered[0].outcome,
        outcome_names=tuple(outcome.name for outcome in task.expect.accepted_outcomes),
        blocking=task.blocking,
        metrics=ordered[0].metrics,
        trials=ordered,
        contract_sha256=digest(task),
    )
