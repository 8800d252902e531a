"""Whether what changed may be merged: oracles decide, statistics only describe (DESIGN §6)."""

from __future__ import annotations

from collections.abc import Sequence

from tapegate.grade.gate import PRECEDENCE
from tapegate.model.config import Profile
from tapegate.model.diff import JUDGED, Kind, Spent, TaskDiff
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate

_SHOWN = 8
"""Keys that a reason lists."""


def decide(tasks: Sequence[TaskDiff], budgets: Sequence[Spent], profile: Profile, *, compared: int) -> Gate:
    """Whether the comparison passes, its exit code, and why.

    - 1: a blocking task passed and fails, whatever p says; one changed more than it allows; a budget that blocks is
      exceeded; where the profile says `loosened: block`, a blocking task would fail by base's contract; or one turned
      to a verdict of `fail_on`.
    - 3: no task is on both sides, or one that was judged could not be judged any more.
    - 4: a blocking task that was judged is stale, unless the profile says `stale: report`.

    What was so before is no change: the run's own gate judges it. When several hold: 3, 1, 4.
    """
    blocking = [task for task in tasks if task.blocking]
    turned = [task for task in blocking if task.kind is Kind.UNJUDGED]
    loosened = [task for task in blocking if task.kind is Kind.LOOSENED]
    found: dict[int, list[str]] = {code: [] for code in PRECEDENCE}
    found[1] += _said(
        [task for task in blocking if task.kind is Kind.REGRESSION], "passed and fails", "passed and fail"
    )
    moved = [task for task in blocking if task.kind is Kind.MOVED]
    found[1] += _said(moved, "changed more than it allows", "changed more than they allow")
    found[1] += [_budget(budget) for budget in budgets if budget.state == "exceeded" and budget.block]
    if profile.loosened == "block":
        found[1] += _said(loosened, "fails by base's contract", "fail by base's contract")
    if Verdict.NEEDS_REVIEW.value in profile.fail_on:
        review = [task for task in turned if task.head_verdict is Verdict.NEEDS_REVIEW]
        found[1] += _said(review, "needs review now", "need review now")
    if not compared:
        found[3].append("nothing was compared: no task is on both sides")
    crashed = [task for task in tasks if task.head_verdict is Verdict.ERROR and task.base_verdict in JUDGED]
    found[3] += _said(crashed, "cannot be judged any more", "cannot be judged any more")
    if profile.stale == "fail":
        stale = [task for task in turned if task.head_verdict is Verdict.STALE]
        found[4] += _said(stale, "is stale now", "are stale now")
    code = next((code for code in PRECEDENCE if found[code]), 0)
    return Gate(code == 0, code, tuple(reason for each in PRECEDENCE for reason in found[each]))


def _budget(budget: Spent) -> str:
    keys = [key for key, _, _ in budget.exceeded if key]
    return f"a budget is exceeded ({budget.limit})" + (f": {_listed(keys)}" if keys else "")


def _said(tasks: Sequence[TaskDiff], one: str, many: str) -> list[str]:
    if not tasks:
        return []
    return [f"{len(tasks)} {f'task {one}' if len(tasks) == 1 else f'tasks {many}'}: {_listed([t.key for t in tasks])}"]


def _listed(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return ", ".join(keys[:_SHOWN]) + more
