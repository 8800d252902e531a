"""Whether a change may be merged, in one line, and why: the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tapegate.grade.gate import PRECEDENCE
from tapegate.model.diff import JUDGED, PROFILE_CHANGED, Diff, Kind, Stratum
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report.change_words import count

SAFE = "safe to merge"
PARTLY = " as far as it was judged"


@dataclass(frozen=True, slots=True)
class Safety:
    """Whether a change may be merged, in one line. Words of ours alone: nothing in it comes from a run."""

    state: Literal["safe", "unsafe", "unknown"]
    headline: str
    """`safe to merge`."""
    sentence: str
    """Why, in one sentence or two."""

    @property
    def tone(self) -> Literal["safe", "unsafe", "unknown"]:
        """As what it is coloured: what was judged in part only is no plain green."""
        return "unknown" if self.headline == SAFE + PARTLY else self.state


def safety(run: Run | None, diff: Diff | None) -> Safety:
    """The one line, from head's own gate and from the comparison."""
    if diff is not None and not diff.available:
        return _unavailable(run, diff)
    codes = {run.gate.exit_code if run is not None else 0}
    if diff is not None:
        codes |= {diff.gate.exit_code, diff.head.exit_code or 0}
    code = next((code for code in PRECEDENCE if code in codes), 0)
    if code:
        why = _worse(diff) + _standing(run, diff) + _loosened(diff)
        return _refused(code, _sentence(why or [_gate(run, diff)]), surely=_fails(run, diff))
    unjudged = _unjudged(run)
    # What was not judged is counted first: that the gate lets it pass makes nothing known of it.
    headline = SAFE + (PARTLY if unjudged else "")
    if diff is None:
        passes = f"The gate passes; {unjudged}" if unjudged else "The gate passes"
        return Safety("safe", headline, f"{passes}; there is no base to compare with.")
    # What the run counts as not judged is not told twice.
    turned = [] if unjudged else _review(diff)
    look = [*_worse(diff, stale=not unjudged), *_loosened(diff), *turned, *_cautions(diff)]
    said = [f"The gate passes; {unjudged}." if unjudged else "The gate passes."] if unjudged or look else []
    none = "Nothing that was judged became worse." if unjudged else _none_worse(diff)
    said += [f"To look at: {'; '.join(look)}."] if look else [none]
    return Safety("safe", headline, " ".join(said))


def _unavailable(run: Run | None, diff: Diff) -> Safety:
    sides = [word for word, side in (("base", diff.base), ("head", diff.head)) if side.problem]
    why = f"the comparison is unavailable: {' and '.join(sides)} could not be run"
    if run is not None and not run.gate.passed:
        surely = _fails(run, None)
        return _refused(run.gate.exit_code, f"The gate fails, and {why}.", surely=surely)
    return Safety("unknown", "not known to be safe", f"{why[0].upper()}{why[1:]}.")


def _refused(code: int, sentence: str, *, surely: bool) -> Safety:
    """Not safe, or not known to be: a failure beside what could not be judged is a failure."""
    if code == 3 and not surely:
        return Safety("unknown", "not known to be safe", sentence)
    return Safety("unsafe", f"not {SAFE}{' yet' if code == 4 else ''}", sentence)


def _fails(run: Run | None, diff: Diff | None) -> bool:
    """Whether what was judged fails, or became worse than it may, whatever else could not be judged."""
    if run is not None and any(task.blocking and task.verdict is Verdict.FAIL for task in run.tasks):
        return True
    if diff is None:
        return False
    worse = [*diff.of(Kind.REGRESSION), *diff.of(Kind.MOVED)]
    return any(task.blocking for task in worse) or any(one.state == "exceeded" and one.block for one in diff.budgets)


def _worse(diff: Diff | None, *, stale: bool = True) -> list[str]:
    """What became worse, the most important first."""
    if diff is None:
        return []
    unjudged = diff.of(Kind.UNJUDGED)
    error = [task for task in unjudged if task.head_verdict is Verdict.ERROR]
    over = [one for one in diff.budgets if one.state == "exceeded" and one.block]
    old = [task for task in unjudged if task.head_verdict is Verdict.STALE and stale]
    return _counted(
        (diff.of(Kind.REGRESSION), "task passed before and fails now", "tasks passed before and fail now"),
        (diff.of(Kind.MOVED), "task changed more than it allows", "tasks changed more than they allow"),
        (error, "task cannot be judged any more", "tasks cannot be judged any more"),
        (over, "budget is exceeded", "budgets are exceeded"),
        (old, "task is stale now and must be recorded again", "tasks are stale now and must be recorded again"),
    )


def _standing(run: Run | None, diff: Diff | None) -> list[str]:
    """What fails the gate and became no worse: it was so before, or is new."""
    if run is None:
        return []
    before = {task.key: task for task in diff.tasks} if diff is not None else {}
    told = {key for key, task in before.items() if task.kind in (Kind.REGRESSION, Kind.UNJUDGED)}
    rest = [task for task in run.tasks if task.key not in told]
    failed = [task for task in rest if task.blocking and task.verdict is Verdict.FAIL]
    turned = [task for task in failed if task.key in before and before[task.key].base_verdict is not Verdict.FAIL]
    new = [task for task in turned if before[task.key].base_verdict is None]
    again = " as on the base" if diff is not None else ""
    stale = [task for task in rest if task.blocking and task.verdict is Verdict.STALE]
    return _counted(
        (new, "new task fails", "new tasks fail"),
        (_without(turned, new), "task fails and was not judged before", "tasks fail and were not judged before"),
        (_without(failed, turned), f"task fails{again}", f"tasks fail{again}"),
        ([task for task in rest if task.verdict is Verdict.ERROR], "task cannot be judged", "tasks cannot be judged"),
        (stale, "task is stale and must be recorded again", "tasks are stale and must be recorded again"),
    )


def _loosened(diff: Diff | None) -> list[str]:
    found = diff.of(Kind.LOOSENED) if diff is not None else ()
    return _counted((found, "task passes only because its contract changed", "tasks pass only because theirs did"))


def _review(diff: Diff) -> list[str]:
    found = [task for task in diff.of(Kind.UNJUDGED) if task.head_verdict is Verdict.NEEDS_REVIEW]
    return _counted((found, "task needs review now", "tasks need review now"))


def _gate(run: Run | None, diff: Diff | None) -> str:
    """Why the gate fails although no task does; its reasons stand below."""
    if run is not None and not run.tasks:
        return "there is no task, and nothing was judged"
    if run is not None and run.count(Verdict.NEEDS_REVIEW):
        return f"the gate fails; {_unjudged(run)}"
    if run is not None and run.partial and not run.gate.passed:
        return "only a selection of the tasks was run"
    if diff is not None and not diff.statistics and not diff.gate.passed:
        return "no task is on both sides, and nothing was compared"
    return f"the gate fails{' as it did on the base' if diff is not None and diff.base.passed is False else ''}"


def _unjudged(run: Run | None) -> str:
    """`2 of 3 tasks were not judged: 2 stale`; empty where all were."""
    if run is None:
        return ""
    kinds = ((Verdict.STALE, "stale", "stale"), (Verdict.NEEDS_REVIEW, "needs review", "need review"))
    counts = [(run.count(verdict), one, many) for verdict, one, many in kinds]
    total = sum(number for number, _, _ in counts)
    said = ", ".join(count(number, one, many) for number, one, many in counts if number)
    were = "was" if total == 1 else "were"
    return f"{total:,} of {count(len(run.tasks), 'task', 'tasks')} {were} not judged: {said}" if total else ""


def _cautions(diff: Diff) -> list[str]:
    # What head's traces come to by base's contract is not known: nothing holds them to what was asked before.
    changed = [task for task in diff.of(Kind.RECONTRACTED) if task.contract_differs]
    unheld = [task for task in changed if task.by_base_contract not in JUDGED]
    other = any(note.startswith(PROFILE_CHANGED) for note in diff.notes)
    return [
        *_counted(
            (unheld, "task asks for something else", "tasks ask for something else"),
            (diff.of(Kind.REMOVED), "task was removed", "tasks were removed"),
        ),
        *(["the profile says something else than on the base"] if other else []),
    ]


def _none_worse(diff: Diff) -> str:
    tasks = {told.stratum: told.tasks for told in diff.statistics}
    apart, recorded = tasks.pop(Stratum.CONTRACT_CHANGED, 0), tasks.get(Stratum.RE_RECORDED, 0)
    anew = f", {recorded:,} of them recorded again" if recorded else ""
    more = f"; {count(apart, 'task', 'tasks')} cannot be compared" if apart else ""
    if not any(tasks.values()):
        return f"The gate passes{more}."
    return f"No verdict became worse in {count(sum(tasks.values()), 'task', 'tasks')}{anew}{more}."


def _without(tasks: Sequence[TaskResult], others: Sequence[TaskResult]) -> list[TaskResult]:
    return [task for task in tasks if task not in others]


def _counted(*said: tuple[Sequence[object], str, str]) -> list[str]:
    return [count(len(found), one, many) for found, one, many in said if found]


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
