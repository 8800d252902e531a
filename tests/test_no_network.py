"""`.ci/no-network`: the place without a network in which CI runs the gate."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "no-network"


def inside(*line: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command where there is no network."""
    return subprocess.run(
        [str(SCRIPT), *line], env={**os.environ, **env}, capture_output=True, text=True, timeout=60, check=False
    )


def test_nothing_outside_can_be_reached() -> None:
    """A server of this machine, listening on every address, hears nothing from there."""
    addresses = {"127.0.0.1", "192.0.2.1"}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, suppress(OSError):
        udp.connect(("192.0.2.1", 9))
        addresses.add(udp.getsockname()[0])
    with socket.create_server(("", 0)) as server:
        server.settimeout(0.2)
        for address in addresses:
            code = f"import socket; socket.create_connection(({address!r}, {server.getsockname()[1]}), 2)"
            done = inside(sys.executable, "-c", code)
            assert done.returncode == 1
            assert "Error" in done.stderr
        with pytest.raises(TimeoutError):
            server.accept()


def test_loopback_works_there() -> None:
    """A gateway and its agent can talk to each other."""
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    assert inside(sys.executable, "-c", code).returncode == 0


@pytest.mark.parametrize("code", [0, 1, 4])
def test_the_commands_code_is_kept(code: int) -> None:
    """A failing gate fails there too."""
    assert inside("sh", "-c", f"exit {code}").returncode == code


def test_where_no_such_place_can_be_made_it_fails(tmp_path: Path) -> None:
    """It never runs the command with the network instead."""
    for name in ("unshare", "sudo"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    ran = tmp_path / "ran"
    done = inside("touch", str(ran), PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode != 0
    assert not ran.exists()


def test_a_place_with_a_network_is_not_taken_for_one_without(tmp_path: Path) -> None:
    """If the namespace is none, the check inside of it says so."""
    (tmp_path / "unshare").write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n')
    (tmp_path / "unshare").chmod(0o755)
    ran = tmp_path / "ran"
    done = inside("touch", str(ran), PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode != 0
    assert not ran.exists()
