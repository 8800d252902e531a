"""Recording: all of a task's trials, whole and without a secret, or nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

from tapegate.errors import CassetteError, NotJudged, SubjectError
from tapegate.run.record import machine_class
from tapegate.tape.store import load, pins_of

PATIENCE_S = 20.0


@pytest.mark.parametrize("kind", ["python", "http"])
def test_what_was_recorded_replays_and_holds_no_secret(kit, provider, key, capfd, kind):
    """The provider gets the real key; the agent, the cassette, the pins and every word written have its mark."""
    if kind == "http":
        kit.over_http()
    kit.agent(kit.root.joinpath("src/agent.py").read_text() + "\nprint(dict(os.environ), file=sys.stderr)\n")
    assert kit.record() == 1
    ((path, headers, body),) = provider.asked
    assert (path, headers["authorization"]) == ("/v1/chat", f"Bearer {key}")
    assert b"REDACTED_MODEL_KEY" in body, "in a body the mark stays: only a key's own place is filled"
    loaded = load(kit.root, "s", "T-1@A1", 1)
    (made,) = loaded.cassette.interactions
    assert made.request.uri == f"{kit.address}/chat"
    assert made.response.body == b'{"a": "HELLO", "you": "Bearer REDACTED_MODEL_KEY"}'
    assert loaded.cassette.stream.body == b'200 {"a": "HELLO", "you": "Bearer REDACTED_MODEL_KEY"}'
    written = b"".join(kit.recordings().values()) + "".join(capfd.readouterr()).encode()
    assert b"HELLO" in written
    assert key.encode() not in written
    assert b"set-cookie" not in written.lower()
    trace = kit.replay()
    assert trace.complete
    assert trace.text == '200 {"a": "HELLO", "you": "Bearer REDACTED_MODEL_KEY"}'


def test_a_cassette_says_where_it_comes_from(kit):
    """Recorder, time, commit, machine class and source stand in the cassette, and in the pins beside it."""
    kit.record(1, 2)
    made = load(kit.root, "s", "T-1@A1", 2).cassette
    assert (made.key, made.trial) == ("T-1@A1", 2)
    assert (made.provenance.source, made.provenance.source_kind) == ("live", "live")
    assert made.provenance.commit == "none"
    assert made.provenance.machine == machine_class()
    pins = pins_of(kit.root, "s", "T-1@A1")
    assert pins is not None
    assert sorted(pins.cassettes) == ["trial-1.yaml", "trial-2.yaml"]


def test_trials_of_a_recording_differ_by_their_seed(kit, provider):
    """Trial n is asked with the task's seed + n - 1."""
    kit.agent("import os\nfrom agent_base import post\ndef ask(input):\n    return post(os.environ['SEED'])\n")
    kit.subject["env"] = {"SEED": "seed {seed}"}
    kit.task("T-1", setup={"seed": 7})
    kit.record(1, 3)
    assert [body.partition(b'"q": ')[2][:8] for _, _, body in provider.asked] == [b'"seed 7"', b'"seed 9"']


REACH = "    try:\n        urllib.request.urlopen('http://192.0.2.7:81/x')\n    except OSError:\n        pass\n"
BREAKS = {
    "hangs": (
        "import time\ndef ask(input):\n    post(input)\n    time.sleep(100)\n",
        NotJudged,
        r"recording_broken.*the subject timed_out",
    ),
    "reaches around": (
        f"def ask(input):\n{REACH}    return post(input)\n",
        NotJudged,
        "undeclared_service.*'192.0.2.7:81', which no service",
    ),
    "reaches around while it is imported, and dies of it": (
        "urllib.request.urlopen('http://192.0.2.7:81/x')\n",
        NotJudged,
        "undeclared_service.*'192.0.2.7:81'",
    ),
    "holds a key": (
        "def ask(input):\n    post('AKIA' + 'QWX3Z7LMN5KD2RTB')\n    return 'x'\n",
        CassetteError,
        "secret_found.*interaction 0",
    ),
    "cannot be imported": ("raise ValueError('no data')\n", SubjectError, "cannot be imported: ValueError: no data"),
}


@pytest.mark.parametrize("how", BREAKS)
def test_a_recording_that_breaks_off_writes_nothing(kit, how):
    """PRO-02: the old recordings stay as they are, to the byte, and the error says what broke it."""
    before = kit.pretend()
    source, error, says = BREAKS[how]
    kit.agent("from agent_base import *\n" + source)
    kit.subject["timeout_s"] = 1 if how == "hangs" else 30
    with pytest.raises(error, match=f"(?s){says}"):
        kit.record(1, 2)
    assert kit.recordings() == before


def test_all_trials_are_written_or_none(kit, provider):
    """A second trial that breaks takes the first one with it: there is no recording until it looks good."""
    kit.agent(
        "import os\nfrom agent_base import post\ndef ask(input):\n    assert os.environ['SEED'] == '42'\n"
        "    return post(input)\n"
    )
    kit.subject["env"] = {"SEED": "{seed}"}
    with pytest.raises(NotJudged, match="trial 2 of T-1@A1 was not recorded"):
        kit.record(1, 2)
    assert len(provider.asked) == 1
    assert kit.recordings() == {}


def test_a_provider_that_cannot_be_reached_is_named(kit):
    """The agent's own error is told with what caused it: that nobody answered at the provider's address."""
    kit.config["services"]["model"]["address"] = "http://127.0.0.1:9/v1"
    kit.agent("from agent_base import post\ndef ask(input):\n    post(input)\n")
    with pytest.raises(NotJudged, match=r"POST /chat of service 'model': its provider could not be reached") as caught:
        kit.record()
    assert "the subject raised (HTTPError" in str(caught.value)


def test_the_last_lines_of_a_broken_subject_are_no_workflow_commands(kit):
    """What it wrote is quoted in the error."""
    kit.agent("def ask(input):\n    print('##[error]x')\n    print('::set-output name=a::b')\n    raise ValueError\n")
    with pytest.raises(NotJudged) as caught:
        kit.record()
    text = str(caught.value)
    assert "'#_[error]x'" in text
    assert "\n::" not in text
    assert "##[" not in text


def test_a_recorder_that_is_killed_leaves_the_old_recordings(kit, provider, key):
    """PRO-01: SIGKILL in the middle of a call changes no byte, and nothing that it started lives on."""
    before = kit.pretend()
    asked, go = threading.Event(), threading.Event()
    provider.before = lambda: (asked.set(), go.wait(PATIENCE_S))
    kit.agent(
        "import os\nfrom agent_base import post\ndef ask(input):\n"
        "    open(os.environ['PID'], 'w').write(str(os.getpid()))\n    return post(input)\n"
    )
    pid = kit.root / "pid"
    kit.subject["env"] = {"PID": "{project}/pid"}
    kit.suite()
    recorder = subprocess.Popen(
        [sys.executable, "-m", "tapegate", "record", "--all"],
        cwd=kit.root,
        env={**os.environ, "MODEL_KEY": key, "GITHUB_EVENT_NAME": ""},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert asked.wait(PATIENCE_S)
        child = int(pid.read_text())
        end = os.pidfd_open(child)
        recorder.send_signal(signal.SIGKILL)
        assert recorder.wait(PATIENCE_S) == -signal.SIGKILL
        import select

        poll = select.poll()
        poll.register(end, select.POLLIN)
        assert poll.poll(PATIENCE_S * 1000), "the subject outlived the harness"
        os.close(end)
    finally:
        go.set()
        with contextlib.suppress(ProcessLookupError):
            recorder.kill()
        recorder.wait()
    assert kit.recordings() == before


def test_a_machine_class_names_system_processor_and_cores():
    """What latencies are compared within."""
    system, processor, cores = machine_class().rsplit("-", 2)
    assert system == sys.platform
    assert processor
    assert cores.removesuffix("cpu").isdecimal()
