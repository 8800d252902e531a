"""SARIF: the few fields that code scanning reads, in the places that the format gives them."""

from __future__ import annotations

import json

from tapegate import __version__
from tapegate.report.sarif_log import Result, Rule, document

RULES = [Rule("a", "About a.", "error", "See a page."), Rule("b", "About b.", "note")]


def test_a_log_is_what_the_format_says() -> None:
    """One run, one tool, its rules, and results that name them by id and by place."""
    log = json.loads(document(RULES, [Result("b", "note", "Found.", "src/ä b#1.py", 7)]))
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "tapegate"
    assert run["tool"]["driver"]["version"] == __version__
    assert run["tool"]["driver"]["rules"] == [
        {
            "id": "a",
            "shortDescription": {"text": "About a."},
            "defaultConfiguration": {"level": "error"},
            "help": {"text": "See a page.", "markdown": "See a page."},
        },
        {"id": "b", "shortDescription": {"text": "About b."}, "defaultConfiguration": {"level": "note"}},
    ]
    assert run["results"] == [
        {
            "ruleId": "b",
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
    ]


def test_a_whole_file_has_no_region() -> None:
    """A line that nobody knows is left out, not made up."""
    log = json.loads(document(RULES, [Result("a", "error", "Found.", "x")]))
    assert "region" not in log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


def test_what_is_hidden_in_a_text_is_spelled_out() -> None:
    """A viewer shows the message: no control or bidirectional character gets there."""
    log = json.loads(document(RULES, [Result("a", "error", "x\x1b\u202ey", "x")]))
    assert log["runs"][0]["results"][0]["message"]["text"] == "x\\u001b\\u202ey"


def test_nothing_found_is_a_log_too() -> None:
    """An empty list of results closes the alerts of an earlier upload."""
    assert json.loads(document([], []))["runs"][0]["results"] == []
