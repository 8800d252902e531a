"""`tapegate gateway`, as a person starts and stops it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from tapegate.cli.gateway import gateway
from tapegate.cli.serving import code_of
from tapegate.errors import UsageError
from tapegate.model.trace import Account, NetworkAttempt, Unplayed
from tapegate.tape.store import load

KEY = "RET-01@A1"


@pytest.fixture(scope="module")
def root() -> Path:
    """This repository: serving a recording writes nothing."""
    return Path(__file__).parents[2]


@pytest.fixture
def open_gateway(root) -> Callable[..., object]:
    """Starts the command on the shipped evals and waits until it serves; ended by a signal if the test does not."""

    @contextmanager
    def start(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
        command = [sys.executable, "-m", "tapegate", "gateway", KEY, "-C", str(root), "--json", *words]
        env = {**os.environ, "TAPEGATE_DEBUG": "1"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
            try:
                said = process.stdout.readline()
                assert said, process.stderr.read()
                yield process, json.loads(said)["environment"]
            finally:
                process.kill()

    return start


def ended(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, dict[str, object], str]:
    """Exit code, account and errors after a signal."""
    process.send_signal(how)
    said, errors = process.communicate(timeout=60)
    return process.returncode, json.loads(said), errors


def test_an_agent_started_by_hand_hears_its_recording(root, open_gateway):
    """Base URLs are printed; what was recorded is answered; Ctrl-C ends it with 0 when all was played."""
    tape = load(root, "retrieval_prompt_paths", KEY, 1).cassette
    base = {"model": "OPENAI_BASE_URL", "search": "PAPERDESK_SEARCH_URL"}
    with open_gateway() as (process, environment), httpx.Client(trust_env=False) as client:
        assert environment["OPENAI_API_KEY"] == "REDACTED_OPENAI_API_KEY"
        for one in tape.interactions:
            url = environment[base[one.service]] + one.request.uri.partition("/v1")[2]
            assert client.request(one.request.method, url, content=one.request.body).content == one.response.body
        assert ended(process, signal.SIGINT) == (
            0,
            {"played": len(tape.interactions), "misses": [], "unplayed": [], "alike": [], "network": []},
            "",
        )


def test_a_miss_is_never_a_zero(open_gateway):
    """A request without a recording, and recordings that nobody asked for, end it with 4, by whatever signal."""
    with open_gateway() as (process, environment):
        answer = httpx.post(f"{environment['OPENAI_BASE_URL']}/chat/completions", json={"model": "m"}, trust_env=False)
        assert answer.status_code == 424
        code, account, errors = ended(process, signal.SIGTERM)
    assert (code, account["played"], len(account["misses"]), errors) == (4, 0, 1, "")
    assert account["unplayed"]


@pytest.mark.parametrize(
    ("words", "event", "code"),
    [
        (["RET-0*"], "", "one_task"),
        ([KEY, "--source", "scripted"], "", "not_recording"),
        ([KEY, "--record"], "pull_request", "recording_in_pr"),
    ],
)
def test_what_makes_no_sense_is_refused(root, monkeypatch, words, event, code):
    """More tasks than one, options of recording without it, and recording in a pull request."""
    monkeypatch.setenv("GITHUB_EVENT_NAME", event)
    done = CliRunner().invoke(gateway, [*words, "-C", str(root)])
    assert isinstance(done.exception, UsageError)
    assert done.exception.problems[0].code == code


@pytest.mark.parametrize(
    ("account", "code"),
    [
        (Account(played=1), 0),
        (Account(unplayed=(Unplayed(0, "model", "POST", "/chat"),)), 4),
        (Account(played=1, alike=(0,)), 4),
        (Account(unplayed=(Unplayed(0, "model", "POST", "/chat"),), network=(NetworkAttempt("a:1"),)), 1),
    ],
)
def test_only_the_whole_recording_and_nothing_else_is_a_zero(account, code):
    """Not what was left over, not what was answered for its conversation alone, and least of all the network."""
    assert code_of(account) == code
