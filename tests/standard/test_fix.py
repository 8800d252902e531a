"""`--fix`: what needs no decision is put right, and not a byte beside it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tapegate.load.reader import parse_document
from tapegate.standard.fix import FIXED, fix
from tapegate.standard.list_edit import NotPlain, edited

TASK = "evals/retrieval/RET-01@P1.yaml"


def text(bench: Any, name: str = TASK) -> str:
    """What a file holds."""
    return str((bench.root / name).read_text())


def test_a_sound_project_is_left_alone(bench: Any) -> None:
    """Nothing is said, and no file is written."""
    before = {path: path.stat().st_mtime_ns for path in bench.root.rglob("*")}
    assert fix(bench.root) == ()
    assert {path: path.stat().st_mtime_ns for path in bench.root.rglob("*")} == before


@pytest.mark.parametrize(
    ("old", "new", "fixed"),
    [
        ("[tool_trace]", "[tool_trace, db_state]  # why", "[tool_trace]  # why"),
        ("[tool_trace]", "[db_state, tool_trace]", "[tool_trace]"),
        ("[tool_trace]", "[tool_trace, tool_trace]", "[tool_trace]"),
        ("[tool_trace]", "['tool_trace', \"db_state\"]", "['tool_trace']"),
        ("[tool_trace]", "\n    - tool_trace\n    # beside\n    - db_state", "\n    - tool_trace\n    # beside"),
        ("[tool_trace]", "\n  - db_state\n  - tool_trace # first", "\n  - tool_trace # first"),
        ("[search_local]", "[search_local, read_paper, search_local]", "[search_local, read_paper]"),
    ],
)
def test_lists_that_hold_too_much(bench: Any, old: str, new: str, fixed: str) -> None:
    """Metrics that judge nothing and entries that stand twice go; comments, quotes and layout stay."""
    before = text(bench)
    bench.swap(TASK, old, new)
    (said,) = fix(bench.root)
    assert said.startswith(f"{TASK}: ")
    assert text(bench) == before.replace(old, fixed)
    assert bench.lint().exit_code == 0


@pytest.mark.parametrize(
    ("list_", "fixed"),
    [
        ("[tool_trace]", "[tool_trace, output_hygiene]"),
        ("[ tool_trace ]", "[ tool_trace, output_hygiene ]"),
        ("\n    - tool_trace", "\n    - tool_trace\n    - output_hygiene"),
        ("[tool_trace, db_state]", "[tool_trace, output_hygiene]"),
    ],
)
def test_a_metric_that_is_missing_is_declared(bench: Any, list_: str, fixed: str) -> None:
    """An expectation of a metric that the task does not declare would be judged by nobody."""
    bench.swap(TASK, "  accepted", "  forbidden_patterns: [x-1]\n  accepted")
    before = text(bench)
    bench.swap(TASK, "[tool_trace]", list_)
    assert bench.lint().exit_code == 2
    assert len(fix(bench.root)) == 1
    assert text(bench) == before.replace("[tool_trace]", fixed)
    assert bench.lint().exit_code == 0


@pytest.mark.parametrize(
    "line", ["      required_slots: {sentences_mx: 3}\n", "  required_invariants: [no_hiden_tag_leak]\n"]
)
def test_the_metric_of_a_misspelt_name_stays(line: str, bench: Any) -> None:
    """It was declared rightly: the name is what is wrong, and which one was meant a person knows."""
    bench.swap(TASK, "grading:", f"{line}grading:")
    bench.swap(TASK, "[tool_trace]", "[tool_trace, schema_contract, output_hygiene]")
    before = text(bench)
    assert fix(bench.root) == ()
    assert text(bench) == before


def test_a_metric_that_only_a_case_needs_stays(bench: Any) -> None:
    """What a case demands belongs to the task's metrics."""
    cases = "cases: [{name: a}, {name: b, expect: {required_invariants: [stream_complete]}}]"
    bench.swap(TASK, "grading:", f"{cases}\ngrading:")
    bench.swap(TASK, "[tool_trace]", "[tool_trace, output_hygiene]")
    assert fix(bench.root) == ()


def test_a_json_task_is_put_right_too(bench: Any) -> None:
    """In its own quotes."""
    (bench.root / TASK).unlink()
    task = """{"id": "RET-01", "suite": "retrieval", "path_id": "P1", "mode": "single_turn", "input": "Hi.",
 "expect": {"required_invariants": ["stream_complete"], "accepted_outcomes": [{"allowed_first_tools": ["x"]}]},
 "grading": {"deterministic_metrics": ["tool_trace"]}}
"""
    bench.put("evals/retrieval/RET-01@P1.json", task)
    assert len(fix(bench.root)) == 1
    want = task.replace('["tool_trace"]', '["tool_trace", "output_hygiene"]')
    assert text(bench, "evals/retrieval/RET-01@P1.json") == want


def test_a_file_is_called_like_its_task(bench: Any) -> None:
    """Renamed where its suite is right and no other file has the name; else it is left for a person."""
    bench.put("evals/retrieval/first.yaml", text(bench).replace("RET-01", "RET-02"))
    (said,) = fix(bench.root)
    assert said == "evals/retrieval/first.yaml: renamed to RET-02@P1.yaml"
    assert (bench.root / "evals/retrieval/RET-02@P1.yaml").is_file()
    bench.put("evals/retrieval/again.yaml", text(bench))
    bench.put("evals/retrieval/moved.yaml", text(bench).replace("suite: retrieval", "suite: other"))
    assert fix(bench.root) == ()
    assert (bench.root / "evals/retrieval/again.yaml").is_file()


def test_a_recording_that_broke_off_is_cleaned_up(bench: Any) -> None:
    """As the next recording would; what is pinned is untouched."""
    folder = bench.root / "cassettes/retrieval/RET-01@P1"
    bench.put("cassettes/retrieval/RET-01@P1/.trial-1.yaml-0123456789abcdef", "x")
    pinned = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
    assert len(fix(bench.root)) == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == pinned
    assert bench.told() == []


@pytest.mark.parametrize(
    "broken",
    [
        ("single_turn", "two_turns"),
        ("[tool_trace]", "[tool_trase]"),
        ("[tool_trace]", "[db_state]"),
        ("[tool_trace]", "[tool_trace,\n    db_state]"),
        ("[tool_trace]", "[]"),
    ],
)
def test_what_needs_a_person_is_left_alone(bench: Any, broken: tuple[str, str]) -> None:
    """A broken task, an unknown metric, a list that would be empty or whose lines hold more than entries."""
    bench.swap(TASK, *broken)
    before = text(bench)
    assert fix(bench.root) == ()
    assert text(bench) == before


def test_a_project_that_is_none_is_left_alone(tmp_path: Path) -> None:
    """No evals, a folder of recordings that cannot be trusted: nothing is done."""
    assert fix(tmp_path) == ()
    (tmp_path / "cassettes" / "x" / "not a key").mkdir(parents=True)
    assert fix(tmp_path) == ()


def test_the_page_and_the_code_name_the_same_ids() -> None:
    """Each id that is put right is one that a check reports."""
    from tapegate.standard.checks import CHECKS

    assert set(FIXED) <= {code for check in CHECKS for code in check.codes}


@pytest.mark.parametrize(
    "source", ["x: [a, {b: c}]", "x: [[a], b]", "x:\n  - a\n  - b: c", "x: a", "x: []", "x:\n  - - a\n    - b"]
)
def test_other_lists_are_refused(source: str) -> None:
    """What is no list of texts is never edited."""
    with pytest.raises(NotPlain):
        edited(source, parse_document(source.encode(), "x.yaml"), ("x",), ["a"])
