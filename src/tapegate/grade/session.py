"""A whole run: every planned trial replayed and judged, and the gate's answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tapegate.errors import TapegateError
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.config import Profile
from tapegate.model.run import Run, TrialResult
from tapegate.model.trace import Trace
from tapegate.run.plan import Trial
from tapegate.tape.store import Loaded

Replay = Callable[[Trial], Trace]
Done = Callable[[Trial, TrialResult, Trace | None], None]
"""Told of each trial when it is judged, in any order, on any thread."""


def judge(
    trials: Sequence[Trial],
    replay: Replay,
    *,
    profile_name: str,
    profile: Profile,
    partial: bool,
    jobs: int,
    done: Done,
) -> Run:
    """Replay and judge `trials`, `jobs` at a time, in their order. The result does not depend on either."""

    def one(trial: Trial) -> TrialResult:
        result, trace = _judge_one(trial, replay)
        done(trial, result, trace)
        return result

    with ThreadPoolExecutor(jobs, thread_name_prefix="tapegate-trial") as pool:
        results = list(pool.map(one, trials))
    by_task: dict[str, list[TrialResult]] = defaultdict(list)
    tasks = {}
    for trial, result in zip(trials, results, strict=True):
        by_task[trial.task.key].append(result)
        tasks[trial.task.key] = trial.task
    judged = tuple(grade_task(tasks[key], by_task[key]) for key in sorted(tasks))
    return Run(profile_name, partial, judged, decide(judged, profile_name, profile, partial))


def _judge_one(trial: Trial, replay: Replay) -> tuple[TrialResult, Trace | None]:
    loaded = trial.recording
    if not isinstance(loaded, Loaded):
        return unjudged_trial(trial.task, trial.number, loaded), None
    try:
        trace = replay(trial)
    except TapegateError as error:
        return unjudged_trial(trial.task, trial.number, error, loaded.sha256), None
    return grade_trial(trial.task, trace, loaded.sha256), trace
