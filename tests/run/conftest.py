"""A small project of one agent and one provider on loopback, to record, replay and judge."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tapegate.grade.session import judge
from tapegate.load.suite import Suite, load_suite
from tapegate.model.config import Profile
from tapegate.model.run import Run
from tapegate.model.trace import Trace
from tapegate.run.plan import Trial, plan
from tapegate.run.record import record
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner
from tapegate.run.source import ready
from tapegate.tape import store
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response

KEY = "sk-live-0123456789abcdef0123"
"""What MODEL_KEY holds while recording."""

AGENT = """
import os, sys, httpx

def post(text, path="/chat", **headers):
    key = os.environ["MODEL_KEY"]
    url = os.environ["MODEL_URL"] + path
    return httpx.post(url, json={"q": text, "key": key}, headers={"Authorization": f"Bearer {key}", **headers})

def ask(input):
    answer = post(input)
    yield f"{answer.status_code} "
    yield answer.text
"""
"""Asks its provider once, and answers what that said."""

BASE = """
import json, os, urllib.request

def post(text, path="/chat"):
    request = urllib.request.Request(os.environ["MODEL_URL"] + path, json.dumps({"q": text}).encode())
    return urllib.request.urlopen(request).read().decode()
"""
"""`agent_base`, for agents that are recorded only: quick to import, and heard by no in-process door."""

SERVER = """
import http.server, json, os, sys
sys.path.insert(0, os.environ["AGENT"])
import agent

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(b"ok")
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer("".join(agent.ask(body["input"])).encode())
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""The same agent behind HTTP."""


@dataclass
class Provider:
    """A provider on loopback: answers with the question, in capitals, and with the key it was shown."""

    url: str = ""
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    """Path, headers by lower-case name, and body of each request."""
    before: Callable[[], None] = lambda: None
    """Called before it answers."""

    def answer(self, body: bytes, headers: Mapping[str, str]) -> bytes:
        return json.dumps({"a": json.loads(body)["q"].upper(), "you": headers.get("authorization", "")}).encode()


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A running provider."""
    made = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.asked.append((self.path, headers, body))
            made.before()
            answer = made.answer(body, headers)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Set-Cookie", f"session={KEY}")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            with suppress(OSError):  # a subject that was killed meanwhile
                self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Kit:
    """A project of one agent. What is changed in it holds from the next load on."""

    root: Path
    address: str
    config: dict[str, Any] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        agent = {
            "kind": "python",
            "entry": "agent:ask",
            "pythonpath": ["src"],
            "stream": "text",
            "timeout_s": 30,
            "start_timeout_s": 30,
        }
        self.config = {
            "version": 1,
            "paths": {"A1": {"title": "Agent", "status": "active", "files": ["src/agent.py"], "subject": "agent"}},
            "subjects": {"agent": agent},
            "services": {
                "model": {"address": self.address, "base_url_env": ["MODEL_URL"], "key_env": "MODEL_KEY"},
            },
        }
        self.agent(AGENT)
        (self.root / "src" / "agent_base.py").write_text(BASE)
        self.task("T-1")

    @property
    def subject(self) -> dict[str, Any]:
        """The subject's part of the config."""
        return self.config["subjects"]["agent"]

    def over_http(self) -> Kit:
        """The same agent as an HTTP subject."""
        (self.root / "src" / "server.py").write_text(SERVER)
        self.config["subjects"]["agent"] = {
            "kind": "http",
            "command": ["{python}", "{project}/src/server.py", "{port}"],
            "ask": {"path": "/", "json": {"input": "{input}"}},
            "stream": "text",
            "timeout_s": 30,
            "start_timeout_s": 30,
            "env": {"AGENT": "{project}/src"},
        }
        return self

    def agent(self, source: str) -> Kit:
        """Replace the agent's module."""
        (self.root / "src").mkdir(exist_ok=True)
        (self.root / "src" / "agent.py").write_text(source)
        return self

    def task(self, name: str, **fields: Any) -> Kit:
        """Write a task of the suite `s`."""
        folder = self.root / "evals" / "s"
        folder.mkdir(parents=True, exist_ok=True)
        document = {
            "id": name,
            "suite": "s",
            "path_id": "A1",
            "mode": "single_turn",
            "input": "hello",
            "expect": {"accepted_outcomes": [{"tool_path_policy": "no_tools"}]},
            "grading": {"deterministic_metrics": ["tool_trace"]},
            **fields,
        }
        (folder / f"{name}@A1.yaml").write_text(yaml.safe_dump(document))
        return self

    def suite(self) -> Suite:
        """The suite as it stands now."""
        (self.root / "evals" / "tapegate.yaml").write_text(yaml.safe_dump(self.config))
        return load_suite(self.root)

    def record(self, *trials: int, task: str = "T-1@A1", replace: bool = True) -> int:
        """Record trials of a task from the provider."""
        suite = self.suite()
        with Runner(suite) as runner, ready(suite, "live") as source:
            return record(suite, runner, source, suite.task(task), trials or (1,), replace=replace)

    def trials(self, suite: Suite) -> tuple[Trial, ...]:
        """All trials of all tasks."""
        return plan(self.root, suite.tasks, "pr")

    def replay(self) -> Trace:
        """The trace of the first trial."""
        suite = self.suite()
        with Runner(suite) as runner:
            replayer = Replayer(suite, runner)
            try:
                return replayer.replay(self.trials(suite)[0])
            finally:
                self.logs = replayer.logs

    def judge(self, jobs: int = 1) -> Run:
        """Replay and judge all trials."""
        suite = self.suite()
        with Runner(suite) as runner:
            return judge(
                self.trials(suite),
                Replayer(suite, runner).replay,
                profile_name="pr",
                profile=Profile(),
                partial=False,
                jobs=jobs,
                done=lambda *_: None,
            )

    def pretend(self, task: str = "T-1") -> dict[str, bytes]:
        """Write a recording that nobody recorded; what is below `cassettes` then."""
        times = Chunks(1000, (2,), (2000,), 3000)
        made = Cassette(
            f"{task}@A1",
            1,
            Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "live", "live", "the provider"),
            AgentStream("text", b"ok", times),
            (
                Interaction(
                    "model",
                    Request("POST", f"{self.address}/chat", {}, b'{"q":"hello"}'),
                    Response(200, "OK", {}, b"ok"),
                    times,
                ),
            ),
        )
        store.write(self.root, "s", [made])
        return self.recordings()

    def recordings(self) -> dict[str, bytes]:
        """The bytes of every file below `cassettes`."""
        folder = self.root / "cassettes"
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def kit(tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Kit:
    """A project whose agent can be recorded: its key is set."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    (tmp_path / "project").mkdir()
    return Kit(tmp_path / "project", provider.url)


@pytest.fixture(scope="session")
def key() -> str:
    """The real key."""
    return KEY
