"""The rule that turns a run into an exit code (DESIGN §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.run import run_score
from tapegate.grade.unjudged import INPUT
from tapegate.model.config import Profile
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, TaskResult

PRECEDENCE = (2, 3, 1, 4)
"""Which exit code is given when several hold."""

_SHOWN = 8
"""Keys that a reason lists."""


def decide(tasks: Iterable[TaskResult], profile_name: str, profile: Profile, partial: bool) -> Gate:
    """Whether the run passes, its exit code, and why, the first reason first; no reason where all tasks passed.

    - 2: a file that a task needs cannot be used.
    - 3: there is no task, none could be judged, one could not be judged, or every one is `needs_review`.
    - 1: a blocking task failed; `fail_on` names a verdict that a blocking task has, or `not_ready` and the run is not
      (surely) ready for release; or a selection was run and the profile accepts whole runs only.
    - 4: the recordings of a blocking task are stale, unless the profile says `stale: report`.

    When several hold: 2, 3, 1, 4. A task with `blocking: false` never gives 1 or 4. That it could not be judged is no
    failure of the agent, so it gives 2 or 3 like any other task.
    """
    ordered = sorted(tasks, key=lambda task: task.key)
    blocking = [task for task in ordered if task.blocking]
    stale = _having(blocking, Verdict.STALE)
    found: dict[int, list[str]] = {
        1: [*_failed(blocking, profile_name, profile, partial), *_not_ready(ordered, profile_name, profile)],
        2: _having_said(_unusable(ordered), "needs a file that cannot be used", "need a file that cannot be used"),
        3: _unjudged(ordered),
        4: _having_said(stale, "is stale", "are stale") if profile.stale == "fail" else [],
    }
    if not any(found.values()) and not any(task.verdict in (Verdict.PASS, Verdict.FAIL) for task in ordered):
        found[3] = ["nothing was judged"]
    code = next((code for code in PRECEDENCE if found[code]), 0)
    reasons = [reason for each in PRECEDENCE for reason in found[each]]
    if not found[4]:
        reasons = [*_not_judged(ordered), *reasons]
    aside = [task for task in ordered if not task.blocking and task.verdict is not Verdict.PASS]
    reasons += [f"{task.key} does not block: {task.verdict.value}" for task in aside[:_SHOWN]]
    return Gate(passed=code == 0, exit_code=code, reasons=tuple(reasons))


def _unusable(tasks: Sequence[TaskResult]) -> list[TaskResult]:
    errors = _having(tasks, Verdict.ERROR)
    return [task for task in errors if any(finding.metric == INPUT for finding in task.findings)]


def _unjudged(tasks: Sequence[TaskResult]) -> list[str]:
    if not tasks:
        return ["nothing was judged: there is no task"]
    if len(_having(tasks, Verdict.NEEDS_REVIEW)) == len(tasks):
        return ["nothing was judged: every task needs review"]
    unusable = _unusable(tasks)
    crashed = [task for task in _having(tasks, Verdict.ERROR) if task not in unusable]
    return _having_said(crashed, "could not be judged", "could not be judged")


def _failed(blocking: Sequence[TaskResult], name: str, profile: Profile, partial: bool) -> list[str]:
    reasons = _having_said(_having(blocking, Verdict.FAIL), "failed", "failed")
    if "needs_review" in profile.fail_on:
        review = _having(blocking, Verdict.NEEDS_REVIEW)
        rule = f"which profile {name!r} does not accept"
        reasons += _having_said(review, f"needs review, {rule}", f"need review, {rule}")
    if partial and not profile.partial:
        reasons.append(f"a selection of the tasks was run, and profile {name!r} accepts whole runs only")
    return reasons


def _not_ready(tasks: Sequence[TaskResult], name: str, profile: Profile) -> list[str]:
    """Readiness is of the whole run, so that tasks which do not block count in it too."""
    if "not_ready" not in profile.fail_on:
        return []
    score = run_score(tasks)
    return [] if score.release_ready else [f"{headline(score)}, which profile {name!r} does not accept"]


def _not_judged(tasks: Sequence[TaskResult]) -> list[str]:
    """How much of the run was not judged; it stands first where the gate does not already fail for it."""
    kinds = ((Verdict.STALE, "stale", "stale"), (Verdict.NEEDS_REVIEW, "needs review", "need review"))
    counts = [(len(_having(tasks, verdict)), one, many) for verdict, one, many in kinds]
    total = sum(count for count, _, _ in counts)
    if not total:
        return []
    why = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
    return [f"{total} of {len(tasks)} {'task' if len(tasks) == 1 else 'tasks'} not judged: {why}"]


def _having(tasks: Sequence[TaskResult], verdict: Verdict) -> list[TaskResult]:
    return [task for task in tasks if task.verdict is verdict]


def _having_said(tasks: Sequence[TaskResult], one: str, many: str) -> list[str]:
    if not tasks:
        return []
    keys = ", ".join(task.key for task in tasks[:_SHOWN])
    rest = f" and {len(tasks) - _SHOWN} more" if len(tasks) > _SHOWN else ""
    return [f"1 task {one}: {keys}" if len(tasks) == 1 else f"{len(tasks)} tasks {many}: {keys}{rest}"]
