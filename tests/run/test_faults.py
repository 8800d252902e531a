"""Faults that a task declares on the tape: met while recording and in replay, by every kind of subject alike."""

from __future__ import annotations

import pytest

from tapegate.errors import LoadError
from tapegate.model.finding import Verdict

AGENT = """
import json, os
import httpx

def post(text):
    return httpx.post(os.environ["MODEL_URL"] + "/chat", content=json.dumps({"q": text}).encode(), timeout=2)

def ask(input):
    for attempt in range(3):
        try:
            answer = post(input)
            answer.raise_for_status()
            text = answer.json()["a"]
        except (httpx.HTTPError, ValueError) as error:
            yield type(error).__name__ + " "
            continue
        yield text
        return
    yield post("what else?").json()["a"]
"""
"""Tries three times, says what went wrong, and asks something else when nothing helped."""

ALONE = "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n"
"""Makes each trial import the agent for itself, and hear the gateway."""

TASKS = {
    "status": ({"kind": "status", "status": 429, "calls": [1]}, "HTTPStatusError HELLO", 1),
    "timeout": ({"kind": "timeout", "calls": [1]}, "ReadTimeout HELLO", 1),
    "reset": ({"kind": "reset", "calls": [1, 2]}, "ReadError ReadError HELLO", 1),
    "truncate": ({"kind": "truncate", "calls": [1]}, "RemoteProtocolError HELLO", 2),
    "json": ({"kind": "malformed_json", "calls": [1]}, "JSONDecodeError HELLO", 2),
    "never": ({"kind": "status", "status": 500, "containing": "hello"}, "HTTPStatusError " * 3 + "WHAT ELSE?", 1),
}
"""By task: its fault, what the agent then says, and how many interactions its recording holds."""


@pytest.fixture
def faulty(kit):
    """A project with a task for each fault, recorded under it."""
    (kit.root / "evals/s/T-1@A1.yaml").unlink()
    kit.agent(AGENT)
    for name, (fault, _, _) in TASKS.items():
        kit.task(name, setup={"faults": [{**fault, "service": "model"}]})
    recorded = {name: kit.record(task=f"{name}@A1") for name in TASKS}
    assert recorded == {name: count for name, (_, _, count) in TASKS.items()}
    return kit


def test_a_fault_is_the_same_to_every_kind_of_subject(faulty):
    """In process, at the gateway and over HTTP: the agent meets the fault and does what it did while recorded."""
    said = {trial.task.id: trial.recording.cassette.stream.body.decode() for trial in faulty.trials(faulty.suite())}
    assert said == {name: text for name, (_, text, _) in TASKS.items()}
    runs = {
        "in process": faulty.judge(),
        "at the gateway": faulty.agent(ALONE + AGENT).judge(),
        "http": faulty.over_http().agent(AGENT).judge(),
    }
    in_process = runs["in process"]
    assert {task.id: task.verdict for task in in_process.tasks} == dict.fromkeys(TASKS, Verdict.PASS)
    assert runs["at the gateway"] == in_process
    assert runs["http"] == in_process


def test_a_fault_that_nobody_meets_fails_its_task(kit):
    """A task that claims to test a fault and does not is no pass; the finding stands at the fault's line."""
    kit.task("T-1", setup={"faults": [{"kind": "reset", "service": "model", "calls": [7]}]})
    kit.record()
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.FAIL
    (finding,) = (finding for finding in task.findings if finding.severity == "fail")
    assert (finding.code, finding.file) == ("fault_not_met", "evals/s/T-1@A1.yaml")
    text = (kit.root / "evals/s/T-1@A1.yaml").read_text().splitlines()
    assert "calls" in text[finding.line - 1] or "kind" in text[finding.line - 1]


def test_a_recording_made_without_the_fault_is_stale_where_the_agent_then_asks_for_more(kit):
    """A fault that is added later changes what the agent asks: the recording does not cover that."""
    kit.agent(AGENT).record()
    kit.task("T-1", setup={"faults": [{"kind": "status", "service": "model", "status": 500, "containing": "hello"}]})
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.STALE


def test_a_fault_of_a_service_that_is_not_declared_is_refused(kit):
    """At its line, with the nearest name."""
    kit.task("T-1", setup={"faults": [{"kind": "reset", "service": "modle"}]})
    with pytest.raises(LoadError, match="did you mean 'model'") as caught:
        kit.suite()
    (problem,) = caught.value.problems
    assert problem.code == "unknown_service"
