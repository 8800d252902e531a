"""The report as Markdown: the step summary of a workflow run, and `report.md`."""

from __future__ import annotations

from tapegate.grade.rubric.headline import headline
from tapegate.grade.rubric.run import run_score
from tapegate.model.run import Run
from tapegate.report import words
from tapegate.report.inert import code_block, inline_code

MOST_BYTES = 980_000
"""GitHub refuses a step summary over 1 MiB, and what changed stands above."""
LONGEST = 2_000
"""Characters of one reason or remark."""
POINTS = 20
"""Reasons and remarks that are told."""
PATH = 120
"""Characters of one tool path."""
KEYS = 30
"""Tasks of one story that are named."""
LAST_LINE = 100
"""Bytes kept for a line that says what was left out."""


def render(run: Run, digest: str, *, answered: str = "", most_bytes: int = MOST_BYTES) -> str:
    """The whole report, most important first, within `most_bytes`; what others wrote stands in code only.

    `answered` is a list that stands before all else.
    """
    head = [f"## Tapegate: {'passed' if run.gate.passed else 'failed'}", "", *([answered] if answered else [])]
    head += [f"{words.summary(run)}.", ""]
    if points := [*run.gate.reasons, *words.remarks(run)]:
        head += [f"- {inline_code(point, LONGEST)}" for point in points[:POINTS]]
        head += [f"- and {len(points) - POINTS:,} more" for _ in points[POINTS : POINTS + 1]] + [""]
    foot = [f"{headline(run_score(run.tasks)).capitalize()}.", ""]
    foot += [
        f"Profile {inline_code(run.profile)} · exit code {run.gate.exit_code} · digest {inline_code(digest)}",
        "",
    ]
    room = most_bytes - _bytes([*head, *foot])
    # Half for every task in a line, so that one of many words hides no other; what that leaves is for the details.
    table = _table(run, room // 2)
    return "\n".join([*head, *_details(run, room - _bytes(table)), *table, *foot])


def _details(run: Run, room: int) -> list[str]:
    details: list[str] = []
    stories = words.stories(run)
    for number, story in enumerate(stories):
        detail = _detail(story)
        if _bytes([detail]) + LAST_LINE > room:
            more = sum(len(left.tasks) for left in stories[number:])
            details.append(f"{more:,} more tasks are in `results.json` of the uploaded report.\n")
            break
        room -= _bytes([detail])
        details.append(detail)
    return details


def _table(run: Run, room: int) -> list[str]:
    rows = ["| task | verdict | tools | tokens | as recorded |", "| --- | --- | --- | ---: | ---: |"]
    room -= _bytes(rows) + LAST_LINE
    tasks = words.worst_first(run.tasks)
    for number, task in enumerate(tasks):
        tools = words.tool_path(task.trials[0].tool_path) if task.trials else words.ABSENT
        row = (
            f"| {inline_code(task.key)} | {task.verdict.value} | {inline_code(tools, PATH)} "
            f"| {words.tokens(task.metrics.total_tokens)} | {words.milliseconds(task.metrics.latency_e2e_ms)} |"
        )
        room -= _bytes([row])
        if room < 0:
            rows.append(f"| … {len(tasks) - number:,} more are in `results.json` | | | | |")
            break
        rows.append(row)
    return [*rows, ""]


def _bytes(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _detail(story: words.Story) -> str:
    task = story.tasks[0]
    more = f" and {len(story.tasks) - KEYS:,} more" if len(story.tasks) > KEYS else ""
    lines = [f"### {task.verdict.value}: {', '.join(inline_code(each.key) for each in story.tasks[:KEYS])}{more}", ""]
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
