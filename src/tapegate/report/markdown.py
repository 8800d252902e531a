"""The report as Markdown: the step summary of a workflow run, and `report.md`."""

from __future__ import annotations

from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.run import run_score
from tapegate.model.run import Run
from tapegate.report import words
from tapegate.report.inert import code_block, visible

MOST_BYTES = 980_000
"""GitHub refuses a step summary over 1 MiB, and what changed stands above."""


def render(run: Run, digest: str, *, answered: str = "") -> str:
    """The whole report, most important first, within `MOST_BYTES`; text of the agent's stands in code blocks only.

    `answered` is a list that stands before all else.
    """
    head = [f"## Tapegate: {'passed' if run.gate.passed else 'failed'}", "", *([answered] if answered else [])]
    head += [f"{words.summary(run)}.", ""]
    if points := [*run.gate.reasons, *words.remarks(run)]:
        head += [f"- {_cell(point)}" for point in points] + [""]
    table = [*_table(run), ""]
    foot = [f"{headline(run_score(run.tasks)).capitalize()}.", ""]
    foot += [f"Profile `{run.profile}` · exit code {run.gate.exit_code} · digest `{digest}`", ""]
    room = MOST_BYTES - sum(len(line.encode()) + 1 for line in [*head, *table, *foot])
    details: list[str] = []
    stories = words.stories(run)
    for number, story in enumerate(stories):
        detail = _detail(story)
        # Room for one more line is kept, to say what was left out.
        if len(detail.encode()) + 100 > room:
            more = sum(len(left.tasks) for left in stories[number:])
            details.append(f"{more} more tasks are in `results.json` of the uploaded report.\n")
            break
        room -= len(detail.encode())
        details.append(detail)
    return "\n".join([*head, *details, *table, *foot])


def _table(run: Run) -> list[str]:
    rows = ["| task | verdict | tools | tokens | as recorded |", "| --- | --- | --- | ---: | ---: |"]
    for task in words.worst_first(run.tasks):
        tools = words.tool_path(task.trials[0].tool_path) if task.trials else words.ABSENT
        rows.append(
            f"| {task.key} | {task.verdict.value} | {_cell(tools)} "
            f"| {words.tokens(task.metrics.total_tokens)} | {words.milliseconds(task.metrics.latency_e2e_ms)} |"
        )
    return rows


def _detail(story: words.Story) -> str:
    task = story.tasks[0]
    lines = [f"### {task.verdict.value}: {', '.join(each.key for each in story.tasks)}", ""]
    for telling in story.tellings:
        finding = telling.finding
        where = f" · {words.trials(telling.trials)}" if len(task.trials) > 1 and len(story.tasks) == 1 else ""
        said = [f"{finding.metric} · {finding.code}{where}"]
        said += [f"{finding.file}:{finding.line}"] if len(story.tasks) == 1 else []
        said.append(finding.message)
        said += [f"expected  {finding.expected}"] if finding.expected else []
        said += [f"got       {finding.got}"] if finding.got else []
        fix = story.fix or finding.fix
        said += [f"fix       {fix}"] if fix else []
        lines += [code_block("\n".join(said)), ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """`text` as inline code, which neither a table nor a list can be broken by."""
    plain = visible(text).replace("`", "'").replace("|", "¦").replace("\n", " ")
    return f"`{plain}`"
