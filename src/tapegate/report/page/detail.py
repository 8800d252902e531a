"""One task as the page's script shows it: plain JSON, every text of it already inert."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tapegate.model.diff import Edit, TaskDiff, TrialDiff
from tapegate.model.finding import Finding
from tapegate.model.run import TaskResult, TrialResult
from tapegate.model.trace import (
    Data,
    Event,
    Exchange,
    Failure,
    Finish,
    Text,
    ToolCall,
    ToolResult,
    Trace,
    Turn,
    Violation,
)
from tapegate.report import change_words as say
from tapegate.report import words
from tapegate.report.excerpts import nearest
from tapegate.report.inert import visible
from tapegate.report.page.evidence import Evidence
from tapegate.tape.cassette import Cassette, Interaction

LONGEST_TEXT = 20_000
"""Characters of an answer that are shown."""
LONGEST_VALUE = 2_000
"""Characters of a tool's arguments or result."""
LONGEST_BODY = 6_000
"""Characters of a raw request or response."""
_GAP = re.compile(r"…|\\n")


def detail(task: TaskResult, change: TaskDiff | None, evidence: Evidence) -> dict[str, Any]:
    """One task without its raw interactions."""
    contract = evidence.tasks.get(task.key)
    messages = contract.messages if contract is not None else ()
    changed = {trial.trial: trial for trial in change.trials} if change is not None else {}
    return {
        "file": visible(task.file),
        "blocking": task.blocking,
        "messages": [_cut(message) for message in messages],
        "change": _change(change) if change is not None else None,
        "trials": [_trial(task, trial, changed.get(trial.trial), evidence) for trial in task.trials],
    }


def gone(change: TaskDiff) -> dict[str, Any]:
    """A task that head does not have."""
    return {
        "file": visible(change.file),
        "blocking": change.blocking,
        "messages": [],
        "change": _change(change),
        "trials": [],
    }


def raw(cassette: Cassette) -> list[dict[str, Any]]:
    """The interactions of a recording, long bodies cut."""
    return [_interaction(interaction) for interaction in cassette.interactions]


def _change(change: TaskDiff) -> dict[str, Any]:
    by_base = change.by_base_contract
    fails = nearest([finding for finding in change.by_base_contract_findings if finding.severity == "fail"])
    return {
        "kind": change.kind.value if change.kind is not None else "",
        "turn": say.turn(change),
        "stratum": say.STRATA[change.stratum].lower(),
        "was": visible(change.base_key) if change.base_key != change.key else "",
        "byBase": say.VERDICTS[by_base] if by_base is not None else "",
        "byBaseFindings": [_finding(finding, "", "") for finding in fails],
        "dropped": [visible(name) for name in change.dropped_outcomes],
        "contract": [[visible(one.place), visible(one.base), visible(one.head)] for one in change.contract],
    }


def _trial(task: TaskResult, trial: TrialResult, change: TrialDiff | None, evidence: Evidence) -> dict[str, Any]:
    trace, cassette = evidence.trace(task, trial), evidence.recording(task, trial)
    text = _cut(trace.text) if trace is not None else ""
    told = [telling.finding for telling in words.most_telling(task) if trial.trial in telling.trials]
    if task.verdict.value == "pass":
        told = [finding for finding in trial.findings if finding.severity != "note"]
    lost = nearest(change.lost) if change is not None else []
    limits = change.limits if change is not None else ()
    made: dict[str, Any] = {
        "n": trial.trial,
        "verdict": trial.verdict.value,
        "outcome": _outcome(task, trial),
        "findings": [
            *(_finding(finding, text, "") for finding in (*told, *limits)),
            *(_finding(finding, "", "gone") for finding in lost),
        ],
        "path": _edits(change.tool_path)
        if change is not None
        else [["same", visible(tool)] for tool in trial.tool_path],
        "answer": [["same", text]] if trace is not None else None,
        "events": list(_events(trace)) if trace is not None else None,
        "calls": [_call(exchange) for exchange in trace.exchanges] if trace is not None else [],
        "numbers": _numbers(trial),
        "recorded": _recorded(trial),
    }
    if change is not None:
        made["base"] = {
            "verdict": say.VERDICTS[change.base_verdict],
            "outcome": visible(change.base_outcome or ""),
        }
        made["deltas"] = [visible(say.delta(one)) for one in change.deltas]
        if change.answer is not None and sum(len(edit.text) for edit in change.answer) <= 2 * LONGEST_TEXT:
            made["answer"] = _edits(change.answer)
    if cassette is not None:
        made["chunks"] = _chunks(cassette)
    return made


def _outcome(task: TaskResult, trial: TrialResult) -> str:
    if trial.outcome is None:
        return ""
    name = task.outcome_names[trial.outcome] if trial.outcome < len(task.outcome_names) else None
    return visible(name) if name else f"outcome {trial.outcome + 1}"


def _edits(edits: Sequence[Edit]) -> list[list[str]]:
    return [[edit.op, visible(edit.text)] for edit in edits]


def _finding(finding: Finding, text: str, mark: str) -> dict[str, Any]:
    said = {"expected": finding.expected, "got": finding.got, "fix": finding.fix}
    return {
        "what": visible(f"{finding.metric} · {finding.code}"),
        "severity": finding.severity,
        "where": f"{visible(finding.file)}:{finding.line}",
        "message": visible(finding.message),
        "said": [[label, visible(words_of)] for label, words_of in said.items() if words_of],
        "at": _place(finding, text),
        "mark": mark,
    }


def _place(finding: Finding, text: str) -> list[int] | None:
    """Where in the answer stands what a finding quotes, in UTF-16 units, as a browser counts; None for no quotation."""
    pieces = sorted((piece.strip(" '\"") for piece in _GAP.split(visible(finding.got))), key=len, reverse=True)
    for piece in pieces:
        start = text.find(piece) if len(piece) >= 4 else -1
        if start >= 0:
            return [_units(text[:start]), _units(text[: start + len(piece)])]
    return None


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _events(trace: Trace) -> Iterator[list[Any]]:
    """The conversation: pieces of text joined, tools with what they were asked and answered."""
    said = ""
    for event in trace.events:
        if isinstance(event, Text):
            said += event.text
            continue
        if said:
            yield ["text", _cut(said)]
            said = ""
        yield _event(event)
    if said:
        yield ["text", _cut(said)]
    for miss in trace.account.misses:
        yield ["miss", visible(f"{miss.method} {miss.service}{miss.path}"), _cut(miss.explanation)]
    for attempt in trace.account.network:
        yield ["violation", visible(f"network attempt: {attempt.address}")]
    if trace.ending.kind != "completed":
        yield ["failure", visible(f"{trace.ending.kind} {trace.ending.detail}".strip())]


def _event(event: Event | Turn) -> list[Any]:
    match event:
        case Turn():
            return ["user", _cut(event.input)]
        case ToolCall():
            return ["call", visible(event.name), _json(event.arguments)]
        case ToolResult():
            return ["result" if event.ok else "failed", visible(event.name), _json(event.content)]
        case Failure():
            return ["failure", _cut(event.message)]
        case Violation():
            return ["violation", visible(f"{event.code}: {event.message}")]
        case Finish():
            return ["finish", visible(event.reason)]
        case Data():
            return ["data", _json(event.payload)]
        case Text():
            return ["text", _cut(event.text)]


def _call(exchange: Exchange) -> list[Any]:
    usage = exchange.usage
    return [
        visible(f"{exchange.method} {exchange.service}{exchange.path}")[:200],
        exchange.status,
        exchange.started_us,
        exchange.duration_us,
        visible(exchange.model or ""),
        usage.input_tokens if usage is not None else None,
        usage.output_tokens if usage is not None else None,
    ]


def _chunks(cassette: Cassette) -> dict[str, Any]:
    """The agent's own stream as it was recorded: when each chunk came, from the question on, and how long it was."""
    chunks = cassette.stream.chunks
    return {
        "at": [at - chunks.started_us for at in chunks.at_us],
        "sizes": list(chunks.sizes),
        "ended": chunks.ended,
        "start": chunks.started_us,
        "end": chunks.ended_us - chunks.started_us,
    }


def _numbers(trial: TrialResult) -> list[list[str]]:
    metrics = trial.metrics
    rows = [
        ["tokens", words.tokens(metrics.total_tokens)],
        ["of them in", words.tokens(metrics.input_tokens)],
        ["of them out", words.tokens(metrics.output_tokens)],
        ["cost", f"${metrics.cost_usd}" if metrics.cost_usd is not None else words.ABSENT],
        ["latency", words.milliseconds(metrics.latency_e2e_ms)],
        ["of it the model's", words.milliseconds(metrics.latency_model_ms)],
        ["model calls", str(metrics.model_calls)],
        ["tool calls", str(metrics.tool_calls)],
        ["quality", metrics.quality if metrics.quality is not None else words.ABSENT],
    ]
    return [[name, visible(value)] for name, value in rows if value != words.ABSENT]


def _recorded(trial: TrialResult) -> str:
    if trial.cassette_sha256 is None:
        return ""
    where = f" on {trial.machine}" if trial.machine else ""
    commit = f" from {trial.recorded_commit[:12]}" if trial.recorded_commit else ""
    return visible(f"recording {trial.cassette_sha256[:12]}{where}{commit}")


def _interaction(interaction: Interaction) -> dict[str, Any]:
    request, response = interaction.request, interaction.response
    took = interaction.chunks.ended_us - interaction.chunks.started_us
    return {
        "title": visible(f"{request.method} {request.uri} → {response.status}"),
        "took": words.milliseconds(-(-took // 1000)),
        "chunks": len(interaction.chunks.sizes),
        "request": _body(request.body),
        "response": _body(response.body),
    }


def _body(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return f"{len(body):,} bytes that are no text"
    return _cut(text, LONGEST_BODY)


def _json(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, sort_keys=True), LONGEST_VALUE)


def _cut(text: str, most: int = LONGEST_TEXT) -> str:
    shown = visible(text)
    return shown if len(shown) <= most else f"{shown[:most]}… ({len(shown) - most:,} more characters)"
