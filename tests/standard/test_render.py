"""Lint reports as text and as JSON: golden, inert, complete."""

from __future__ import annotations

import json
from typing import Any

from tapegate.standard import render
from tapegate.standard.finding import LintFinding, LintReport

REPORT = LintReport(
    findings=(
        LintFinding(
            "path_escape", "recordings_trusted", "unreadable", "the key 'x y' cannot name a folder", None, None, ""
        ),
        LintFinding(
            "scope_files",
            "scope_files",
            "finding",
            "path 'A1' covers 'x.py', which no file matches",
            "evals/tapegate.yaml",
            6,
            "correct it",
        ),
        LintFinding(
            "not_recorded",
            "recordings_made",
            "note",
            "RET-01@A1 wants 1 trial",
            "evals/r/RET-01@A1.yaml",
            1,
            "tapegate record RET-01@A1 --missing",
        ),
    ),
    tasks=2,
    skipped=("scope_evals", "inventory"),
)


def test_text_says_place_severity_id_message_and_fix() -> None:
    """One paragraph a finding, what was not checked, and a summary."""
    assert render.text(REPORT) == (
        "unreadable[path_escape]: the key 'x y' cannot name a folder\n"
        "evals/tapegate.yaml:6: finding[scope_files]: path 'A1' covers 'x.py', which no file matches\n"
        "    fix: correct it\n"
        "evals/r/RET-01@A1.yaml:1: note[not_recorded]: RET-01@A1 wants 1 trial\n"
        "    fix: tapegate record RET-01@A1 --missing\n"
        "not checked until all input can be read: scope_evals, inventory\n"
        "lint: 2 tasks, not clean (1 unreadable input, 1 finding, 1 note)\n"
    )


def test_a_clean_report_is_one_line() -> None:
    """Nothing found says what was looked at."""
    assert render.text(LintReport((), 1, ())) == "lint: 1 task, clean\n"


def test_notes_alone_are_clean() -> None:
    """Notes are shown and fail nothing."""
    report = LintReport((REPORT.findings[2],), 1, ())
    assert report.exit_code == 0
    assert render.text(report).endswith("lint: 1 task, clean (1 note)\n")


def test_json_holds_every_field() -> None:
    """The public shape, with its version and the exit code."""
    shown = json.loads(render.as_json(REPORT))
    assert (shown["schema"], shown["exit_code"], shown["tasks"]) == ("tapegate.lint/1", 2, 2)
    assert shown["skipped"] == ["scope_evals", "inventory"]
    assert shown["findings"][1] == {
        "id": "scope_files",
        "check": "scope_files",
        "severity": "finding",
        "message": "path 'A1' covers 'x.py', which no file matches",
        "file": "evals/tapegate.yaml",
        "line": 6,
        "fix": "correct it",
    }


def test_what_a_file_says_is_no_command_to_a_runner() -> None:
    """`::` first on a line and `##[` anywhere would be commands in a workflow's log."""
    finding = LintFinding("x", "x", "finding", "says '\n::error::boom ##[group]'", None, None, "\x1b[2J")
    shown = render.text(LintReport((finding,), 1, ()))
    assert "\n::error" not in shown
    assert "##[" not in shown
    assert "\x1b" not in shown


def test_a_report_of_real_findings_renders(bench: Any) -> None:
    """Both forms come out for whatever lint finds."""
    bench.swap("evals/retrieval/RET-01@P1.yaml", "single_turn", "two_turns")
    report = bench.lint()
    assert "evals/retrieval/RET-01@P1.yaml:4: unreadable[unknown_value]" in render.text(report)
    assert json.loads(render.as_json(report))["findings"]
