"""`junit.xml`: a run as CI systems show test results. One test case a task, whatever its verdict.

The shape is what both Jenkins (its schema junit-10) and GitLab read. Times are those of the recording, in seconds: the
wall time of a replay is no measure of anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from tapegate.model.finding import Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.report import words
from tapegate.report.inert import visible

KINDS = {
    Verdict.FAIL: "failure",
    Verdict.ERROR: "error",
    Verdict.STALE: "error",
    Verdict.NEEDS_REVIEW: "skipped",
}
"""The element that says what became of a task. What a gate that passed lets pass, a stale task or the failure of one
that does not block, is `skipped`."""


def render(run: Run) -> bytes:
    """The document, in UTF-8; the same run gives the same bytes."""
    suites: dict[str, list[TaskResult]] = {}
    for task in sorted(run.tasks, key=lambda task: (task.suite, task.key)):
        suites.setdefault(task.suite, []).append(task)
    root = ElementTree.Element("testsuites", {"name": "tapegate", **_counts(run, run.tasks)})
    for name, tasks in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": visible(name), **_counts(run, tasks)})
        suite.set("skipped", str(sum(_kind(run, task) == "skipped" for task in tasks)))
        suite.set("time", _seconds(task.metrics.latency_e2e_ms for task in tasks))
        if facts := [fact for task in tasks for fact in _facts(task)]:
            properties = ElementTree.SubElement(suite, "properties")
            for fact, value in facts:
                ElementTree.SubElement(properties, "property", name=visible(fact), value=visible(value))
        for task in tasks:
            suite.append(_case(run, task))
    if kind := _gate_kind(run):
        root.append(_gate(run, kind))
    ElementTree.indent(root)
    body: bytes = ElementTree.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + body + b"\n"


def _facts(task: TaskResult) -> Iterator[tuple[str, str]]:
    """What a reader should know of a task whatever its verdict."""
    if task.borderline:
        yield f"borderline {task.key}", f"{task.borderline} of {words.trials_of(len(task.trials))}"
    if task.quarantine is not None:
        yield f"quarantined {task.key}", task.quarantine
    if task.accepted is not None:
        yield f"accepted {task.key}", task.accepted


def _gate_kind(run: Run) -> str | None:
    """What the gate itself is told as, where it failed and no task says so: else a reader of tasks would see green."""
    if run.gate.passed or {"failure", "error"} & {_kind(run, task) for task in run.tasks}:
        return None
    return "failure" if run.gate.exit_code == 1 else "error"


def _gate(run: Run, kind: str) -> ElementTree.Element:
    counts = {"tests": "1", "failures": str(int(kind == "failure")), "errors": str(int(kind == "error"))}
    suite = ElementTree.Element("testsuite", {"name": "gate", **counts, "skipped": "0", "time": "0.000"})
    case = ElementTree.SubElement(suite, "testcase", {"name": "gate", "classname": "tapegate.gate", "time": "0.000"})
    said = [visible(reason) for reason in run.gate.reasons] or [f"exit code {run.gate.exit_code}"]
    told = {"type": f"gate.exit_code_{run.gate.exit_code}", "message": f"the gate failed: {said[0]}"}
    ElementTree.SubElement(case, kind, told).text = "\n".join(said)
    return suite


def _counts(run: Run, tasks: Sequence[TaskResult]) -> dict[str, str]:
    kinds = [_kind(run, task) for task in tasks]
    if tasks is run.tasks and (gate := _gate_kind(run)):
        kinds.append(gate)
    return {"tests": str(len(kinds)), "failures": str(kinds.count("failure")), "errors": str(kinds.count("error"))}


def _kind(run: Run, task: TaskResult) -> str | None:
    if task.verdict in (Verdict.STALE, Verdict.FAIL) and run.gate.passed:
        return "skipped"
    return KINDS.get(task.verdict)


def _case(run: Run, task: TaskResult) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        name=visible(task.key),
        classname=visible(f"{task.suite}.{task.path_id}"),
        time=_seconds([task.metrics.latency_e2e_ms]),
    )
    kind = _kind(run, task)
    if kind is None:
        return case
    told = words.most_telling(task)
    said = [_said(task, telling) for telling in told]
    first = told[0].finding if told else None
    result = ElementTree.SubElement(case, kind)
    result.set("type", f"{first.metric}.{first.code}" if first is not None else task.verdict.value)
    message = first.message.split("\n")[0] if first is not None else task.verdict.value
    aside = "" if task.blocking else " (does not block)"
    result.set("message", visible(f"{task.verdict.value}: {message}{aside}"))
    result.text = visible("\n\n".join(said))
    return case


def _said(task: TaskResult, telling: words.Telling) -> str:
    finding = telling.finding
    trials = f" · {words.trials(telling.trials)}" if len(task.trials) > 1 else ""
    lines = [f"{finding.metric} · {finding.code}{trials}", f"{finding.file}:{finding.line}", finding.message]
    labelled = (("expected", finding.expected), ("got", finding.got), ("fix", finding.fix))
    return "\n".join([*lines, *(f"{label:9} {text}" for label, text in labelled if text)])


def _seconds(milliseconds: Iterable[int | None]) -> str:
    """`1.201`; what nobody measured adds nothing."""
    total = sum(value for value in milliseconds if value is not None)
    return f"{total // 1000}.{total % 1000:03}"
