"""Workflow commands that put a finding on the line it is about.

GitHub shows at most 10 annotations of a kind in a step; the worst come first and the last says how many more there are.
Source: GitHub Docs, "Workflow commands for GitHub Actions"; the runner's own escaping of data and properties.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tapegate.github.culprits import Culprit
from tapegate.model.diff import Diff, Kind
from tapegate.model.finding import Finding, Verdict
from tapegate.model.problem import Problem
from tapegate.model.run import Run
from tapegate.report.excerpts import nearest
from tapegate.report.inert import visible
from tapegate.report.words import most_telling, worst_first

MOST = 10
SHOWN = 4
"""Keys in a title."""
_DOUBLE = re.compile(r":(?=:)")
KINDS = {
    Verdict.FAIL: "error",
    Verdict.ERROR: "error",
    Verdict.STALE: "error",
    Verdict.NEEDS_REVIEW: "warning",
}


Commands = Mapping[str, list[str]]
"""By kind, the worst first, as many as there are."""


def of_run(run: Run, prefix: str = "", diff: Diff | None = None) -> list[str]:
    """The commands for `run`, one a line; `prefix` leads from the repository's root to the project.

    With a comparison, regressions come first and say so, and what passes only because less is asked for warns.
    """
    return together(all_of_run(run, prefix, diff))


def of_problems(problems: Sequence[Problem], prefix: str = "", kind: str = "error") -> list[str]:
    """The commands for problems of an input; `kind` is `error`, `warning` or `notice`."""
    return together(all_of_problems(problems, prefix, kind))


def together(*of_each: Commands) -> list[str]:
    """The commands of one step, within what GitHub shows of one step: those that were given first come first."""
    found: dict[str, list[str]] = {}
    for commands in of_each:
        for kind, lines in commands.items():
            found.setdefault(kind, []).extend(lines)
    return [command for kind, lines in found.items() for command in _cut(kind, lines)]


def all_of_run(run: Run, prefix: str = "", diff: Diff | None = None) -> Commands:
    """As `of_run`, uncut."""
    found: dict[str, list[str]] = {"error": [], "warning": []}
    changed = {task.key: task for task in diff.tasks} if diff is not None else {}
    broken = {key: task for key, task in changed.items() if task.kind is Kind.REGRESSION}
    held = {key for key, task in broken.items() if task.blocking}
    for key, told in changed.items():
        if told.kind is Kind.MOVED:
            kind = "error" if told.blocking else "warning"
            limits = [finding for trial in told.trials for finding in trial.limits]
            found[kind] += [_of_finding(kind, f"{key} changed too much", finding, prefix) for finding in limits]
    for task in sorted(worst_first(run.tasks), key=lambda task: (task.key not in held, task.key not in broken)):
        if task.verdict is Verdict.PASS:
            continue
        # A gate that passed, with stale recordings that a profile only reports, has no error to show.
        blocks = task.key in held or (task.blocking and not run.gate.passed)
        kind = KINDS[task.verdict] if blocks else "warning"
        name = f"{task.key} passed before" if task.key in broken else task.key
        for each in most_telling(task):
            # Beside a failure, what the replay missed explains and does not fail.
            level = kind if each.finding.severity == task.verdict.value else "warning"
            found[level].append(_of_finding(level, name, each.finding, prefix))
    for key, told in changed.items():
        if told.kind is Kind.LOOSENED:
            fails = [finding for finding in told.by_base_contract_findings if finding.severity == "fail"]
            name = f"{key} fails by the base's contract"
            found["warning"] += [_of_finding("warning", name, finding, prefix) for finding in nearest(fails)]
    # No task says why: a selection was run, a verdict of `fail_on` only warns, a budget is exceeded.
    compared = diff.gate if diff is not None and diff.available and diff.gate.exit_code == 1 else None
    for title, gate in (("the gate failed", run.gate), ("the comparison failed", compared)):
        if gate is not None and gate.reasons and not gate.passed and not found["error"]:
            found["error"].append(_command("error", {"title": f"Tapegate: {title}"}, gate.reasons))
    return found


def all_of_problems(problems: Sequence[Problem], prefix: str = "", kind: str = "error") -> Commands:
    """As `of_problems`, uncut."""
    commands = []
    for problem in problems:
        place = {"title": f"Tapegate: {problem.code}"}
        if problem.file is not None:
            place = {"file": prefix + problem.file, "line": str(problem.line or 1), **place}
        commands.append(_command(kind, place, [problem.message, _labelled("fix", problem.fix or "")]))
    return {kind: commands}


def all_of_culprits(found: Iterable[Culprit], prefix: str = "") -> Commands:
    """The commands for changed lines that made recordings stale."""
    commands: dict[str, list[str]] = {"error": [], "warning": []}
    for one in found:
        kind = "error" if one.blocking else "warning"
        title = f"{one.code}: {', '.join(one.keys[:SHOWN])}{' and more' if len(one.keys) > SHOWN else ''}"
        place = {"file": prefix + one.file, "line": str(one.line), "title": title}
        said = ["the recordings do not cover this change", "fix: tapegate record --stale"]
        commands[kind].append(_command(kind, place, said))
    return commands


def _of_finding(kind: str, key: str, finding: Finding, prefix: str) -> str:
    said = [finding.message]
    said += [_labelled(label, text) for label, text in _said(finding)]
    place = {
        "file": prefix + finding.file,
        "line": str(finding.line),
        "title": f"{key}: {finding.metric} {finding.code}",
    }
    return _command(kind, place, said)


def _said(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "expected", finding.expected
    yield "got", finding.got
    yield "fix", finding.fix


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if text else ""


def _command(kind: str, place: dict[str, str], said: Sequence[str]) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in place.items())
    return f"::{kind} {properties}::{_data(chr(10).join(part for part in said if part))}"


def _cut(kind: str, commands: list[str]) -> Iterator[str]:
    if len(commands) <= MOST:
        yield from commands
        return
    yield from commands[: MOST - 1]
    yield f"::{kind} title=Tapegate::{len(commands) - MOST + 1} more findings are in the step summary"


def _data(text: str) -> str:
    # GitHub's runner takes the first `::` for the end of the properties; act, and the runners made from it, the last.
    return _escaped(_DOUBLE.sub(": ", text))


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")
