"""SARIF 2.1.0: what GitHub code scanning and editors read. Pure; only what both need.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from tapegate import __version__
from tapegate.report.inert import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a result may be about."""

    id: str
    text: str
    """One sentence."""
    level: Level
    help: str = ""
    """What to read on; Markdown."""


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that was found."""

    rule: str
    """The id of a rule."""
    level: Level
    text: str
    file: str
    """From the root of the repository, with `/`."""
    line: int | None = None
    """1-based; None where the whole file is meant."""


def document(rules: Sequence[Rule], results: Sequence[Result]) -> str:
    """One SARIF log of one run. Each rule that a result names is among `rules`."""
    places = {rule.id: place for place, rule in enumerate(rules)}
    driver = {
        "name": "tapegate",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": list(map(_rule, rules)),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "results": [_result(result, places[result.rule]) for result in results],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    said = {"id": rule.id, "shortDescription": {"text": rule.text}, "defaultConfiguration": {"level": rule.level}}
    return {**said, "help": {"text": rule.help, "markdown": rule.help}} if rule.help else said


def _result(result: Result, place: int) -> dict[str, Any]:
    where: dict[str, Any] = {
        "artifactLocation": {"uri": quote(result.file, safe="/@+,~!$&'()*;="), "uriBaseId": "%SRCROOT%"}
    }
    if result.line is not None:
        where["region"] = {"startLine": result.line}
    return {
        "ruleId": result.rule,
        "ruleIndex": place,
        "level": result.level,
        "message": {"text": visible(result.text)},
        "locations": [{"physicalLocation": where}],
    }
