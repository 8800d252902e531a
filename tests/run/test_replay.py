"""Replay: the same facts and verdicts whatever the subject's kind and door, and whatever the agent makes of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tapegate.errors import SubjectError
from tapegate.model.finding import Verdict
from tapegate.model.trace import Exchange, Usage
from tapegate.run.replay import Replayer, events, exchanges, tokens
from tapegate.run.runner import Runner
from tapegate.tape import store
from tapegate.tape.cassette import UNTIMED, Chunks
from tapegate.tape.ledger import Ledger

ALONE = "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n"
"""Makes each trial import the agent for itself, and hear the gateway."""

KINDS: dict[str, Callable[[Any], Any]] = {
    "in process": lambda kit: kit,
    "at the gateway": lambda kit: kit.agent(ALONE + (kit.root / "src/agent.py").read_text()),
    "http": lambda kit: kit.over_http(),
}


POST = """
import ctypes, json, os, signal, sys, time
import httpx

def post(text, **headers):
    return httpx.post(os.environ["MODEL_URL"] + "/chat", content=json.dumps({"q": text}).encode(), headers=headers)

def reach():
    try:
        httpx.get("http://192.0.2.7:81/x", timeout=2)
    except httpx.HTTPError:
        pass
"""
"""Asks what `Kit.pretend` recorded for `hello`, up to white space."""

WAYS = """
def answers():
    yield post("hello").text

def retries():
    post("hello")
    for number in "1234":
        post("else", retry=number)
    yield "all is well"

def repeats():
    post("hello")
    yield post("hello").text

def knows():
    yield "I know"

def reaches():
    reach()
    yield post("hello").text

def dies_of_a_miss():
    post("else")
    os._exit(3)

def raises():
    post("hello")
    raise ValueError("x")

def says_nothing():
    post("hello")
    return []

def crashes():
    post("hello")
    ctypes.string_at(0)

def hangs():
    post("hello")
    time.sleep(100)

def loses():
    os.kill(os.getppid(), signal.SIGKILL)

def ask(input):
    return globals()[input]()
"""

JUDGED = {
    "answers": (Verdict.PASS, set()),
    "retries": (Verdict.STALE, {"extra_call"}),
    "repeats": (Verdict.STALE, {"extra_call"}),
    "knows": (Verdict.STALE, {"unplayed"}),
    "reaches": (Verdict.FAIL, {"network_attempt"}),
}
ENDED = {
    "dies_of_a_miss": (Verdict.STALE, {"parameters_changed", "exited"}),
    "raises": (Verdict.FAIL, {"raised"}),
    "says_nothing": (Verdict.FAIL, {"empty_output"}),
    "crashes": (Verdict.FAIL, {"crashed"}),
    "hangs": (Verdict.FAIL, {"timed_out"}),
    "loses": (Verdict.ERROR, {"subject_not_started"}),
}
SLOW = {"says_nothing", "hangs", "loses"}


def told(task) -> set[str]:
    """The codes of the findings that lead to a verdict."""
    return {finding.code for finding in task.findings if finding.severity != "note"}


def test_the_verdict_comes_from_the_account_whatever_the_agent_makes_of_it(kit):
    """A miss swallowed is stale, an attempt caught is a failure; every kind and door give the very same results."""
    (kit.root / "evals/s/T-1@A1.yaml").unlink()
    for way in JUDGED:
        kit.task(way, input=way).pretend(way)
    runs = {name: kind(kit.agent(POST + WAYS)).judge(jobs=2) for name, kind in KINDS.items()}
    in_process = runs["in process"]
    assert {task.id: (task.verdict, told(task)) for task in in_process.tasks} == JUDGED
    (once,) = (task for task in in_process.tasks if task.id == "retries")
    assert [finding.severity for finding in once.findings] == ["stale"]
    assert runs["http"] == in_process
    assert runs["at the gateway"] == in_process


def test_the_end_of_a_python_subject_is_judged(kit):
    """A miss excuses the end that follows it; every other end that is no answer fails, at both doors."""
    (kit.root / "evals/s/T-1@A1.yaml").unlink()
    kit.subject["timeout_s"] = 3
    for way in ENDED:
        kit.task(way, input=way).pretend(way)
    in_process = kit.agent(POST + WAYS).judge(jobs=2)
    assert {task.id: (task.verdict, told(task)) for task in in_process.tasks} == ENDED
    for way in SLOW:
        (kit.root / f"evals/s/{way}@A1.yaml").unlink()
    at_the_gateway = KINDS["at the gateway"](kit).judge(jobs=2)
    assert at_the_gateway.tasks == tuple(task for task in in_process.tasks if task.id in ENDED.keys() - SLOW)


@pytest.mark.parametrize(
    ("source", "code", "expected"),
    [
        ("httpx.get('http://192.0.2.7:81/x')\n", 1, {"network_attempt", "exited"}),
        ("post('else').raise_for_status()\n", 4, {"parameters_changed", "exited"}),
        ("import no_such_module\n", 3, {"subject_not_started"}),
    ],
    ids=["reaches out", "misses", "neither"],
)
def test_an_import_that_fails_is_judged_by_what_it_tried(kit, source, code, expected):
    """An agent that dies of a refusal while it is imported has tried all the same; else nothing can be judged."""
    kit.pretend()
    run = kit.agent(POST + source).judge()
    assert (run.gate.exit_code, expected <= told(run.tasks[0])) == (code, True), run.tasks[0].findings


def test_what_is_done_while_importing_is_part_of_the_trial(kit):
    """An agent that asks its provider when it is imported is recorded with that request, and replays with it."""
    kit.agent(POST + "AT_IMPORT = post('models').text\ndef ask(input):\n    yield AT_IMPORT + post(input).text\n")
    assert kit.record() == 2
    trace = kit.replay()
    assert trace.complete
    assert [exchange.index for exchange in trace.exchanges] == [0, 1]


@pytest.mark.parametrize("kind", ["in process", "http"])
def test_the_openai_sdk_misses_once_however_often_it_would_retry(kit, kind):
    """A miss is told as an error that the SDK neither retries nor hides."""
    kit.pretend()
    kit.agent(
        "import os, openai\n"
        "def ask(input):\n"
        "    client = openai.OpenAI(base_url=os.environ['MODEL_URL'], api_key=os.environ['MODEL_KEY'], max_retries=5)\n"
        "    try:\n"
        "        client.chat.completions.create(model='m', messages=[{'role': 'user', 'content': input}])\n"
        "    except openai.APIStatusError as error:\n"
        "        yield f'{error.status_code}'\n"
    )
    trace = KINDS[kind](kit).replay()
    assert trace.text == "424"
    (miss,) = trace.account.misses
    assert (miss.path, miss.kind) == ("/chat/completions", "not_recorded")


@pytest.mark.parametrize(
    ("calls", "total"),
    [
        ([], None),
        ([(None, None)], None),
        ([("m", Usage(10, 5)), (None, None), ("m", Usage(1, 2))], 18),
        ([("m", Usage(10, 5)), ("m", Usage(1, None))], None),
        ([("m", Usage(10, 5)), ("m", None)], None),
    ],
)
def test_what_a_recording_took_is_known_or_it_is_not(calls, total):
    """A sum with a gap in it is no sum; what is no call of a model takes no tokens."""
    made = [Exchange(n, "s", "POST", "/", 200, 0, 0, 0, model, usage) for n, (model, usage) in enumerate(calls)]
    assert tokens(made) == total


def test_latency_is_what_was_recorded(kit):
    """Replay takes no time of its own: milliseconds come from the recording, rounded up, and only of a whole one."""
    kit.pretend()
    kit.agent(POST + "def ask(input):\n    yield post(input).text\n")
    trace = kit.replay()
    assert (trace.latency_e2e_ms, trace.latency_model_ms) == (2, 2)
    kit.agent(POST + "def ask(input):\n    yield 'nothing asked'\n")
    trace = kit.replay()
    assert (trace.latency_e2e_ms, trace.latency_model_ms) == (None, None)


def test_the_log_of_a_subject_that_did_not_complete_is_kept(kit):
    """For the provenance: by key and trial, its last lines; nothing of a trial that went well."""
    kit.pretend()
    kit.agent(POST + "def ask(input):\n    print('loading')\n    yield post(input).text\n")
    kit.replay()
    assert kit.logs == {}
    kit.agent(POST + "def ask(input):\n    print('loading')\n    raise ValueError('no data')\n")
    kit.replay()
    assert kit.logs["T-1@A1[1]"][0] == "loading"
    assert kit.logs["T-1@A1[1]"][-1] == "ValueError: no data"
    kit.agent("print('importing')\nimport no_such_module\n")
    with pytest.raises(SubjectError):
        kit.replay()
    assert kit.logs["T-1@A1[1]"][0] == "importing"


def test_replay_writes_nothing_into_the_recordings(kit):
    """Not one byte, whatever happened."""
    before = kit.pretend()
    kit.agent(POST + "def ask(input):\n    post('else')\n    raise ValueError\n")
    kit.judge()
    assert kit.recordings() == before


def test_events_come_from_the_answer_in_any_pieces():
    """The dialect's parser sees every chunk, and its end."""
    whole = events("text", [b"one two"])
    assert "".join(event.text for event in whole) == "one two"  # type: ignore[union-attr]
    assert "".join(event.text for event in events("text", [b"one", b" ", b"two"])) == "one two"  # type: ignore[union-attr]


def test_an_exchange_with_a_service_that_is_no_longer_declared_is_opaque(kit):
    """It is listed by what the recording says, and read as nothing else."""
    kit.pretend()
    suite = kit.suite()
    (trial,) = kit.trials(suite)
    services: dict[str, Any] = {}
    config = suite.config.model_copy(update={"services": services})
    (made,) = exchanges(config, trial.recording.cassette, ["/chat"], [0])
    assert (made.service, made.status, made.model, made.duration_us) == ("model", 200, None, 2000)
    assert Ledger().played_places == []


def test_a_recording_without_times_has_no_latency(kit):
    """One that was imported replays and is judged; how long it took is not known, which is not zero."""
    kit.agent(POST + WAYS).task("T-1", input="answers").pretend()
    assert (kit.replay().latency_e2e_ms, kit.replay().latency_model_ms) == (2, 2)
    (loaded,) = (trial.recording for trial in kit.trials(kit.suite()))
    untimed = replace(loaded.cassette, provenance=replace(loaded.cassette.provenance, machine=UNTIMED))
    store.write(kit.root, "s", [untimed])
    trace = kit.replay()
    assert trace.complete
    assert (trace.latency_e2e_ms, trace.latency_model_ms) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_time_is_kept_on_request(kit, kind):
    """With `pace: recorded` an answer takes as long as it did, at every door; what is judged is the same."""
    kit.agent(POST + "def ask(input):\n    yield post(input).text\n").pretend()
    (loaded,) = (trial.recording for trial in kit.trials(kit.suite()))
    (interaction,) = loaded.cassette.interactions
    slow = replace(interaction, chunks=Chunks(1000, (1, 1), (201_000, 401_000), 401_000))
    store.write(kit.root, "s", [replace(loaded.cassette, interactions=(slow,))])
    suite = KINDS[kind](kit).suite()
    took = {}
    for pace in ("at_once", "recorded"):
        with Runner(suite, pace) as runner:
            replayer = Replayer(suite, runner)
            start = time.monotonic()
            trace = replayer.replay(kit.trials(suite)[0])
            took[pace] = time.monotonic() - start
        assert (trace.text, trace.complete) == ("ok", True)
    assert took["recorded"] >= 0.4


TALKS = """
import json, os
import httpx

def ask(input):
    talk = {"model": "m", "messages": [{"role": "system", "content": "PROMPT"}, {"role": "user", "content": input}]}
    yield httpx.post(os.environ["MODEL_URL"] + "/chat", json={**talk, "q": "hello"}).text
"""


def test_a_changed_prompt_may_be_replayed_to_test_the_plumbing(kit):
    """With `match: conversation` it needs review instead of being stale, at every door; as recorded it passes."""
    kit.task("T-1", setup={"match": "conversation"}).agent(TALKS).record()
    assert kit.judge().tasks[0].verdict is Verdict.PASS
    runs = {name: kind(kit.agent(TALKS.replace("PROMPT", "ANOTHER"))).judge() for name, kind in KINDS.items()}
    (task,) = runs["in process"].tasks
    assert (task.verdict, told(task)) == (Verdict.NEEDS_REVIEW, {"matched_by_conversation"})
    assert runs["http"] == runs["at the gateway"] == runs["in process"]


def test_without_it_a_changed_prompt_is_stale(kit):
    """The same change, and the task as tasks are."""
    kit.agent(TALKS).record()
    (task,) = kit.agent(TALKS.replace("PROMPT", "ANOTHER")).judge().tasks
    assert (task.verdict, told(task)) == (Verdict.STALE, {"prompt_changed"})


TORNADO = """
import asyncio, json, os
from tornado.httpclient import AsyncHTTPClient

def ask(input):
    async def agent():
        client = AsyncHTTPClient(force_instance=True)
        url = os.environ["MODEL_URL"] + "/chat"
        return (await client.fetch(url, method="POST", body=json.dumps({"q": input}))).body.decode()
    yield asyncio.run(agent())
"""


def test_a_client_without_a_door_replays_by_vcrpy_and_the_run_says_so(kit):
    """Recorded through the gateway, replayed inside the subject's own process, and named for the provenance."""
    kit.agent(TORNADO).record()
    suite = kit.suite()
    with Runner(suite) as runner:
        replayer = Replayer(suite, runner)
        trace = replayer.replay(kit.trials(suite)[0])
    assert trace.complete
    assert "HELLO" in trace.text
    assert replayer.stand_ins == {"T-1@A1[1]": ["tornado"]}
