"""SARIF: the few fields that code scanning reads, in the places that the format gives them."""

from __future__ import annotations

import json

from tapegate import __version__
from tapegate.report.sarif import MOST_RESULTS, SCHEMA
from tapegate.report.sarif_log import Result, Rule, document

RULES = [Rule("a", "About a.", "error", "See a page."), Rule("b_c", "About b.", "note", "See another.")]


def test_a_log_is_what_the_format_says() -> None:
    """One run, one tool, its rules, and results that name them by id and by place."""
    log = json.loads(document("lint", RULES, [Result("b_c", "note", "Found.", "src/ä b#1.py", 7)], 1))
    assert (log["version"], log["$schema"]) == ("2.1.0", SCHEMA)
    (run,) = log["runs"]
    assert (run["tool"]["driver"]["name"], run["tool"]["driver"]["semanticVersion"]) == ("Tapegate", __version__)
    assert run["automationDetails"] == {"id": "tapegate/lint/"}
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert run["tool"]["driver"]["rules"][1] == {
        "id": "b_c",
        "name": "BC",
        "shortDescription": {"text": "About b."},
        "help": {"text": "See another.", "markdown": "See another."},
        "defaultConfiguration": {"level": "note"},
        "properties": {"tags": ["tapegate"]},
    }
    (result,) = run["results"]
    assert len(result.pop("partialFingerprints")["tapegate/v1"]) == 64
    assert result == {
        "ruleId": "b_c",
        "ruleIndex": 1,
        "level": "note",
        "message": {"text": "Found."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/%C3%A4%20b%231.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 7},
                }
            }
        ],
    }


def test_a_whole_file_has_no_region() -> None:
    """A line that nobody knows is left out, not made up."""
    log = json.loads(document("lint", RULES, [Result("a", "error", "Found.", "x")], 1))
    assert "region" not in log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


def test_what_is_hidden_in_a_text_is_spelled_out() -> None:
    """A viewer shows the message: no control or bidirectional character gets there."""
    log = json.loads(document("lint", RULES, [Result("a", "error", "x\x1b\u202ey", "x")], 1))
    assert log["runs"][0]["results"][0]["message"]["text"] == "x\\u001b\\u202ey"


def test_nothing_found_is_a_log_too() -> None:
    """An empty list of results closes the alerts of an earlier upload."""
    assert json.loads(document("lint", [], [], 0))["runs"][0]["results"] == []


def test_a_text_makes_no_link_and_no_placeholder() -> None:
    """Brackets and braces of a file's name are text (§3.11)."""
    log = json.loads(document("lint", RULES, [Result("a", "error", "[x](y) {0}", "x")], 1))
    assert log["runs"][0]["results"][0]["message"]["text"] == "\\[x\\](y) {{0}}"


def test_no_more_results_than_are_read() -> None:
    """GitHub refuses none, and reads the first of them."""
    log = json.loads(document("lint", RULES, [Result("a", "error", "x", "x")] * (MOST_RESULTS + 1), 1))
    assert len(log["runs"][0]["results"]) == MOST_RESULTS
