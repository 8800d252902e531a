"""The standard's example task, word for word, recorded, replayed and judged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tapegate.model.finding import Verdict
from tapegate.oracles.catalog import check_contract

EXAMPLE = Path(__file__).parents[1] / "load" / "data" / "standard_example.json"
KEY = "RET-01@A1"

AGENT = """
import json, os, sqlite3, httpx

def ask(input, db):
    told = httpx.post(os.environ["MODEL_URL"] + "/chat", json={"q": input, "key": os.environ["MODEL_KEY"]}).json()["a"]
    with sqlite3.connect(db) as base:
        (paper,) = base.execute("SELECT id FROM papers").fetchone()
    call = {"toolCallId": "c1", "toolName": "Skill:knowledge.paper.read", "args": {"id": paper}}
    yield f"9:{json.dumps(call)}\\n"
    yield f'a:{json.dumps({"toolCallId": "c1", "result": {"id": paper}})}\\n'
    yield f'0:{json.dumps(f"{told}, says [the paper](/paper/{paper}).")}\\n'
    yield 'd:{"finishReason":"stop"}\\n'
"""
DEFECTS = [
    ("Skill:knowledge.paper.read", "web_search", "first_tool_not_allowed"),
    ("[the paper](/paper/{paper})", "the paper", "too_few_local_citations"),
    ("{told}, says", "<thinking> {told}, says", "hidden_tag_unclosed"),
]
"""What is put for what in the agent, and what is found then."""


@pytest.fixture
def desk(kit: Any) -> Any:
    """A project whose only task is the example, with the snapshot and the fixture that it names; recorded."""
    shutil.rmtree(kit.root / "evals" / "s")
    for name in ("retrieval_prompt_paths", "snapshots", "fixtures"):
        (kit.root / "evals" / name).mkdir()
    shutil.copy(EXAMPLE, kit.root / "evals" / "retrieval_prompt_paths" / f"{KEY}.json")
    (kit.root / "evals" / "snapshots" / "baseline_v1.sql").write_text("CREATE TABLE papers (id TEXT PRIMARY KEY);")
    (kit.root / "evals" / "fixtures" / "paper_fixture_001.sql").write_text("INSERT INTO papers VALUES ('p-moss-01');")
    kit.subject.update(stream="ai_sdk_data", arguments={"input": "{input}", "db": "{db}"})
    kit.agent(AGENT)
    kit.record(task=KEY)
    return kit


def test_it_runs_unmodified(desk: Any) -> None:
    """It passes on what it asks for, and each defect of the agent fails it for what that breaks."""
    assert (desk.root / "evals" / "retrieval_prompt_paths" / f"{KEY}.json").read_bytes() == EXAMPLE.read_bytes()
    assert check_contract(desk.suite().task(KEY)) == []
    (task,) = desk.judge().tasks
    assert (task.key, task.verdict, task.outcome) == (KEY, Verdict.PASS, 0)
    for there, instead, code in DEFECTS:
        assert there in AGENT
        desk.agent(AGENT.replace(there, instead))
        (task,) = desk.judge().tasks
        assert task.verdict is Verdict.FAIL
        assert code in {finding.code for finding in task.findings if finding.severity == "fail"}
