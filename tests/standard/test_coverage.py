"""What a run says of the mandatory inventory: every eval with its verdict, and how its path is judged."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from tapegate.model.config import Config
from tapegate.model.task import Task
from tapegate.standard.coverage import covered

SUBJECTS = {"desk": {"kind": "python", "entry": "agent:answer", "stream": "text"}}


def config(**inventory: str | None) -> Config:
    """A config with a path for each row of the inventory that is named."""
    paths = {
        path: {"title": f"path {path}", "status": "x", "files": ["x"], "subject": "desk", "inventory": row}
        for path, row in inventory.items()
    }
    return Config.model_validate({"version": 1, "paths": paths, "subjects": SUBJECTS}, strict=False)


def task(name: str, path: str = "P", **slots: Any) -> Task:
    """A task with slots."""
    fields = {
        "id": name,
        "suite": "s",
        "path_id": path,
        "mode": "single_turn",
        "input": "Hi.",
        "expect": {"accepted_outcomes": [{"required_slots": slots}]},
        "grading": {"deterministic_metrics": ["schema_contract", "output_hygiene", "db_state"]},
    }
    return Task.model_validate_json(json.dumps(fields))


def result(name: str, verdict: str, path: str = "P") -> Any:
    """What came of a task, or of one of its cases."""
    return SimpleNamespace(path_id=path, id=name, verdict=SimpleNamespace(value=verdict))


def test_each_eval_stands_by_its_path_with_its_verdict_and_methods() -> None:
    """Cases are counted, what is not there is told as missing, and so is a method that no eval uses."""
    tasks = [task("AGT-03", prefix="User preferences:", sentences_max=3)]
    results = [result("AGT-03", "pass"), result("AGT-04", "pass"), result("AGT-04", "fail"), result("AGT-04", "pass")]
    first, second = covered(config(P="A3"), tasks, results)
    assert first == "P  path P: AGT-03 pass · AGT-04 1 fail, 2 pass · AGT-09 missing"
    assert second == (
        "    by sentence-count contract (schema_contract), prefix contract (schema_contract),"
        " denylist of secrets, paths and tokens (output_hygiene) [missing],"
        " history dedup assertions (db_state) [missing]"
    )


def test_paths_stand_in_order_and_those_without_a_row_are_left_out() -> None:
    """A path that declares no row has no mandatory evals; a row without methods is one line."""
    results = [result("RET-08", "pass", "B"), result("RET-08", "pass", "B"), result("RET-08", "pass", "A")]
    lines = list(covered(config(C=None, B="A5", A="A3"), [], results))
    assert [line.split()[0] for line in lines] == ["A", "by", "B"]
    assert "RET-08 pass (2 cases) · AGT-11 missing" in lines[2]
    assert "AGT-03 missing" in lines[0]


def test_an_eval_of_the_weekly_audit_is_said_to_be_that() -> None:
    """RET-07 is no eval that a pull request lacks; where it was run, it gates nothing."""
    tasks = [task("RET-07", "B", json={"$": {"$type": "object"}})]
    (line, *_) = covered(config(B="A5"), tasks, [])
    assert line.endswith(" · RET-07 in the weekly audit only")
    (line, *_) = covered(config(B="A5"), tasks, [result("RET-07", "fail", "B")])
    assert line.endswith(" · RET-07 fail (gates nothing)")
    (line, *_) = covered(config(B="A5"), [], [])
    assert "RET-07" not in line
