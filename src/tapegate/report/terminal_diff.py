"""A comparison, as a person reads it on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from tapegate.model.diff import Compared, Diff, Edit, Kind, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run
from tapegate.report import change_words as say
from tapegate.report import words
from tapegate.report.excerpts import answer_lines, most_changed, nearest, unrun
from tapegate.report.inert import commandless, log_safe
from tapegate.report.safety import safety

MOST_TASKS = 30
"""Tasks of a kind that are told; beyond that, how many more there are."""
MOST_TRIALS = 2
"""Trials of a task that are told."""

COLORS = {
    Kind.REGRESSION: "bold red",
    Kind.MOVED: "bold red",
    Kind.LOOSENED: "yellow",
    Kind.UNJUDGED: "magenta",
    Kind.FIXED: "green",
}
OPS = {"same": "", "removed": "red", "added": "green"}
MARKS = {"same": "", "removed": "-", "added": "+"}
IN_A_LINE = frozenset({Kind.FIXED, Kind.NUMBERS, Kind.RENAMED, Kind.ADDED, Kind.REMOVED})
"""Kinds whose tasks are told in one line each."""


def render(diff: Diff, run: Run | None = None, *, width: int = 100, color: bool = False) -> str:
    """The comparison as text, `width` columns wide; pure. `run` is head's, where it is at hand."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
    )
    for line in _lines(diff, run):
        # Neither wrapped nor cut: a path or a hash stays in one piece, to be searched and copied.
        console.print(line, soft_wrap=True)
    return commandless("\n".join(line.rstrip() for line in out.getvalue().split("\n")))


def _lines(diff: Diff, run: Run | None) -> Iterator[Text]:
    for kind in say.KINDS:
        tasks = diff.of(kind)
        stale = [task for task in tasks if kind is Kind.UNJUDGED and task.head_verdict is Verdict.STALE]
        yield from _stale(stale, run)
        rest = [task for task in tasks if task not in stale]
        for task in rest[:MOST_TASKS]:
            yield from _task(task, kind)
        if len(rest) > MOST_TASKS:
            yield Text(f"… and {len(rest) - MOST_TASKS:,} more: {say.KINDS[kind].lower()}", style="dim")
        if rest and kind in IN_A_LINE:
            yield Text()
    for spent in diff.budgets:
        style = "bold red" if spent.state == "exceeded" else ""
        yield Text(f"{log_safe(spent.limit)}: {say.budget(spent)}", style=style)
        yield from (Text(f"  {log_safe(key)}: {told}") for key, told in say.overrun(spent)[:MOST_TASKS])
    for stratum in diff.statistics:
        heading, *told = say.statistics(stratum)
        yield Text(heading, style="bold")
        yield from (Text(f"  {line}") for line in told)
        yield from (Text(f"  {names}, {log_safe(why)}") for names, why in say.unmeasured(stratum))
    yield from (_side(word, side) for word, side in (("base", diff.base), ("head", diff.head)))
    yield from (Text(f"note  {log_safe(note)}", style="dim") for note in diff.notes)
    answer = safety(run, diff)
    style = {"safe": "green", "unsafe": "bold red", "unknown": "bold yellow"}[answer.tone]
    yield Text.assemble((answer.headline, style), f" · {answer.sentence}")
    # Where the comparison has nothing to say against head, head's own gate may have.
    reasons = diff.gate.reasons or (run.gate.reasons if run is not None and not run.gate.passed else ())
    yield from (Text(f"  {log_safe(reason)}") for reason in reasons)
    own = run.gate.exit_code if run is not None else diff.head.exit_code
    # What is not safe may be so by head's own gate alone: then this command's exit code is another answer.
    other = f" of the comparison; head's own gate: {own}" if own and not diff.gate.exit_code else ""
    yield Text(f"exit code {diff.gate.exit_code}{other}")


def _side(word: str, side: Compared) -> Text:
    text = Text(f"{word}  {log_safe(side.name)}")
    if side.commit and side.commit != side.name:
        text.append(f" ({log_safe(side.commit[:12])})", style="dim")
    return text.append(f" · {log_safe(side.problem) if side.problem else say.share(side.rate)}")


def _stale(tasks: Sequence[TaskDiff], run: Run | None) -> Iterator[Text]:
    """Stale tasks by their cause: a prompt that fifty tasks share is told once."""
    keys = {task.key for task in tasks}
    told = [story for story in words.stories(run) if keys & {task.key for task in story.tasks}] if run else []
    for story in told:
        named = [task.key for task in story.tasks if task.key in keys]
        yield Text("STALE", style=COLORS[Kind.UNJUDGED]).append(f" {log_safe(', '.join(named))}", style="bold")
        for telling in story.tellings:
            finding = telling.finding
            yield from _finding("", finding, fix=story.fix or finding.fix)
        yield Text()
    if tasks and not told:
        yield Text("STALE", style=COLORS[Kind.UNJUDGED]).append(f" {log_safe(', '.join(sorted(keys)))}", style="bold")
        yield Text()


def _task(task: TaskDiff, kind: Kind) -> Iterator[Text]:
    head = Text(kind.value.upper(), style=COLORS.get(kind, "bold"))
    head.append(f" {log_safe(task.key)}", style="bold").append(f"  {say.turn(task)}")
    if task.base_key != task.key:
        head.append(f" (was {log_safe(task.base_key)})")
    if not task.blocking:
        head.append(" (does not block)", style="dim")
    if kind in IN_A_LINE:
        numbers = [say.delta(one) for trial in task.trials[:1] for one in trial.deltas if one.increase is not None]
        yield head.append(f"  {'; '.join(numbers[:3])}" if kind is Kind.NUMBERS else "")
        return
    yield head
    yield from _contract(task)
    changed = most_changed(task)
    for trial in changed[:MOST_TRIALS]:
        yield from _trial(trial, named=len(task.trials) > 1)
    if len(changed) > MOST_TRIALS:
        yield Text(f"  … and {say.count(len(changed) - MOST_TRIALS, 'more trial', 'more trials')}", style="dim")
    yield Text()


def _contract(task: TaskDiff) -> Iterator[Text]:
    if task.by_base_contract is not None:
        yield Text(f"  by base's contract: {say.VERDICTS[task.by_base_contract]}")
        fails = [finding for finding in task.by_base_contract_findings if finding.severity == "fail"]
        for finding in nearest(fails)[:3]:
            yield from _finding("", finding)
    yield from (Text(f"  no longer accepted: {log_safe(name)}") for name in task.dropped_outcomes)
    for change in task.contract[:8]:
        yield Text(f"  {log_safe(change.place)}: {_shown(change.base)} → {_shown(change.head)}")


def _shown(value: str) -> str:
    return log_safe(value) if value else words.ABSENT


def _trial(trial: TrialDiff, *, named: bool) -> Iterator[Text]:
    if named:
        turned = f"{say.VERDICTS[trial.base_verdict]} → {say.VERDICTS[trial.head_verdict]}"
        yield Text(f"  trial {trial.trial}  {turned}", style="dim")
    ran = not unrun(trial)
    if ran and trial.base_outcome != trial.head_outcome:
        yield Text(f"  accepted as  {_shown(trial.base_outcome or '')} → {_shown(trial.head_outcome or '')}")
    if ran and any(edit.op != "same" for edit in trial.tool_path):
        yield Text("  tools        ").append_text(path(trial.tool_path))
    for line in answer_lines((trial.answer or ()) if ran else ()):
        yield Text(f"  answer     {log_safe(line)}", style=OPS["removed" if line.startswith("-") else "added"])
    if ran and trial.answer_changed and trial.answer is None:
        yield Text("  answer       changed; its text is not at hand")
    for mark, findings in (("+", trial.gained), ("-", trial.lost), ("+", trial.limits)):
        for finding in nearest(findings):
            yield from _finding(mark, finding)
    yield from (Text(f"  {log_safe(say.delta(one))}") for one in trial.deltas)


def path(edits: Sequence[Edit]) -> Text:
    """`search_local → +web_search → read_paper`, with `-` and `+` before what only base or head called."""
    text = Text()
    for place, edit in enumerate(edits):
        text.append(" → " if place else "").append(MARKS[edit.op] + log_safe(edit.text), style=OPS[edit.op])
    return text


def _finding(mark: str, finding: Finding, fix: str = "") -> Iterator[Text]:
    head = f"{mark} {finding.metric} · {finding.code}".strip()
    yield Text(f"  {head}", style=OPS["removed"] if mark == "-" else "")
    yield Text(f"    {log_safe(finding.file)}:{finding.line}", style="cyan")
    yield from (Text(f"    {line}") for line in log_safe(finding.message).split("\n"))
    for label, said in (("expected", finding.expected), ("got", finding.got), ("fix", fix or finding.fix)):
        if said and mark != "-":
            yield Text(f"    {label:9} ", style="dim").append(log_safe(said))
