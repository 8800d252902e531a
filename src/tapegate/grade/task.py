"""One task: the verdict of its trials together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tapegate.errors import NotJudged
from tapegate.grade.contract import digest
from tapegate.grade.docket import worst
from tapegate.grade.replay import REPLAY, STREAM, SUBJECT
from tapegate.grade.review import decision, review_digest, with_command
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.finding import Verdict
from tapegate.model.run import TaskResult, TrialResult
from tapegate.model.task import Task


def grade_task(task: Task, trials: Iterable[TrialResult]) -> TaskResult:
    """The task's result: its worst trial decides (`docket.WORST_FIRST`), and each trial must pass.

    Where the worst that can be said is that trials were borderline, the extra trial decides instead; without one, or
    where it was borderline too or is not recorded, the task needs review, until a person accepted these very bytes
    (`Task.reviews`). A quarantine sets no broken hard gate aside: a task with one blocks all the same. A trial that the
    task asks for and nobody ran is an `error`, so that a task without trials is no pass. The order in which trials are
    given does not matter. Raises `ValueError` where two are the same trial.
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
    verdict = _verdict(ordered)
    looked_at = review_digest(task, ordered) if verdict is Verdict.NEEDS_REVIEW else None
    decided = decision(task, looked_at) if looked_at is not None else None
    if decided is not None:
        verdict = Verdict.PASS
    elif looked_at is not None:
        ordered = tuple(with_command(trial, task.key, looked_at) for trial in ordered)
    return TaskResult(
        key=task.key,
        id=task.id,
        suite=task.suite,
        path_id=task.path_id,
        file=task.source.file,
        verdict=verdict,
        outcome=_outcome(ordered),
        outcome_names=tuple(outcome.name for outcome in task.expect.accepted_outcomes),
        blocking=task.blocks or (task.blocking and any(map(_hard, ordered))),
        quarantine=f"until {held.until} ({held.owner}): {held.reason}" if (held := task.quarantine) else None,
        review_digest=looked_at,
        accepted=decided.reason if decided is not None else None,
        metrics=ordered[0].metrics,
        trials=ordered,
        contract_sha256=digest(task),
    )


def wants_another(trials: Sequence[TrialResult]) -> bool:
    """Whether one more trial may decide a task: the worst that can be said of these is that some were borderline."""
    unsure = [trial for trial in trials if trial.verdict is Verdict.NEEDS_REVIEW]
    return worst(trial.verdict for trial in trials) is Verdict.NEEDS_REVIEW and all(one.borderline for one in unsure)


def _hard(trial: TrialResult) -> bool:
    """Whether an invariant, a forbidden pattern or the shut network was broken."""
    return any(
        finding.severity == "fail"
        and finding.outcome is None
        and (finding.code == "network_attempt" or finding.metric not in (REPLAY, STREAM, SUBJECT))
        for finding in trial.findings
    )


def _verdict(trials: Sequence[TrialResult]) -> Verdict:
    regular = [trial for trial in trials if not trial.extra]
    extra = [trial.verdict for trial in trials if trial.extra and trial.verdict is not Verdict.STALE]
    return extra[0] if extra and wants_another(regular) else worst(trial.verdict for trial in regular)


def _outcome(trials: Sequence[TrialResult]) -> int | None:
    extra = next((trial for trial in trials if trial.extra), None)
    return extra.outcome if extra is not None and trials[0].outcome is None else trials[0].outcome
