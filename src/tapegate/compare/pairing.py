"""Which task of base is which task of head."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tapegate.model.diff import Stratum
from tapegate.model.run import Run, TaskResult, TrialResult


@dataclass(frozen=True, slots=True)
class Pair:
    """One task on both sides; on one of them it may not be there."""

    base: TaskResult | None
    head: TaskResult | None

    @property
    def key(self) -> str:
        """In head; in base where head has none."""
        task = self.head or self.base
        assert task is not None
        return task.key

    @property
    def stratum(self) -> Stratum:
        """What may be concluded from the pair."""
        base, head = self.base, self.head
        if base is None or head is None or base.contract_sha256 is None:
            return Stratum.CONTRACT_CHANGED
        if base.contract_sha256 != head.contract_sha256:
            return Stratum.CONTRACT_CHANGED
        recordings = [(one.cassette_sha256, other.cassette_sha256) for one, other in self.trials()]
        same = bool(recordings) and all(one == other for one, other in recordings)
        return Stratum.SAME_RECORDINGS if same else Stratum.RE_RECORDED

    def trials(self) -> Iterator[tuple[TrialResult, TrialResult]]:
        """The trials that both sides have, by number."""
        if self.base is not None and self.head is not None:
            there = {trial.trial: trial for trial in self.head.trials}
            yield from ((trial, there[trial.trial]) for trial in self.base.trials if trial.trial in there)


def paired(base: Run, head: Run) -> tuple[Pair, ...]:
    """Every task of either side once, sorted by key.

    Tasks pair by key. A task that is gone and a new one of the very same contract are one task that was renamed, where
    no other has that contract too.
    """
    there = {task.key: task for task in head.tasks}
    pairs = [Pair(task, there[task.key]) for task in base.tasks if task.key in there]
    known = {pair.key for pair in pairs}
    gone = _by_contract(task for task in base.tasks if task.key not in known)
    new = _by_contract(task for task in head.tasks if task.key not in known)
    for digest in sorted({*gone, *new}):
        mine, theirs = gone.get(digest, []), new.get(digest, [])
        if digest and len(mine) == len(theirs) == 1:
            pairs.append(Pair(mine[0], theirs[0]))
        else:
            pairs += [Pair(task, None) for task in mine] + [Pair(None, task) for task in theirs]
    return tuple(sorted(pairs, key=lambda pair: pair.key))


def _by_contract(tasks: Iterable[TaskResult]) -> dict[str, list[TaskResult]]:
    found: dict[str, list[TaskResult]] = defaultdict(list)
    for task in tasks:
        found[task.contract_sha256 or ""].append(task)
    return found
