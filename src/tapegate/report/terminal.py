"""The report that a person reads where they started the run."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.run import run_score
from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report import words
from tapegate.report.inert import commandless, log_safe

STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.NEEDS_REVIEW: "yellow",
    Verdict.STALE: "magenta",
    Verdict.ERROR: "bold red",
}


def render(run: Run, digest: str, *, width: int = 100, color: bool = False) -> str:
    """The whole report as text, `width` columns wide; pure, so that the same run gives the same text."""
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
    for story in words.stories(run):
        _tell(console, story)
    console.print(_table(run))
    if run.gate.passed:
        console.print(f"[green]gate passed[/] · {words.summary(run)}")
    else:
        console.print(f"[bold red]gate failed[/] · {words.summary(run)}")
    for reason in (*run.gate.reasons, *words.remarks(run)):
        console.print(f"  {escape(log_safe(reason))}", soft_wrap=True)
    console.print(headline(run_score(run.tasks)), soft_wrap=True)
    console.print(f"digest {digest} · exit code {run.gate.exit_code}", soft_wrap=True)
    return commandless("\n".join(line.rstrip() for line in out.getvalue().split("\n")))


def _table(run: Run) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("task", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("accepted as")
    table.add_column("tools")
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("as recorded", justify="right", no_wrap=True)
    for tasks in _alike(sorted(run.tasks, key=lambda task: words.counted(task.key))):
        first, last = tasks[0], tasks[-1]
        name = first.key if first is last else f"{first.key[:-1]}–{last.key.partition('[')[2]}"
        for trial, (accepted, *cells) in zip(first.trials, _rows(first), strict=True):
            table.add_row(
                Text(name if trial.trial == 1 else f"  trial {trial.trial}{' (extra)' if trial.extra else ''}"),
                Text(trial.verdict.value, style=STYLES[trial.verdict]),
                Text(accepted),
                *(Text(cell) for cell in cells),
            )
    return table


def _alike(tasks: Iterable[TaskResult]) -> list[list[TaskResult]]:
    """Tasks that share lines: cases of one task, one behind the other, that passed and would show the same."""
    groups: list[list[TaskResult]] = []
    for task in tasks:
        last = groups[-1][-1] if groups else None
        if last is not None and task.verdict is Verdict.PASS and _next(last, task) and _shown(last) == _shown(task):
            groups[-1].append(task)
        else:
            groups.append([task])
    return groups


def _next(task: TaskResult, other: TaskResult) -> bool:
    (name, case), (other_name, other_case) = words.counted(task.key), words.counted(other.key)
    return name == other_name and 0 < case == other_case - 1


def _shown(task: TaskResult) -> list[tuple[object, ...]]:
    lines = zip(task.trials, _rows(task), strict=True)
    return [(trial.trial, trial.extra, trial.verdict, *cells) for trial, cells in lines]


def _rows(task: TaskResult) -> list[tuple[str, str, str, str]]:
    """What the columns behind the verdict say of each trial."""
    return [
        (
            words.ABSENT if trial.outcome is None else _outcome(task, trial.outcome),
            log_safe(words.tool_path(trial.tool_path)),
            words.tokens(trial.metrics.total_tokens),
            words.milliseconds(trial.metrics.latency_e2e_ms),
        )
        for trial in task.trials
    ]


def _outcome(task: TaskResult, index: int) -> str:
    name = task.outcome_names[index] if index < len(task.outcome_names) else None
    return log_safe(name) if name else f"outcome {index + 1}"


def _tell(console: Console, story: words.Story) -> None:
    first = story.tasks[0]
    head = Text(first.verdict.value.upper(), style=STYLES[first.verdict])
    head.append(" ").append(", ".join(task.key for task in story.tasks), style="bold")
    if not any(task.blocking for task in story.tasks):
        head.append(" (does not block)", style="dim")
    console.print(head, soft_wrap=True)
    for telling in story.tellings:
        # Neither wrapped nor cut: a hash, a path or a line of a diff stays in one piece, to be searched and copied.
        console.print(_indented(_telling(story, telling)), soft_wrap=True)
    console.print()


def _indented(text: Text) -> Text:
    return Text("\n").join(Text("  ").append_text(line) for line in text.split("\n", allow_blank=True))


def _telling(story: words.Story, telling: words.Telling) -> Text:
    task, finding = story.tasks[0], telling.finding
    text = Text()
    text.append(
        f"{finding.metric} · {finding.code}",
        style="" if finding.severity == "note" else STYLES[Verdict(finding.severity)],
    )
    if len(task.trials) > 1 and len(story.tasks) == 1:
        text.append(f" · {words.trials(telling.trials)}", style="dim")
    if finding.outcome is not None:
        text.append(f" · nearest outcome: {_outcome(task, finding.outcome)}", style="dim")
    if len(story.tasks) == 1:
        text.append(f"\n  {finding.file}:{finding.line}", style="cyan")
    for line in log_safe(finding.message).split("\n"):
        text.append(f"\n  {line}")
    for label, said in (("expected", finding.expected), ("got", finding.got), ("fix", story.fix or finding.fix)):
        if said:
            text.append(f"\n  {label:9} ", style="dim").append(log_safe(said))
    return text
