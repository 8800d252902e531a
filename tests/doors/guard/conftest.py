"""Enclosures, listeners on the host, and programs that try to get out."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, facts

PATIENCE_S = 20.0
"""How long a test waits for what must happen; reached only by a failing test."""


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Skips the test where this machine gives no network namespace."""
    if facts().namespace is None:
        pytest.skip(f"no network namespace on this machine: {'; '.join(facts().reasons)}")


@pytest.fixture
def enclosure(namespaces: None) -> Iterator[Enclosure]:
    """A fresh network namespace."""
    with Enclosure.open("namespace") as made:
        yield made


@pytest.fixture(params=["none", "namespace"])
def level(request: pytest.FixtureRequest) -> Level:
    """Each level that a launcher can give, one after the other."""
    if request.param == "namespace":
        request.getfixturevalue("namespaces")
    return request.param


@dataclass
class Listener:
    """A server on the host's loopback, which whoever is enclosed must not reach."""

    port: int
    heard: list[bytes] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Listens on the host and keeps what comes, TCP and UDP."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        made = Listener(server.getsockname()[1])
        datagrams.bind(("127.0.0.1", made.port))

        def connections() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(PATIENCE_S)
                    made.heard.append(connection.recv(100))
                    made.came.set()

        def packets() -> None:
            while data := datagrams.recv(100):
                made.heard.append(data)
                made.came.set()

        threads = [threading.Thread(target=target) for target in (connections, packets)]
        for thread in threads:
            thread.start()
        yield made
        server.shutdown(socket.SHUT_RDWR)
        datagrams.sendto(b"", ("127.0.0.1", made.port))
        for thread in threads:
            thread.join()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[int | None, str]]:
    """Runs a command, or Python code, in an enclosure to its end: exit code and output."""

    def run(enclosure: Enclosure, what: Sequence[str] | str, cwd: Path = tmp_path) -> tuple[int | None, str]:
        argv = [sys.executable, "-I", "-c", what] if isinstance(what, str) else what
        said = tmp_path / "said"
        with said.open("wb") as output, Path(os.devnull).open("rb") as nothing:
            env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
            enclosure.start(argv, env, cwd, (nothing.fileno(), output.fileno(), output.fileno()))
            code = enclosure.ended(PATIENCE_S)
            enclosure.stop()
        return code, said.read_text()

    return run
