"""How results are said in words and numbers, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from tapegate.grade.replay import about
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run, TaskResult

N = TypeVar("N", int, Decimal)

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

REPLAY = "replay"
"""What findings about the replay itself name as their metric."""
MOST_KEYS = 4
"""Keys that a command names one by one; beyond that it names none and means all."""
UNPLAYED = "unplayed"
"""Of them, the ones that follow from any other."""


def summary(run: Run) -> str:
    """`6 tasks: 5 passed, 1 failed`; verdicts that no task has are left out."""
    counts = [f"{count:,} {words}" for verdict, words in VERDICT_WORDS.items() if (count := run.count(verdict))]
    total = f"{len(run.tasks):,} {'task' if len(run.tasks) == 1 else 'tasks'}"
    return f"{total}: {', '.join(counts)}" if counts else total


def remarks(run: Run) -> list[str]:
    """What a reader should know of a run whatever its verdict, one sentence each."""
    unsure = [task for task in run.tasks if task.borderline]
    held = [task for task in run.tasks if task.quarantine is not None]
    said = []
    if unsure:
        often = ", ".join(f"{task.key} ({task.borderline} of {trials_of(len(task.trials))})" for task in unsure)
        said.append(f"borderline, and so a candidate for flaky_prone: {often}")
    if held:
        count = f"{len(held)} of {len(run.tasks)} {'task is' if len(run.tasks) == 1 else 'tasks are'} quarantined"
        said.append(f"{count}: {'; '.join(f'{task.key} {task.quarantine}' for task in held)}")
    accepted = [task for task in run.tasks if task.accepted is not None]
    if accepted:
        said.append(f"accepted by a person: {'; '.join(f'{task.key}: {task.accepted}' for task in accepted)}")
    return said


def trials_of(count: int) -> str:
    """`1 trial`, `3 trials`."""
    return "1 trial" if count == 1 else f"{count} trials"


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


def trials(numbers: Sequence[int]) -> str:
    """`trial 2`, `trials 1, 3`."""
    return f"{'trial' if len(numbers) == 1 else 'trials'} {', '.join(map(str, numbers))}"


def worst_first(tasks: Iterable[TaskResult]) -> list[TaskResult]:
    """Tasks by verdict, the worst first; those that block before those that do not; then by key."""
    return sorted(tasks, key=lambda task: (WORST_FIRST.index(task.verdict), not task.blocking, *counted(task.key)))


def counted(key: str) -> tuple[str, int]:
    """A sort key by which the second case of a task, `RET-08@A5[2]`, stands before its tenth."""
    task, _, case = key.partition("[")
    number = case.removesuffix("]")
    return task, int(number) if number.isdecimal() and len(number) < 10 else 0


@dataclass(frozen=True, slots=True)
class Telling:
    """A finding worth telling, and every trial that has it."""

    finding: Finding
    trials: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """What is told of one task that did not pass, or of several stale ones that have one cause."""

    tasks: tuple[TaskResult, ...]
    tellings: tuple[Telling, ...]
    fix: str
    """One command for all of them, with what it takes; empty where each telling has its own."""


def stories(run: Run) -> list[Story]:
    """What is told of a run, the worst first. A prompt that fifty tasks share is explained once."""
    causes: dict[tuple[object, ...], list[TaskResult]] = {}
    for task in worst_first(run.tasks):
        if task.verdict is not Verdict.PASS:
            told = most_telling(task)
            cause = (task.blocking, *((each.finding.metric, each.finding.code, each.finding.message) for each in told))
            causes.setdefault(cause if task.verdict is Verdict.STALE else (task.key,), []).append(task)
    return [_story(tasks, run) for tasks in causes.values()]


def _story(tasks: Sequence[TaskResult], run: Run) -> Story:
    told = most_telling(tasks[0])
    if tasks[0].verdict is not Verdict.STALE:
        return Story(tuple(tasks), tuple(told), "")
    if len(tasks) > 1:
        keys = " ".join(task.key for task in tasks) if len(tasks) <= MOST_KEYS else ""
        commands = {f"tapegate record {keys} --stale".replace("  ", " ")}
    else:
        keys = tasks[0].key
        commands = {each.finding.fix.split("  #")[0] for each in told}
    command = commands.pop() if len(commands) == 1 else ""
    if not command.startswith("tapegate record"):
        return Story(tuple(tasks), tuple(told), "")
    # A command without keys records everything that is stale, whatever the story.
    covered = tasks if keys else run.tasks
    stale = [trial for task in covered for trial in task.trials if trial.verdict is Verdict.STALE]
    tokens = _sum([trial.recorded_tokens for trial in stale])
    dollars = _sum([Decimal(trial.recorded_usd) if trial.recorded_usd is not None else None for trial in stale])
    return Story(tuple(tasks), tuple(told), command + about(tokens, dollars))


def _sum(amounts: Sequence[N | None]) -> N | None:
    """The sum; None where one of them is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(amounts) else None


def most_telling(task: TaskResult) -> list[Telling]:
    """A task's findings without those that only follow from others; what several trials share is told once.

    - What decided the verdict comes first, and of that invariants and replay facts. Of the accepted outcomes, none of
      which held, the one that came nearest (fewest conditions unmet) is kept for each trial: the others say what the
      agent did not try to do.
    - After a miss, everything that did not happen any more follows from it. A task that is merely stale is told by its
      misses alone, and of one that failed what the miss excuses is left out.
    """
    shared: dict[Finding, list[Finding]] = {}
    for trial in task.trials:
        for finding in _telling(trial.findings, task.verdict):
            # The fix may say what this trial alone costs: it makes no other finding of it.
            shared.setdefault(replace(finding, trial=0, fix=""), []).append(finding)
    told = [Telling(found[0], tuple(finding.trial for finding in found)) for found in shared.values()]
    return sorted(
        told, key=lambda each: (each.finding.severity != task.verdict.value, each.finding.outcome is not None)
    )


def _telling(findings: Sequence[Finding], verdict: Verdict) -> list[Finding]:
    apart = [finding for finding in findings if finding.outcome is None]
    if verdict is Verdict.STALE:
        facts = [finding for finding in apart if finding.metric == REPLAY]
        return [finding for finding in facts if finding.code != UNPLAYED] or facts
    unmet: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.outcome is not None:
            unmet.setdefault(finding.outcome, []).append(finding)
    nearest = unmet[min(unmet, key=lambda outcome: (len(unmet[outcome]), outcome))] if unmet else []
    broken = [finding for finding in [*apart, *nearest] if finding.severity == verdict.value]
    excused = [finding for finding in apart if finding.metric != REPLAY and finding.severity == Verdict.STALE.value]
    return [
        *broken,
        *(each for each in apart if each not in broken and each not in excused and each.code != UNPLAYED),
    ]
