"""Python subjects to ask: an agent's module, its worker, and recordings for it to hear."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import facts
from tapegate.doors.guard.spawned import Launch, spawn
from tapegate.model.config import PythonSubject
from tapegate.model.service import Service
from tapegate.subject.environment import environment
from tapegate.subject.fork_server import ForkServer
from tapegate.subject.heard import Heard, stopwatch
from tapegate.subject.python import PythonTrial, PythonWorker, Tape
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.emit import emit
from tapegate.tape.ledger import Ledger

ADDRESS = "https://model.example/v1"
SERVICES = {"model": Service(address=ADDRESS, base_url_env=("MODEL_URL",), key_env="MODEL_KEY")}


def tape(*exchanges: tuple[str, str]) -> Tape:
    """A recording of POSTs to `/chat`: the text asked, and the text answered."""
    made = []
    for asked, answered in exchanges:
        body = answered.encode()
        made.append(
            Interaction(
                "model",
                Request("POST", f"{ADDRESS}/chat", {}, json.dumps({"q": asked}).encode()),
                Response(200, "OK", {"content-type": ("text/plain",)}, body),
                Chunks(1000, (len(body),), (2000,), 3000),
            )
        )
    provenance = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "scripted", "scripted", "rules")
    stream = AgentStream("text", b"", Chunks(0, (), (), 0))
    cassette = Cassette("RET-01@A1", 1, provenance, stream, tuple(made))
    return Tape(emit(cassette), {"model": ADDRESS}, secrets=("MODEL_KEY",))


@dataclass
class Agent:
    """One worker of one agent, and what its last trial left in the ledger."""

    worker: PythonWorker
    enclosure: Enclosure
    folder: Path
    level: Any
    ledger: Ledger = field(default_factory=Ledger)

    def rewrite(self, source: str) -> Agent:
        """Give a worker that is not warm another agent: each of its children imports it anew."""
        (self.folder / "project" / "agent.py").write_text(source)
        return self

    def ask(self, said: str, *, seed: int = 42, tape: Tape | None = None, **env: str) -> Heard:
        """Run one trial, in a fresh folder."""
        (heard,) = self.ask_in_turn(said, seed=seed, tape=tape, **env)
        return heard

    def ask_in_turn(self, *said: str, seed: int = 42, tape: Tape | None = None, **env: str) -> tuple[Heard, ...]:
        """Run one trial of several messages, each put when the one before is answered, whatever the answer is."""
        self.ledger = Ledger()
        place = self.folder / f"trial-{len(list(self.folder.glob('trial-*')))}"
        place.mkdir()
        clock = stopwatch()
        values = {
            "seed": str(seed),
            "workspace": str(place),
            "db": str(place / "db"),
            "project": str(self.folder / "project"),
        }
        inherited = environment(
            os.environ, workspace=place, services=SERVICES, urls={"model": ADDRESS}, level=self.level
        )
        try:
            first, *following = ([{**values, "input": one}] for one in said)
            trial = PythonTrial({**inherited, **env}, place, self.ledger, tape or TAPE)
            return self.worker.converse(first, trial, clock, following=following)
        finally:
            for address in self.enclosure.attempts():
                self.ledger.attempted(address)


TAPE = tape()


@contextmanager
def started(
    folder: Path,
    source: str,
    *,
    warm: bool = True,
    level: Any = "none",
    allow: Any = (),
    launch: Launch = spawn,
    **subject: Any,
) -> Iterator[Agent]:
    """A worker of the agent whose module holds `source`."""
    (folder / "project").mkdir(exist_ok=True)
    (folder / "project" / "agent.py").write_text(source)
    declared = {"kind": "python", "entry": "agent:ask", "pythonpath": (".",), "stream": "text", **subject}
    with ExitStack() as stack:
        enclosure = stack.enter_context(Enclosure.open(level, launch=launch))
        home = folder / "home"
        home.mkdir(exist_ok=True)
        env = environment(os.environ, workspace=home, services=SERVICES, urls={"model": ADDRESS}, level=level)
        made = PythonWorker(PythonSubject(**declared), folder / "project", enclosure, env, home, warm=warm, allow=allow)
        yield Agent(stack.enter_context(made), enclosure, folder, level)


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Starts a worker of an agent whose module holds the source given."""
    return lambda source, **more: started(tmp_path_factory.mktemp("agent"), source, **more)


@pytest.fixture(scope="session")
def forking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Any], Launch]]:
    """How launchers are started in forks of a process that has imported a library; one for each guard level."""
    with ExitStack() as stack:

        @cache
        def forking(level: Any) -> Launch:
            home = tmp_path_factory.mktemp("fork-server")
            env = environment(os.environ, workspace=home, services={}, urls={}, level=level)
            return stack.enter_context(ForkServer(["decimal"], home, env, home, level=level)).launch

        yield forking


@pytest.fixture(scope="session")
def taped() -> Callable[..., Tape]:
    """Makes recordings."""
    return tape


@pytest.fixture(scope="session")
def namespace() -> Any:
    """The level that shuts a subject in a network of its own."""
    if not facts().namespace:
        pytest.skip(f"no network namespace here: {facts().reasons}")
    return "namespace"


@dataclass
class Listener:
    """A server that counts who reached it, and what they sent."""

    port: int = 0
    heard: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                with connection:
                    connection.settimeout(5)
                    data = connection.recv(65536)
                    if data == b"stop":
                        return
                    self.heard.append(data)
                    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nleaked")

    def close(self) -> list[bytes]:
        """All that arrived: connections are served in order, and this is the last."""
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"stop")
            self._thread.join()
        self._listening.close()
        return self.heard


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A real server on loopback, outside of every subject."""
    made = Listener()
    yield made
    if made._thread.is_alive():
        made.close()
