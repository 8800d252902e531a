"""The same commit and the same cassettes give the same bytes, wherever and however the gate runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOME = ("RET-04@A1", "RET-04@A2", "AGT-09@A3", "AGT-16@orchestration")
"""One eval of each kind of subject and mode; .ci/run holds the bytes of whole runs against each other."""


def test_results_do_not_depend_on_where_or_how_they_were_made(tmp_path: Path, copy_project: Callable[..., Any]) -> None:
    """Folder, hash seed, time zone, locale, jobs and order leave no mark in results.json or in a report."""
    plain = copy_project(tmp_path / "a")
    other = copy_project(tmp_path / "another folder" / "b")
    for project in (plain, other):
        project.only(*SOME, "RET-03@A1")
    first = plain.process("run", *SOME, "--jobs", "4", PYTHONHASHSEED="1")
    assert first.code == 0, first.out + first.err
    done = other.process(
        *("run", *SOME, "--jobs", "1", "--order", "reversed"),
        **{"PYTHONHASHSEED": "5", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1"},
    )
    assert done.code == 0, done.out + done.err
    assert done.out == first.out
    assert other.results() == plain.results()
    for name in ("report.html", "report.md", "junit.xml", "results.sarif", "contracts.json"):
        assert (other.root / "out" / name).read_bytes() == (plain.root / "out" / name).read_bytes(), name


def test_a_run_leaves_what_the_contract_names(project: Any) -> None:
    """Results, provenance without a blank, traces and report are there, and the digest printed is that of the bytes."""
    project.only("RET-04@A1")
    done = project.tapegate("run", "RET-04@A1")
    out = project.root / "out"
    digest = hashlib.sha256(project.results()).hexdigest()
    assert f"digest sha256:{digest} · exit code 0" in done.out
    provenance = json.loads((out / "provenance.json").read_bytes())
    required = {
        "run_id",
        "timestamp_utc",
        "dataset_id",
        "dataset_version_or_hash",
        "model_id",
        "model_version",
        "evaluator_model_id",
        "evaluator_model_version",
        "prompt_template_id",
        "prompt_template_version_or_hash",
        "evaluator_prompt_template_version_or_hash",
        "generation_params",
        "code_version",
        "environment",
    }
    assert required <= set(provenance)
    assert not [name for name in required if not provenance[name]]
    assert provenance["generation_params"] == {"temperature": 0, "top_p": 1, "max_tokens": 1024, "seed": [42, 43]}
    assert {row["source_kind"] for row in provenance["recordings"]} == {"scripted"}
    events = [json.loads(line) for line in (out / "traces/RET-04@A1/trial-1.jsonl").read_text().splitlines()]
    assert [event["name"] for event in events if event["event"] == "tool_call"] == ["search_local", "web_search"]
    assert events[-1] == {"event": "ending", "kind": "completed", "detail": ""}
    assert (out / "report.md").read_text().startswith("## Tapegate: passed")


def test_a_selection_is_partial_and_no_pr_gate(project: Any) -> None:
    """A run of some tasks says so, passes while one works on them, and never passes as the PR gate."""
    project.only("RET-03@A1", "RET-04@A1")
    done = project.tapegate("run", "RET-03@A1")
    assert done.code == 0, done.out + done.err
    assert json.loads(project.results())["partial"] is True
    done = project.tapegate("run", "RET-03@A1", "--profile", "pr")
    assert done.code == 1
    assert "accepts whole runs only" in done.out
