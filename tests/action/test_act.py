"""The workflow of this repository's pull requests, run by a runner as it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TASK = "evals/retrieval_prompt_paths/RET-02@A1.yaml"
ANSWER = "src/paperdesk/answer.py"
SHOWN = "        self.text += shown\n        return shown\n"
DROPPED = '        import re\n\n        shown = re.sub(r"[\\[\\]]|/paper/[a-z0-9-]*", "", shown)\n'
"""A defect: the answer cites nothing."""


def test_pr_yml_judges_in_two_parts_and_fails_a_regression_at_its_line(repository: Any, tmp_path: Path) -> None:
    """Two jobs replay a part each, a third joins them, holds them against the merge commit's first parent and fails
    with 1: an error on the line of the expectation, a summary, a report, and the two answers as checks of their own."""
    repository.replace(ANSWER, SHOWN, DROPPED + SHOWN)
    event = repository.merged()
    ran = repository.run("pr.yml", "pull_request", event, tmp_path / "kept")
    assert ran.code == 1, ran.told()

    artifacts = {path.name for path in (ran.kept / "artifacts").iterdir()}
    assert artifacts == {"tapegate-report", "tapegate-report-shard-1-of-2", "tapegate-report-shard-2-of-2"}
    results = json.loads((ran.kept / "artifacts" / "tapegate-report" / "results.json").read_bytes())
    assert (results["gate"]["exit_code"], results["partial"], results["summary"]["total"]) == (1, False, 3)

    outputs = ran.outputs("gate")
    assert outputs["base"] == event["pull_request"]["base"]["sha"]
    assert (outputs["verdict"], outputs["exit-code"], outputs["comparison"]) == ("failed", "1", "available")
    assert (outputs["behaviour"], outputs["recordings"]) == ("fails", "current")
    assert outputs["regressions"] == str(results["summary"]["fail"])

    found = [each for each in ran.annotations("gate") if each.file == TASK]
    lines = (repository.root / TASK).read_text().split("\n")
    expected = {number for number, text in enumerate(lines, 1) if "citations_local_min: 2" in text}
    assert found
    assert {each.line for each in found} <= expected
    assert {(each.kind, each.title) for each in found} == {
        ("error", "RET-02@A1 passed before: citation_contract too_few_local_citations")
    }
    summary = ran.summary("gate")
    assert summary.startswith("## Tapegate: not safe to merge\n")
    assert "passed before and fail" in summary
    assert f"`{outputs['digest']}`" in summary
    ended = {record["job"]: record["jobResult"] for record in ran.records if "jobResult" in record}
    assert {name.split("/")[-1].strip(): result for name, result in ended.items() if "Replay" not in name} == {
        "Gate": "failure",
        "Behaviour holds": "failure",
        "Recordings cover the change": "success",
    }
