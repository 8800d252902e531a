"""What a run says of the standard's mandatory inventory: each eval with its verdict, and how each path is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tapegate.load.cases import expanded
from tapegate.model.config import Config
from tapegate.model.run import TaskResult
from tapegate.model.task import Task
from tapegate.run.plan import WEEKLY_ONLY
from tapegate.standard.inventory import INVENTORY, Row


def covered(config: Config, tasks: Iterable[Task], results: Iterable[TaskResult]) -> Iterator[str]:
    """Two lines for each path that declares a row of the inventory: its evals, and its required methods.

    `tasks` and `results` are those of a whole run. An eval that is not there, and a method that no eval of the path
    uses, are told as missing: lint refuses both. An eval of the weekly audit alone is said to be that.
    """
    cases = [case for task in tasks for case in expanded(task)]
    judged = list(results)
    for path_id, path in sorted(config.paths.items()):
        if path.inventory is None:
            continue
        row = INVENTORY[path.inventory]
        evals = [
            f"{name} {_verdict([one for one in judged if (one.path_id, one.id) == (path_id, name)])}"
            for name in row.evals
        ]
        weekly = sorted({case.id for case in cases if case.path_id == path_id and case.id in WEEKLY_ONLY})
        evals += [f"{name} {_weekly(name, path_id, judged)}" for name in weekly]
        yield f"{path_id}  {path.title}: {' · '.join(evals)}"
        if row.methods:
            yield f"    by {', '.join(_methods(row, config, [case for case in cases if case.path_id == path_id]))}"


def _weekly(name: str, path_id: str, judged: Sequence[TaskResult]) -> str:
    """Of an eval that no gate of a pull request or a night runs."""
    results = [one for one in judged if (one.path_id, one.id) == (path_id, name)]
    return f"{_verdict(results)} (gates nothing)" if results else "in the weekly audit only"


def _verdict(results: Sequence[TaskResult]) -> str:
    """Of an eval, which may have several cases."""
    counted = Counter(str(one.verdict.value) for one in results)
    if not counted:
        return "missing"
    if len(counted) == 1:
        (verdict,) = counted
        return verdict if len(results) == 1 else f"{verdict} ({len(results)} cases)"
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counted.items()))


def _methods(row: Row, config: Config, cases: Sequence[Task]) -> Iterator[str]:
    for method in row.methods:
        by = f" ({method.metric})" if method.metric is not None else ""
        missing = "" if any(method.used(case, config) for case in cases) else " [missing]"
        yield f"{method.name}{by}{missing}"
