"""SARIF 2.1.0 for what is found in files: rules, and results at their lines. `report.sarif` is the one of a run.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from tapegate import __version__
from tapegate.report.inert import visible
from tapegate.report.sarif import MOST_RESULTS, SCHEMA, plain

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a result may be about."""

    id: str
    text: str
    """One sentence."""
    level: Level
    help: str
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


def document(kind: str, rules: Sequence[Rule], results: Sequence[Result], exit_code: int) -> str:
    """One log of one run; `kind` tells its alerts from those of other runs. Each rule that a result names is among
    `rules`; of more results than GitHub reads the first are kept."""
    places = {rule.id: place for place, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "Tapegate", "semanticVersion": __version__, "rules": list(map(_rule, rules))}},
        "automationDetails": {"id": f"tapegate/{kind}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": exit_code}],
        "results": [_result(result, places[result.rule]) for result in results[:MOST_RESULTS]],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.split("_")),
        "shortDescription": {"text": visible(rule.text)},
        "help": {"text": visible(rule.help), "markdown": visible(rule.help)},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["tapegate"]},
    }


def _result(result: Result, place: int) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": quote(result.file, safe="/@"), "uriBaseId": "%SRCROOT%"}}
    if result.line is not None:
        where["region"] = {"startLine": result.line}
    print_ = hashlib.sha256(json.dumps([result.rule, result.file, result.text]).encode()).hexdigest()
    return {
        "ruleId": result.rule,
        "ruleIndex": place,
        "level": result.level,
        "message": {"text": plain(result.text)},
        "locations": [{"physicalLocation": where}],
        "partialFingerprints": {"tapegate/v1": print_},
    }
