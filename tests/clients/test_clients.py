"""Real clients, unmodified: recorded through the gateway, replayed through it, and in their own process where we fit.

`make clients` prepares their environments; without them these tests are skipped.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tapegate.doors import in_process
from tapegate.doors.gateway import Gateway
from tapegate.subject.environment import FIXED
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Provenance
from tapegate.tape.emit import emit
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.read import read
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Route, Routes

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON = ROOT / ".venv-clients" / "bin" / "python"
NODE_MODULES = HERE / "node" / "node_modules"

ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
BASE_URLS = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
    "gemini": ("GOOGLE_GEMINI_BASE_URL",),
}
KEYS = {
    "OPENAI_API_KEY": "a-real-openai-key",
    "ANTHROPIC_API_KEY": "a-real-anthropic-key",
    "GEMINI_API_KEY": "a-real-key",
}
QUIET = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LANGSMITH_TRACING": "false",
    "DSPY_CACHEDIR": "/nonexistent",
}
"""What would call home."""

NAMES = {
    "python/programs/openai_sdk.py": 6,
    "python/programs/anthropic_sdk.py": 3,
    "python/programs/google_genai_sdk.py": 3,
    "python/programs/openai_agents_sdk.py": 4,
    "python/programs/pydantic_ai_lib.py": 4,
    "python/programs/langgraph_lib.py": 4,
    "python/programs/litellm_lib.py": 3,
    "python/programs/dspy_lib.py": 2,
    "node/programs/openai_sdk.mjs": 4,
    "node/programs/anthropic_sdk.mjs": 3,
    "node/programs/ai_sdk.mjs": 3,
}
"""Each program, and how many calls it makes."""


@dataclass
class Client:
    """One program in its environment."""

    program: Path
    home: Path

    def run(self, urls: dict[str, str], *inside: str) -> list[str]:
        """Run it with its services at `urls`; the lines that it printed."""
        env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        env |= {**FIXED, **QUIET, "HOME": str(self.home), "TMPDIR": str(self.home)}
        env |= {name: f"REDACTED_{name}" for name in KEYS}
        env |= {name: urls[service] for service, names in BASE_URLS.items() for name in names}
        command = [str(PYTHON) if self.program.suffix == ".py" else "node"]
        if inside:
            env["PYTHONPATH"] = str(ROOT / "src")
            command.append(str(HERE / "python" / "inside.py"))
        done = subprocess.run(
            [*command, str(self.program), *inside],
            cwd=self.home,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout.splitlines()


@pytest.fixture(params=NAMES, ids=lambda name: Path(name).stem if name.endswith("py") else Path(name).name)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    """Each client; skipped where its environment was not prepared."""
    program = HERE / request.param
    if program.suffix == ".py" and not PYTHON.is_file():
        pytest.skip("no .venv-clients: `make clients` prepares it")
    if program.suffix == ".mjs" and not (NODE_MODULES.is_dir() and shutil.which("node")):
        pytest.skip("no node_modules: `make clients` prepares them, where Node is")
    return Client(program, tmp_path)


def test_a_real_client_is_recorded_and_replayed(client: Client, provider: Any) -> None:
    """It hears the same again, tool calls and streams included, and the provider hears nothing; no key is kept."""
    calls = NAMES[client.program.relative_to(HERE).as_posix()]
    upstreams = {"openai": f"{provider.url}/v1", "anthropic": provider.url, "gemini": provider.url}
    recording = Routes({name: Route(name, at, upstreams[name]) for name, at in ADDRESSES.items()})
    replaying = Routes({name: Route(name, at, at) for name, at in ADDRESSES.items()})
    before = len(provider.calls)
    with Gateway() as gateway:
        recorder = Recorder(recording, Redactor(KEYS), Ledger())
        marks = {f"REDACTED_{name}": value for name, value in KEYS.items()}
        lane = gateway.open(recorder, recording, dict.fromkeys(ADDRESSES, marks))
        live = client.run({service: lane.url(service) for service in ADDRESSES})
        lane.close()
        assert len(provider.calls) == before + calls
        assert all(_has_a_real_key(headers) for _, headers in provider.calls[before:])
        raw = _written(recorder)
        assert not [value for value in KEYS.values() if value.encode() in raw]
        cassette = read(raw, "trial-1.yaml")

        ledger = Ledger()
        lane = gateway.open(Player(cassette, replaying, ledger), replaying)
        again = client.run({service: lane.url(service) for service in ADDRESSES})
        lane.close()
    assert again == live
    assert json.loads(live[-1])
    account = ledger.account(cassette.interactions, recorded_paths(cassette, replaying))
    assert account.complete, account
    assert account.played == calls
    assert len(provider.calls) == before + calls
    if client.program.suffix == ".py":
        _replays_inside(client, raw, cassette, live)


def _replays_inside(client: Client, raw: bytes, cassette: Cassette, live: list[str]) -> None:
    """The same recording in the client's own process, behind no gateway."""
    tape = client.home / "tape.json"
    tape.write_text(json.dumps({"cassette": base64.b64encode(raw).decode(), "routes": ADDRESSES}))
    *said, facts = client.run({service: in_process.url(service) for service in ADDRESSES}, str(tape))
    ledger = Ledger()
    for fact in json.loads(facts):
        ledger.enter(fact)
    routes = Routes({name: Route(name, at, at) for name, at in ADDRESSES.items()})
    assert said == live
    assert ledger.account(cassette.interactions, recorded_paths(cassette, routes)).complete


def _written(recorder: Recorder) -> bytes:
    """The recording's bytes."""
    made = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "scripted", "scripted", "rules")
    stream = AgentStream("text", b"", Chunks(0, (), (), 0))
    return emit(Cassette("A@B", 1, made, stream, recorder.interactions()))


def _has_a_real_key(headers: dict[str, str]) -> bool:
    sent = [headers.get(name, "") for name in ("authorization", "x-api-key", "x-goog-api-key")]
    return any(value.removeprefix("Bearer ") in KEYS.values() for value in sent)
