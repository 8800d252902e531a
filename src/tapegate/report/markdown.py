"""The report as Markdown: the step summary of a workflow run, and `report.md`."""

from __future__ import annotations

from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report import words
from tapegate.report.inert import code_block, visible

MOST_BYTES = 1_000_000
"""GitHub refuses a step summary over 1 MiB."""


def render(run: Run, digest: str) -> str:
    """The whole report, most important first, within `MOST_BYTES`; text of the agent's stands in code blocks only."""
    head = [f"## Tapegate: {'passed' if run.gate.passed else 'failed'}", "", f"{words.summary(run)}.", ""]
    if run.gate.reasons:
        head += [f"- {_cell(reason)}" for reason in run.gate.reasons] + [""]
    table = [*_table(run), ""]
    foot = [f"Profile `{run.profile}` · exit code {run.gate.exit_code} · digest `{digest}`", ""]
    room = MOST_BYTES - sum(len(line.encode()) + 1 for line in [*head, *table, *foot])
    details: list[str] = []
    failed = [task for task in words.worst_first(run.tasks) if task.verdict is not Verdict.PASS]
    for number, task in enumerate(failed):
        detail = _detail(task)
        # Room for one more line is kept, to say what was left out.
        if len(detail.encode()) + 100 > room:
            details.append(f"{len(failed) - number} more tasks are in `report.md` of the uploaded report.\n")
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


def _detail(task: TaskResult) -> str:
    lines = [f"### {task.verdict.value}: {task.key}", ""]
    for finding in words.most_telling(task):
        said = [f"{finding.metric} · {finding.code}", f"{finding.file}:{finding.line}", finding.message]
        said += [f"expected  {finding.expected}"] if finding.expected else []
        said += [f"got       {finding.got}"] if finding.got else []
        said += [f"fix       {finding.fix}"] if finding.fix else []
        lines += [code_block("\n".join(said)), ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """`text` as inline code, which neither a table nor a list can be broken by."""
    plain = visible(text).replace("`", "'").replace("|", "¦").replace("\n", " ")
    return f"`{plain}`"
