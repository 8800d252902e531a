"""SARIF 2.1.0."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tapegate.model.diff import Diff
from tapegate.model.finding import Verdict
from tapegate.model.run import Run
from tapegate.report.sarif import SCHEMA, render
from tapegate.report.sarif_log import Result, Rule, document

OFFICIAL = jsonschema.Draft7Validator(
    json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_bytes()),
    format_checker=jsonschema.FormatChecker(),
)
"""OASIS' own schema; every object of it is closed."""


def log(run: Run, diff: Diff | None = None) -> Any:
    """The run of a log that is valid."""
    made = json.loads(render(run, diff))
    OFFICIAL.validate(made)
    assert made["$schema"] == SCHEMA
    return made["runs"][0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), "2.1"),
        (("runs", 0, "results", 0, "level"), "fatal"),
        (("runs", 0, "results", 0, "odd"), 1),
        (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
        (("runs", 0, "tool", "driver", "rules", 0, "help"), "text"),
    ],
)
def test_the_schema_refuses_what_does_not_fit(path: tuple[Any, ...], value: Any, failed: Run) -> None:
    """The check is a check: each defect is told."""
    made = place = json.loads(render(failed))
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not OFFICIAL.is_valid(made)


def test_a_lint_log_is_valid_too() -> None:
    """What `tapegate lint` writes is held to the same schema."""
    rule = Rule("a", "About a.", "error", "See a page.")
    OFFICIAL.validate(json.loads(document("lint", [rule], [Result("a", "error", "Found.", "src/ä b#1.py", 7)], 1)))


def test_findings_stand_at_the_lines_of_task_files(failed: Run) -> None:
    """Each with the rule it breaks, worst first; a task that passed has none."""
    found = log(failed)
    places = [
        (
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            one["locations"][0]["physicalLocation"]["region"],
        )
        for one in found["results"]
    ]
    assert places == [
        ("evals/retrieval/RET-02@A1.yaml", {"startLine": 21}),
        ("evals/retrieval/AGT-08@A1.yaml", {"startLine": 1}),
    ]
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert [rules[one["ruleIndex"]] for one in found["results"]] == [one["ruleId"] for one in found["results"]]
    assert found["invocations"][0]["exitCode"] == 1


def test_every_rule_has_a_page_of_help(failed: Run, make_finding: Any, make_task: Any) -> None:
    """A metric's own page, with what it checks and its false positives; a line for what is no metric."""
    tasks = (make_task("T-1@A1", Verdict.FAIL, make_finding(code="paper_not_cited")), *failed.tasks)
    rules = {rule["id"]: rule for rule in log(replace(failed, tasks=tasks))["tool"]["driver"]["rules"]}
    cited = rules["citation_contract/paper_not_cited"]
    assert "## What it checks" in cited["help"]["markdown"]
    assert "## False positives and how they are kept low" in cited["help"]["markdown"]
    assert "tapegate record KEY --stale" in rules["replay/prompt_changed"]["help"]["text"]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"line": 99}, True),
        ({"message": "Other words.", "got": "something else"}, True),
        ({"code": "paper_not_cited"}, False),
        ({"expected": "at least 2 links"}, False),
        ({"outcome": 1}, False),
    ],
)
def test_a_fingerprint_stays_while_the_finding_does(
    change: dict[str, Any], same: bool, make_task: Any, make_finding: Any, failed: Run
) -> None:
    """A moved line or another wording of the mistake is the same finding; another condition is another one."""

    def fingerprint(**changes: Any) -> str:
        run = replace(failed, tasks=(make_task("T-1@A1", Verdict.FAIL, make_finding(**changes)),))
        prints = log(run)["results"][0]["partialFingerprints"]
        found: str = prints["tapegate/v1"]
        assert prints["primaryLocationLineHash"] == f"{found[:16]}:1"
        return found

    assert (fingerprint() == fingerprint(**change)) is same


def test_what_does_not_block_warns(failed: Run, make_task: Any, make_finding: Any) -> None:
    """An error is what fails the gate."""
    levels = []
    for blocking, severity in ((True, "fail"), (False, "fail"), (True, "needs_review")):
        verdict = Verdict.FAIL if severity == "fail" else Verdict.NEEDS_REVIEW
        task = make_task("T-1@A1", verdict, make_finding(severity=severity), blocking=blocking)
        levels.append(log(replace(failed, tasks=(task,)))["results"][0]["level"])
    assert levels == ["error", "warning", "warning"]


def test_what_is_new_since_the_base_says_so(failed: Run, regressed: Diff) -> None:
    """With a comparison every result has a baseline state."""
    assert [one["baselineState"] for one in log(failed, regressed)["results"]] == ["new", "unchanged"]


def test_text_of_an_agent_is_no_link_and_no_placeholder(failed: Run, make_task: Any, make_finding: Any) -> None:
    """SARIF's own markup in a message is spelled out (§3.11.5, §3.11.6)."""
    bad = make_finding(got="see [here](https://evil.example) and {0}\x1b")
    (one,) = log(replace(failed, tasks=(make_task("T-1@A1", Verdict.FAIL, bad),)))["results"]
    assert "see \\[here\\](https://evil.example) and {{0}}\\u001b" in one["message"]["text"]


def test_bands_quarantines_and_decisions_are_notifications(failed: Run) -> None:
    """They are of the run, whatever a task's verdict, and no result that code scanning would open."""
    first, *others = failed.tasks
    held = replace(first, quarantine="until 2026-12-31 (ann): rebuilt", accepted="As good.")
    (invocation,) = log(replace(failed, tasks=(held, *others)))["invocations"]
    told = [(one["level"], one["message"]["text"]) for one in invocation["toolExecutionNotifications"]]
    assert [level for level, _ in told] == ["note", "note"]
    assert "quarantined" in told[0][1]
    assert told[1][1].endswith(": As good.")
