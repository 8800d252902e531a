"""`results.sarif`: findings in SARIF 2.1.0, at the lines of task files, for code scanning and editors.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import orjson

from tapegate import __version__
from tapegate.model.diff import Diff, Kind
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Run, TaskResult
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.manual import manual
from tapegate.report import words
from tapegate.report.inert import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LINK = re.compile(r"\[([^\[\]]*)\]\(")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
MOST_RESULTS = 5_000
"""GitHub reads 5,000 results of a run, the most severe first."""

OWN: Mapping[str, str] = {
    "replay": "What the replay itself says: a request that no recording answers, a recording that nothing asks for, an "
    "attempt to reach the network. A stale recording is made anew with `tapegate record KEY --stale`.",
    "subject": "How the agent under test ended where it did not complete its answer.",
    "stream": "Where the agent's own stream breaks its protocol.",
    "input": "A file that a task needs cannot be used.",
    "harness": "The trial could not be run on this machine.",
    "grading": "The task could not be judged.",
}
"""What is found beside the metrics."""


def render(run: Run, diff: Diff | None = None) -> bytes:
    """The log, canonical JSON. With a comparison, what is new since the base says so."""
    found = [(task, telling) for task in words.worst_first(run.tasks) for telling in _telling(task)]
    rules = sorted({_rule_id(telling.finding) for _, telling in found})
    results = [_result(task, telling, rules.index(_rule_id(telling.finding)), diff) for task, telling in found]
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules)},
                "automationDetails": {"id": f"tapegate/{run.profile}/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not any(task.verdict is Verdict.ERROR for task in run.tasks),
                        "exitCode": run.gate.exit_code,
                        "exitCodeDescription": visible("; ".join(run.gate.reasons)) or "the gate passed",
                        "toolExecutionNotifications": [
                            {"level": "note", "message": {"text": plain(remark)}} for remark in words.remarks(run)
                        ],
                    }
                ],
                "results": results[:MOST_RESULTS],
            }
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _telling(task: TaskResult) -> list[words.Telling]:
    return [] if task.verdict is Verdict.PASS else words.most_telling(task)


def _driver(rules: list[str]) -> dict[str, Any]:
    return {
        "name": "Tapegate",
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }


def _rule_id(finding: Finding) -> str:
    return f"{finding.metric}/{finding.code}"


def _rule(rule: str) -> dict[str, Any]:
    metric, _, code = rule.partition("/")
    oracle = next((one for one in CATALOG if one.name == metric), None)
    line = oracle.codes.get(code, "") if oracle is not None else ""
    about = OWN.get(metric, f"A finding of {metric}.")
    summary, page = about, about
    if oracle is not None:
        sections = manual(oracle)
        summary = sections[""] or about
        page = "\n\n".join(f"## {title}\n\n{text}" if title else text for title, text in sections.items())
    return {
        "id": visible(rule),
        "name": visible("".join(part.capitalize() for part in code.split("_"))),
        "shortDescription": {"text": visible(line or summary.split("\n\n")[0])},
        "fullDescription": {"text": visible(summary)},
        "help": {"text": visible(page), "markdown": visible(f"# `{metric}`: `{code}`\n\n{line}\n\n{page}")},
        "properties": {"tags": ["tapegate", visible(metric)]},
    }


def _result(task: TaskResult, telling: words.Telling, rule: int, diff: Diff | None) -> dict[str, Any]:
    finding = telling.finding
    state = {"baselineState": _state(task, finding, diff)} if diff is not None and diff.available else {}
    fingerprint = _fingerprint(task, finding)
    return {
        "ruleId": visible(_rule_id(finding)),
        "ruleIndex": rule,
        "level": _level(task, finding),
        "message": {"text": plain("\n".join(_message(task, telling)))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.file, safe="/@"), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": finding.line},
                },
                "logicalLocations": [{"fullyQualifiedName": visible(task.key), "kind": "member"}],
            }
        ],
        # The second is the one that GitHub tells alerts apart by; it would make its own of the line.
        "partialFingerprints": {"tapegate/v1": fingerprint, "primaryLocationLineHash": f"{fingerprint[:16]}:1"},
        "properties": {"verdict": task.verdict.value, "trials": list(telling.trials), "blocking": task.blocking},
        **state,
    }


def _message(task: TaskResult, telling: words.Telling) -> Iterator[str]:
    finding = telling.finding
    yield f"{task.key}: {finding.message}"
    if len(task.trials) > 1:
        yield words.trials(telling.trials)
    for label, text in (("expected", finding.expected), ("got", finding.got), ("fix", finding.fix)):
        if text:
            yield f"{label}: {text}"


def plain(text: str) -> str:
    """Text in which SARIF finds no link of its own (§3.11.6) and no placeholder (§3.11.5)."""
    return _PLACEHOLDER.sub(r"{{\1}}", _LINK.sub(r"\\[\1\\](", visible(text)))


def _level(task: TaskResult, finding: Finding) -> str:
    if finding.severity == "note":
        return "note"
    return "error" if task.blocking and finding.severity != "needs_review" else "warning"


def _state(task: TaskResult, finding: Finding, diff: Diff) -> str:
    """`new` where the base did not have it."""
    told = next((one for one in diff.tasks if one.key == task.key), None)
    if told is None:
        return "unchanged"
    if told.kind is Kind.ADDED:
        return "new"
    gained = {(one.metric, one.code, one.expected) for trial in told.trials for one in trial.gained}
    return "new" if (finding.metric, finding.code, finding.expected) in gained else "unchanged"


def _fingerprint(task: TaskResult, finding: Finding) -> str:
    """The same for the same finding when lines move and when the agent words its mistake differently."""
    named = dict(enumerate(task.outcome_names))
    name = named.get(finding.outcome) if finding.outcome is not None else None
    parts = [task.key, finding.metric, finding.code, name or str(finding.outcome), finding.expected]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
