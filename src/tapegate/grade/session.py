"""A whole run: every planned trial replayed and judged, and the gate's answer."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tapegate.errors import NotJudged, Stale, TapegateError
from tapegate.grade.gate import decide
from tapegate.grade.task import grade_task, wants_another
from tapegate.grade.trial import grade_trial
from tapegate.grade.unjudged import unjudged_trial
from tapegate.model.config import Profile
from tapegate.model.run import Run, TrialResult
from tapegate.model.task import Task
from tapegate.model.trace import Trace
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.oracle import Oracle
from tapegate.run.plan import Trial, batches
from tapegate.tape.store import Loaded

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")

Replay = Callable[[Trial], Trace]
Extra = Callable[[Task, int], Trial]
"""The trial of a task with this number, which no profile asked for."""
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
    extra: Extra | None = None,
    shared: Callable[[Trial], str | None] = lambda _: None,
    catalog: Sequence[Oracle] = CATALOG,
) -> Run:
    """Replay and judge `trials`, `jobs` at a time, about in their order. The result does not depend on either.

    Trials for which `shared` names the same thing run in one thread where that costs little (`plan.batches`). A task
    that is merely borderline gets one more trial from `extra`, the next that is recorded.
    """

    def one(trial: Trial) -> TrialResult:
        result, trace = _judge_one(trial, replay, catalog)
        if isinstance(trial.recording, Loaded):
            made = trial.recording.cassette.provenance
            result = replace(result, machine=made.machine, recorded_commit=made.commit)
        done(trial, result, trace)
        return result

    found: dict[int, TrialResult] = {}

    def row(places: Sequence[int]) -> None:
        for place in places:
            found[place] = one(trials[place])

    by_task: dict[str, list[TrialResult]] = defaultdict(list)
    tasks = {trial.task.key: trial.task for trial in trials}
    with ThreadPoolExecutor(jobs, thread_name_prefix="tapegate-trial") as pool:
        for _ in pool.map(row, batches(trials, jobs, shared)):
            pass  # what a row raises is raised here
        for place, trial in enumerate(trials):
            by_task[trial.task.key].append(found[place])
        more = [
            extra(tasks[key], max(result.trial for result in results) + 1)
            for key, results in sorted(by_task.items())
            if extra is not None and wants_another(results)
        ]
        recorded = [trial for trial in more if not isinstance(trial.recording, Stale)]
        for trial, result in zip(recorded, pool.map(one, recorded), strict=True):
            by_task[trial.task.key].append(replace(result, extra=True))
    judged = tuple(grade_task(tasks[key], by_task[key]) for key in sorted(tasks))
    return Run(profile_name, partial, judged, decide(judged, profile_name, profile, partial))


def _judge_one(trial: Trial, replay: Replay, catalog: Sequence[Oracle]) -> tuple[TrialResult, Trace | None]:
    loaded = trial.recording
    if isinstance(loaded, TapegateError):
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
    return grade_trial(trial.task, trace, loaded.sha256, catalog), trace


def _internal(error: Exception) -> NotJudged:
    said = _ADDRESS.sub("0x…", str(error)[:300])  # an address would differ from run to run
    return NotJudged.of(
        "internal_error",
        f"Tapegate failed at this trial: {type(error).__name__}: {said}",
        fix="this is a bug in Tapegate; run again with TAPEGATE_DEBUG=1 and report the traceback",
    )
