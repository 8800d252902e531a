"""The result of a trial that never came to a trace."""

from __future__ import annotations

from hashlib import sha256

from tapegate.errors import BadInput, Stale, TapegateError
from tapegate.grade.docket import Docket
from tapegate.grade.replay import REPLAY
from tapegate.model.run import Metrics, TrialResult
from tapegate.model.task import Task

INPUT = "input"
"""What the findings about an unusable file name as their metric; `gate` turns them into exit code 2."""
HARNESS = "harness"
"""What the findings about a subject or a machine that the trial could not be run on name as their metric."""


def unjudged_trial(task: Task, trial: int, error: TapegateError, cassette_sha256: str | None = None) -> TrialResult:
    """A trial that `error` kept from being run: `stale` for a missing recording, else `error`. Never dropped."""
    docket = Docket(task, trial)
    for problem in error.problems:
        where = f"{problem.file}{f':{problem.line}' if problem.line is not None else ''}: " if problem.file else ""
        message, fix = f"{where}{problem.message}", problem.fix or ""
        if isinstance(error, Stale):
            docket.say(REPLAY, problem.code, "stale", message, fix=fix or f"tapegate record {task.key} --missing")
        else:
            docket.say(INPUT if isinstance(error, BadInput) else HARNESS, problem.code, "error", message, fix=fix)
    if not docket.findings:
        docket.say(HARNESS, "not_judged", "error", f"the trial was not run: {type(error).__name__}")
    return TrialResult(
        trial=trial,
        verdict=docket.verdict,
        outcome=None,
        tool_path=(),
        answer_sha256=sha256(b"").hexdigest(),
        cassette_sha256=cassette_sha256,
        metrics=Metrics(),
        findings=tuple(docket.findings),
    )
