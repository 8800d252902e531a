"""The comment on a pull request: one line says whether it is safe to merge, then why, the most important first.

Whatever an agent, a task or a stranger wrote stands in code, where GitHub makes nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.model.diff import Compared, Diff, Kind, Spent, Stratum, TaskDiff, TrialDiff
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report import answers, words
from tapegate.report import change_words as say
from tapegate.report.excerpts import answer_lines, most_changed, nearest, path_lines, unrun
from tapegate.report.inert import code_block, inline_code
from tapegate.report.safety import safety
from tapegate.report.sheet import Section, Sheet

MOST_BYTES = 60_000
"""GitHub refuses a comment over 65,536 characters."""
TOLD = 10
"""Tasks of a section that are told in full."""
LISTED = 30
"""Tasks of a section that are told at all."""
LEADING = frozenset({"total_tokens", "cost_usd", "latency_e2e_ms"})
"""Measures of what was recorded again that stand at the head."""
LONGEST = 1_500
"""Characters of one code block."""


def render(diff: Diff | None, run: Run | None, *, digest: str = "", most_bytes: int = MOST_BYTES) -> str:
    """The comment, within `most_bytes`. `run` is head's, where it is at hand; `diff` is None where there is no base."""
    told = safety(run, diff)
    results = {task.key: task for task in run.tasks} if run is not None else {}
    head = [
        f"## Tapegate: {told.headline}",
        "",
        f"**{told.sentence}**",
        "",
        *_answers(run, diff),
        *_sides(diff, run),
    ]
    sections = list(_changed(diff, results)) if diff is not None else []
    sections += _standing(diff, run)
    sections += _measured(diff) if diff is not None else []
    return Sheet(head, sections, _foot(diff, run, digest)).within(most_bytes)


def _sides(diff: Diff | None, run: Run | None) -> list[str]:
    if diff is None:
        return ["", f"{words.summary(run)}.", ""] if run is not None else []
    lines = [_side(word, side) for word, side in (("Base", diff.base), ("Head", diff.head))]
    unrecorded = {task.key for task in run.tasks if not _recorded(task)} if run is not None else set()
    recorded = [told for told in diff.statistics if told.stratum is Stratum.RE_RECORDED]
    for told in recorded:
        changed = [task.key for task in diff.tasks if task.stratum is Stratum.RE_RECORDED]
        # Of a task that head has no recording for, nothing was recorded again.
        keys = [key for key in changed if key not in unrecorded]
        named = f": {', '.join(map(inline_code, keys[:TOLD]))}{' and more' if len(keys) > TOLD else ''}" if keys else ""
        if number := told.tasks - (len(changed) - len(keys)):
            lines.append(f"- Re-recorded: {say.count(number, 'task', 'tasks')}{named}")
        lines += [f"  - {say.statistic(one)}" for one in told.measures if one.measure in LEADING]
    return [*lines, ""]


def _recorded(task: TaskResult) -> bool:
    return any(trial.cassette_sha256 is not None for trial in task.trials)


def _answers(run: Run | None, diff: Diff | None) -> list[str]:
    """Two answers on two lines: neither stands for the other."""
    if run is None:
        return []
    told = (("Behaviour", answers.behaviour(run, diff)), ("Recordings", answers.recordings(run)))
    return [f"- {word} {answer.sentence}{_keys(answer.keys)}" for word, answer in told]


def _keys(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - TOLD:,} more" if len(keys) > TOLD else ""
    return f": {', '.join(map(inline_code, keys[:TOLD]))}{more}" if keys else ""


def _side(word: str, side: Compared) -> str:
    commit = f" {inline_code(side.commit[:12])}" if side.commit and side.commit != side.name else ""
    if side.problem:
        return f"- {word} {inline_code(side.name)}{commit} could not be run: {inline_code(side.problem, 400)}"
    return f"- {word} {inline_code(side.name)}{commit}: {say.share(side.rate)}"


def _changed(diff: Diff, results: dict[str, TaskResult]) -> Iterator[Section]:
    """What became of tasks, the most important first."""
    for kind in (Kind.REGRESSION, Kind.MOVED, Kind.LOOSENED):
        yield _section(say.KINDS[kind], diff.of(kind), results)
    unjudged = diff.of(Kind.UNJUDGED)
    stale = [task for task in unjudged if task.head_verdict is Verdict.STALE]
    if stale:
        yield _stale(stale, results)
    review = [task for task in unjudged if task.head_verdict is Verdict.NEEDS_REVIEW]
    yield _section(say.KINDS[Kind.UNJUDGED], [task for task in unjudged if task not in [*stale, *review]], results)
    yield _section("Needs review", review, results)
    yield _section(say.KINDS[Kind.FIXED], diff.of(Kind.FIXED), {}, told=0)
    gone = [task for kind in (Kind.RECONTRACTED, Kind.REMOVED, Kind.ADDED, Kind.RENAMED) for task in diff.of(kind)]
    yield _section("Not comparable", gone, results, told=0)


def _section(title: str, tasks: Sequence[TaskDiff], results: dict[str, TaskResult], told: int = TOLD) -> Section:
    items = [(_full(task, results.get(task.key)) if place < told else _line(task)) for place, task in enumerate(tasks)]
    return Section(f"### {title} ({len(tasks):,})", items, [_line(task) for task in tasks], most=LISTED)


def _line(task: TaskDiff) -> str:
    """One task on one line."""
    said = [say.turn(task)]
    if task.by_base_contract is not None:
        said.append(f"{say.VERDICTS[task.by_base_contract]} by base's contract")
    if task.dropped_outcomes:
        said.append(f"no longer accepted: {', '.join(map(inline_code, task.dropped_outcomes[:4]))}")
    places = list(dict.fromkeys(change.place for change in task.contract))
    said += [f"changed: {', '.join(map(inline_code, places[:4]))}"] if places else []
    if not task.blocking:
        said.append("does not block")
    return f"- {inline_code(task.key)}{_was(task)}: {'; '.join(said)}\n"


def _was(task: TaskDiff) -> str:
    return f" (was {inline_code(task.base_key)})" if task.base_key != task.key else ""


def _full(task: TaskDiff, result: TaskResult | None) -> str:
    """One task with what was expected, what it did, and what is different."""
    lines = [f"#### {inline_code(task.key)} {say.turn(task)}{_was(task)}", ""]
    told = [f"{_said(finding)}" for finding in _findings(task, result)]
    if told:
        lines += [code_block(_clipped("\n\n".join(told))), ""]
    for trial in most_changed(task)[:2]:
        lines += _trial(trial, named=len(task.trials) > 1)
    if task.dropped_outcomes:
        lines += [f"No longer accepted: {', '.join(map(inline_code, task.dropped_outcomes[:8]))}", ""]
    if task.contract:
        changes = [
            f"{change.place}\n- {change.base or '(none)'}\n+ {change.head or '(none)'}" for change in task.contract
        ]
        lines += [code_block(_clipped("\n".join(changes)), "diff"), ""]
    return "\n".join(lines)


def _findings(task: TaskDiff, result: TaskResult | None) -> list[Finding]:
    limits = [finding for trial in task.trials for finding in trial.limits]
    if task.by_base_contract is Verdict.FAIL:
        return nearest([finding for finding in task.by_base_contract_findings if finding.severity == "fail"])[:3]
    if result is not None and result.verdict is not Verdict.PASS:
        return [*limits, *(telling.finding for telling in words.most_telling(result))][:5]
    return [*limits, *(finding for trial in task.trials for finding in nearest(trial.gained))][:5]


def _said(finding: Finding) -> str:
    said = [f"{finding.metric} · {finding.code}", f"{finding.file}:{finding.line}", finding.message]
    for label, text in (("expected", finding.expected), ("got", finding.got), ("fix", finding.fix)):
        said += [f"{label:9} {text}"] if text else []
    return "\n".join(said)


def _trial(trial: TrialDiff, *, named: bool) -> list[str]:
    lines = []
    ran = not unrun(trial)
    if ran and any(edit.op != "same" for edit in trial.tool_path):
        lines += path_lines(trial.tool_path)
    if ran and trial.answer is not None:
        lines += ["", *answer_lines(trial.answer)] if lines else answer_lines(trial.answer)
    shown = [f"Trial {trial.trial}", ""] if named and (lines or trial.deltas) else []
    shown += [code_block(_clipped("\n".join(lines)), "diff"), ""] if lines else []
    shown += [*(f"- {say.delta(one)}" for one in trial.deltas if not one.not_measured), ""] if trial.deltas else []
    return shown


def _stale(tasks: Sequence[TaskDiff], results: dict[str, TaskResult]) -> Section:
    keys = [task.key for task in tasks]
    command = f"tapegate record {' '.join(keys) if len(keys) <= words.MOST_KEYS else ''} --stale".replace("  ", " ")
    causes: dict[str, list[str]] = {}
    for task in tasks:
        result = results.get(task.key)
        told = [telling.finding.message for telling in words.most_telling(result)] if result is not None else []
        causes.setdefault("\n\n".join(told), []).append(task.key)
    items = [f"{code_block(command)}\n"]
    for cause, keys in causes.items():
        listed = ", ".join(map(inline_code, keys[:TOLD])) + (
            f" and {len(keys) - TOLD} more" if len(keys) > TOLD else ""
        )
        items.append(f"- {listed}\n\n{code_block(_clipped(cause))}\n" if cause else f"- {listed}\n")
    counts = [0, *map(len, causes.values())]
    return Section(f"### Stale ({len(tasks):,}): record again", items, items, most=LISTED, counts=counts)


def _standing(diff: Diff | None, run: Run | None) -> list[Section]:
    """What fails in head and did before, or is new: no change, and yet not safe."""
    if run is None:
        return []
    told = (
        {task.key for task in diff.tasks if task.kind in (Kind.REGRESSION, Kind.UNJUDGED)}
        if diff is not None
        else set()
    )
    stories = [story for story in words.stories(run) if not {task.key for task in story.tasks} <= told]
    items = []
    for story in stories:
        task = story.tasks[0]
        named = ", ".join(inline_code(each.key) for each in story.tasks[:TOLD])
        named += f" and {len(story.tasks) - TOLD:,} more" if len(story.tasks) > TOLD else ""
        findings = [_said(telling.finding) for telling in story.tellings][:3]
        block = f"\n\n{code_block(_clipped(chr(10).join(findings)))}" if findings else ""
        items.append(f"- {named}: {say.VERDICTS[task.verdict]}{block}\n")
    compared = diff is not None and diff.available
    title = "Not passing, as before or new" if compared else "Not passing"
    count = sum(len(story.tasks) for story in stories)
    # Folded only where something worse stands above it.
    folded = diff is not None and compared and any(map(diff.of, (Kind.REGRESSION, Kind.MOVED, Kind.UNJUDGED)))
    counts = [len(story.tasks) for story in stories]
    return [Section(f"### {title} ({count:,})", items, items, most=LISTED, folded=folded, counts=counts)]


def _measured(diff: Diff) -> list[Section]:
    budgets = [
        "\n".join([f"- {inline_code(one.limit)}: {say.budget(one)}", *_overrun(one), ""]) for one in diff.budgets
    ]
    numbers = []
    for stratum in diff.statistics:
        heading, *lines = say.statistics(stratum)
        lines += [f"{names}, {inline_code(why)}" for names, why in say.unmeasured(stratum)]
        numbers.append("\n".join([heading, "", *(f"- {line}" for line in lines), ""]))
    matrix = _matrix(diff)
    return [
        Section(f"### Budgets ({len(diff.budgets):,})", budgets, budgets, most=LISTED),
        *(_moved(kind, diff.of(kind)) for kind in (Kind.CHANGED, Kind.NUMBERS)),
        Section("Numbers", [*matrix, *numbers], [*matrix, *numbers], most=LISTED, folded=True),
    ]


def _moved(kind: Kind, tasks: Sequence[TaskDiff]) -> Section:
    items = [f"- {inline_code(task.key)}: {'; '.join(_moves(task))}\n" for task in tasks]
    return Section(f"{say.KINDS[kind]} ({len(tasks):,})", items, items, most=LISTED, folded=True)


def _overrun(one: Spent) -> Iterator[str]:
    yield from (f"  - {inline_code(key)}: {told}" for key, told in say.overrun(one)[:TOLD])


def _moves(task: TaskDiff) -> Iterator[str]:
    """What is different of a task that passes still or did not pass before, in a few words."""
    if task.base_verdict is not task.head_verdict:
        yield say.turn(task)
    for trial in task.trials[:1]:
        if trial.base_outcome != trial.head_outcome:
            sides = (inline_code(trial.base_outcome or "none", 60), inline_code(trial.head_outcome or "none", 60))
            yield f"accepted as {sides[1]}, was {sides[0]}"
        if any(edit.op != "same" for edit in trial.tool_path):
            marks = {"same": "", "removed": "-", "added": "+"}
            yield f"tools {inline_code(' → '.join(marks[edit.op] + edit.text for edit in trial.tool_path))}"
        if trial.answer_changed:
            yield "another answer"
        for one in trial.deltas:
            if one.increase is not None and one.measure in ("total_tokens", "cost_usd", "latency_e2e_ms"):
                yield say.delta(one)


def _matrix(diff: Diff) -> list[str]:
    bases = [verdict for verdict in say.VERDICTS if any(cell.base is verdict for cell in diff.transitions)]
    heads = [verdict for verdict in say.VERDICTS if any(cell.head is verdict for cell in diff.transitions)]
    if not bases:
        return []
    cells = {(cell.base, cell.head): len(cell.keys) for cell in diff.transitions}
    rows = [
        f"| base ↓ head → | {' | '.join(say.VERDICTS[verdict] for verdict in heads)} |",
        f"| --- |{' ---: |' * len(heads)}",
    ]
    for base in bases:
        counts = [f"{cells[base, head]:,}" if (base, head) in cells else "" for head in heads]
        rows.append(f"| {say.VERDICTS[base]} | {' | '.join(counts)} |")
    return ["\n".join(rows) + "\n"]


def _foot(diff: Diff | None, run: Run | None, digest: str) -> list[str]:
    reasons = [*(run.gate.reasons if run is not None else ()), *(diff.gate.reasons if diff is not None else ())]
    remarks = words.remarks(run) if run is not None else []
    lines = [f"- {inline_code(reason, 400)}" for reason in dict.fromkeys(reasons)][:12]
    lines += [f"- {inline_code(remark, 400)}" for remark in remarks]
    lines += [f"- note: {inline_code(note, 400)}" for note in (diff.notes if diff is not None else ())][:12]
    facts = []
    if run is not None:
        facts += [f"profile {inline_code(run.profile)}", f"gate {run.gate.exit_code}"]
    if diff is not None:
        facts.append(f"comparison {diff.gate.exit_code}")
    if digest or (diff is not None and diff.head.digest):
        facts.append(f"digest {inline_code(digest or (diff.head.digest if diff is not None else ''))}")
    return [*lines, "", " · ".join(facts), ""]


def _clipped(text: str) -> str:
    """A code block's text, cut between lines where it is long."""
    if len(text) <= LONGEST:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    room = LONGEST
    for line in lines:
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    if not kept:
        kept = [lines[0][:LONGEST] + "…"]
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"… {left} more lines"] if left else kept)
