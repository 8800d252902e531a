"""How results are said in words and numbers, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run, TaskResult

VERDICT_WORDS = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.NEEDS_REVIEW: "need review",
    Verdict.STALE: "stale",
    Verdict.ERROR: "could not be judged",
}
"""In the order in which a summary names them."""

WORST_FIRST = (Verdict.FAIL, Verdict.ERROR, Verdict.STALE, Verdict.NEEDS_REVIEW, Verdict.PASS)

ABSENT = "–"


def summary(run: Run) -> str:
    """`6 tasks: 5 passed, 1 failed`; verdicts that no task has are left out."""
    counts = [f"{count} {words}" for verdict, words in VERDICT_WORDS.items() if (count := run.count(verdict))]
    total = f"{len(run.tasks)} {'task' if len(run.tasks) == 1 else 'tasks'}"
    return f"{total}: {', '.join(counts)}" if counts else total


def tokens(count: int | None) -> str:
    """`1,234`; a dash where no recording says."""
    return ABSENT if count is None else f"{count:,}"


def milliseconds(value: int | None) -> str:
    """`840 ms`, `1.2 s`; never shown shorter than it was."""
    if value is None:
        return ABSENT
    if value < 1000:
        return f"{value} ms"
    tenths = -(-value // 100)
    return f"{tenths // 10:,}.{tenths % 10} s"


def tool_path(tools: Sequence[str]) -> str:
    """`search_local → read_paper`; repeats are counted."""
    if not tools:
        return "no tools"
    steps: list[tuple[str, int]] = []
    for tool in tools:
        if steps and steps[-1][0] == tool:
            steps[-1] = (tool, steps[-1][1] + 1)
        else:
            steps.append((tool, 1))
    return " → ".join(tool if count == 1 else f"{tool} ×{count}" for tool, count in steps)


def worst_first(tasks: Iterable[TaskResult]) -> list[TaskResult]:
    """Tasks by verdict, the worst first, then by key."""
    return sorted(tasks, key=lambda task: (WORST_FIRST.index(task.verdict), task.key))


def most_telling(task: TaskResult) -> list[Finding]:
    """A task's findings without those that only say how other outcomes were missed.

    Invariants and replay facts come first. Of the accepted outcomes, none of which held, the one that came
    nearest (fewest conditions unmet) is kept for each trial: the others say what the agent did not try to do.
    """
    telling = [finding for finding in task.findings if finding.outcome is None]
    for trial in task.trials:
        unmet: dict[int, list[Finding]] = {}
        for finding in trial.findings:
            if finding.outcome is not None:
                unmet.setdefault(finding.outcome, []).append(finding)
        if unmet:
            telling += unmet[min(unmet, key=lambda outcome: (len(unmet[outcome]), outcome))]
    return telling
