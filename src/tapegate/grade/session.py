"""A whole run: every planned trial replayed and judged, and the gate's answer."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tapegate.errors import NotJudged, TapegateError
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task
from tapegate.grade.trial import grade_trial
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.config import Profile
from tapegate.model.run import Run, TrialResult
from tapegate.model.trace import Trace
from tapegate.run.plan import Trial
from tapegate.tape.store import Loaded

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")

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
        if isinstance(trial.recording, Loaded):
            made = trial.recording.cassette.provenance
            result = replace(result, machine=made.machine, recorded_commit=made.commit)
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
    except Exception as error:
        # One trial that Tapegate itself fails at must not take the verdicts of all others with it.
        if os.environ.get("TAPEGATE_DEBUG"):
            raise
        return unjudged_trial(trial.task, trial.number, _internal(error), loaded.sha256), None
    return grade_trial(trial.task, trace, loaded.sha256), trace


def _internal(error: Exception) -> NotJudged:
    said = _ADDRESS.sub("0x…", str(error)[:300])  # an address would differ from run to run
    return NotJudged.of(
        "internal_error",
        f"Tapegate failed at this trial: {type(error).__name__}: {said}",
        fix="this is a bug in Tapegate; run again with TAPEGATE_DEBUG=1 and report the traceback",
    )
