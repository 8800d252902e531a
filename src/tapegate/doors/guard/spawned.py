"""The process of a launcher, started afresh."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tapegate.doors.guard.levels import Means

_ROOT = Path(__file__).parents[3]
_PROGRAM = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from tapegate.doors.guard.launcher import main; main()"


class Launched(Protocol):
    """A launcher's process, whoever started it."""

    def last_words(self, timeout_s: float) -> bytes:
        """What it wrote to standard error, once it has ended; killed where that takes longer than `timeout_s`."""


Launch = Callable[[socket.socket, Means | None], Launched]
"""Starts a launcher, which is talked to at the other end of the socket. Raises TapegateError where it cannot."""


class Spawned:
    """A launcher with an interpreter of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def last_words(self, timeout_s: float) -> bytes:
        """As `Launched` says."""
        try:
            return self._process.communicate(timeout=timeout_s)[1]
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.communicate()[1]


def spawn(channel: socket.socket, means: Means | None) -> Spawned:
    """Start a launcher as a program."""
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM]
    return Spawned(
        subprocess.Popen(  # noqa: S603  our own program
            ["sudo", "-n", "--", *command] if means == "sudo" else command,
            stdin=channel.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath)},
            start_new_session=True,
        )
    )
