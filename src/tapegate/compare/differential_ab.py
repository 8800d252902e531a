"""`differential_ab`: base and head, paired by task and trial (DESIGN §6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tapegate.compare.budgets import spent
from tapegate.compare.gate import decide
from tapegate.compare.pairing import Pair, paired
from tapegate.compare.side import Side, regraded
from tapegate.compare.strata import rate, statistics
from tapegate.compare.tasks import task_diff
from tapegate.grade.docket import WORST_FIRST
from tapegate.grade.gate import decide as decide_run
from tapegate.model.config import Profile
from tapegate.model.diff import Compared, Diff, Transition
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run

_SHOWN = 8
"""Keys that a note lists."""


def compare(base: Side, head: Side, profile_name: str, profile: Profile) -> Diff:
    """What differs between base and head, and whether it may be merged. Where a side could not be run, the comparison
    is unavailable: it says so and holds nothing else."""
    sides = (_compared(base), _compared(head))
    if base.run is None or head.run is None:
        reasons = tuple(
            f"{word} ({side.name}) could not be run: {side.problem}"
            for word, side in (("base", base), ("head", head))
            if side.run is None
        )
        code = head.exit_code if head.run is None else 3
        return Diff(profile_name, *sides, (), (), (), (), (), Gate(False, code, reasons))
    pairs = paired(base.run, head.run)
    tasks = [task for pair in pairs if (task := task_diff(pair, base, head)).kind is not None]
    budgets = spent(profile.budgets, pairs)
    both = [pair for pair in pairs if pair.base is not None and pair.head is not None]
    return Diff(
        profile_name,
        *sides,
        transitions=_transitions(pairs),
        tasks=tuple(tasks),
        statistics=statistics(pairs),
        budgets=budgets,
        notes=(*base.notes, *head.notes, *_notes(base, head, both)),
        gate=decide(tasks, budgets, profile, compared=len(both)),
    )


def judged_anew(side: Side, profile_name: str, profile: Profile) -> Side:
    """A side whose traces are graded by this version of Tapegate, so that both are judged alike.

    A task whose traces or contract are not at hand keeps the verdict it came with. Where a verdict turns, the gate is
    decided again, and the side says so.
    """
    if side.run is None:
        return side
    tasks, turned = [], []
    for result in side.run.tasks:
        task = side.task(result)
        again = (regraded(side, result, task) if task is not None else None) or result
        tasks.append(again)
        if again.verdict is not result.verdict:
            turned.append(f"{result.key} ({result.verdict} → {again.verdict})")
    run = replace(side.run, tasks=tuple(tasks))
    if not turned:
        return replace(side, run=run)
    note = f"judged again by this version of Tapegate, {side.name} has other verdicts: {_listed(turned)}"
    gate = decide_run(run.tasks, profile_name, profile, run.partial)
    return replace(side, run=replace(run, gate=gate), notes=(*side.notes, note))


def _compared(side: Side) -> Compared:
    run = side.run
    if run is None:
        return Compared(side.name, side.commit, "", 0, None, None, None, side.problem)
    return Compared(side.name, side.commit, side.digest, len(run.tasks), rate(run), run.gate.passed, run.gate.exit_code)


def _transitions(pairs: Iterable[Pair]) -> tuple[Transition, ...]:
    cells: dict[tuple[Verdict | None, Verdict | None], list[str]] = defaultdict(list)
    for pair in pairs:
        before = pair.base.verdict if pair.base is not None else None
        after = pair.head.verdict if pair.head is not None else None
        cells[before, after].append(pair.key)
    order = [*reversed(WORST_FIRST), None]
    turns = sorted(cells, key=lambda turn: (order.index(turn[0]), order.index(turn[1])))
    return tuple(Transition(*turn, tuple(sorted(cells[turn]))) for turn in turns)


def _notes(base: Side, head: Side, both: Sequence[Pair]) -> Iterable[str]:
    for word, side, results in (
        ("base", base, [pair.base for pair in both]),
        ("head", head, [pair.head for pair in both]),
    ):
        missing = [result.key for result in results if result is not None and side.task(result) is None]
        if missing:
            yield (
                f"{len(missing)} of {len(both)} tasks of {word} keep the verdict they came with: "
                "their contracts are not at hand to judge them again"
            )
    if _partial(base.run) or _partial(head.run):
        yield "a side is the run of a selection: tasks that it left out count as not there"


def _partial(run: Run | None) -> bool:
    return run is not None and run.partial


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more
