"""What a person decides on where a task needs review: a digest of exactly the bytes that were looked at."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from tapegate.grade.contract import digest
from tapegate.model.finding import Verdict
from tapegate.model.run import TrialResult
from tapegate.model.task import Review, Task

_BORDERLINE = ("grading", "borderline")
"""Metric and code of the finding that stands for the whole of it."""


def review_digest(task: Task, trials: Sequence[TrialResult]) -> str | None:
    """`sha256:…` of what a decision on these trials is bound to; None where there is nothing to decide.

    To decide is only what is borderline: a replay that matched by the conversation alone says nothing of what the
    model would answer, whatever a person thinks of it. Bound is the decision to the task's contract, and of each trial
    to recording, answer, tools and numbers; another byte in any of them is another digest.
    """
    seen = [trial for trial in trials if not (trial.extra and trial.verdict is Verdict.STALE)]
    unsure = [trial for trial in seen if trial.verdict is Verdict.NEEDS_REVIEW]
    if not unsure or not all(trial.borderline for trial in unsure):
        return None
    looked_at = {"key": task.key, "contract": digest(task), "trials": [_trial(trial) for trial in seen]}
    canonical = json.dumps(looked_at, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def decision(task: Task, looked_at: str) -> Review | None:
    """What a person decided on these very bytes; None where nobody did."""
    return next((review for review in task.reviews if review.digest == looked_at), None)


def with_command(trial: TrialResult, key: str, looked_at: str) -> TrialResult:
    """The trial, its borderline finding with the command by which a person accepts it."""
    fix = f"look at it, then: tapegate accept {key} --digest {looked_at} --reason '…'"
    findings = tuple(
        replace(finding, fix=fix) if (finding.metric, finding.code) == _BORDERLINE else finding
        for finding in trial.findings
    )
    return replace(trial, findings=findings)


def _trial(trial: TrialResult) -> dict[str, object]:
    measured = asdict(trial.metrics)
    # A score of quality decides nothing, here neither.
    del measured["quality"]
    return {
        "trial": trial.trial,
        "extra": trial.extra,
        "verdict": trial.verdict.value,
        "recording": trial.cassette_sha256,
        "answer": trial.answer_sha256,
        "tools": list(trial.tool_path),
        "measured": measured,
        "missed": [
            [finding.metric, finding.code, finding.expected, finding.got]
            for finding in trial.findings
            if finding.severity == "needs_review"
        ],
    }
