"""A command that serves HTTP: started on a port, awaited at its health path, stopped with all it started."""

from __future__ import annotations

import http.client
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError
from tapegate.subject.process import Process
from tapegate.subject.timed_socket import TimedSocket

_STARTS = 3
"""How often a server may find its port taken by another program before the machine is at fault."""

_PORT_TAKEN = re.compile(rb"EADDRINUSE|address (is )?(already )?in use", re.IGNORECASE)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.004, 0.1
_HEALTH_S = 5.0
_LAST_LINES = 7


class _PortTaken(Exception):
    """The server could not have its port."""


@dataclass(frozen=True, slots=True)
class Server:
    """What is started, and how one knows that it is ready."""

    what: str
    """What messages call it: `the subject`, `the stand-in of 'model'`."""
    command: Callable[[int], tuple[Sequence[str], Mapping[str, str]]]
    """The program with its arguments, and its environment, for the port that it is to listen on."""
    health: str
    """Path that answers 200 once it is ready."""
    start_timeout_s: int

    @contextmanager
    def running(self, enclosure: Enclosure, cwd: Path) -> Iterator[tuple[Process, int]]:
        """The server and its port, once it answers at its health path; stopped when the block ends.

        Raises SubjectError when it cannot be started or never answers there.
        """
        for left in reversed(range(_STARTS)):
            port = enclosure.port()
            argv, env = self.command(port)
            with Process.start(enclosure, argv, env, cwd) as process:
                try:
                    self._await(enclosure, process, port, argv, may_retry=left > 0 and enclosure.level != "namespace")
                except _PortTaken:
                    continue
                yield process, port
                return
        raise AssertionError("the last start is no retry")

    def _await(
        self, enclosure: Enclosure, process: Process, port: int, argv: Sequence[str], *, may_retry: bool
    ) -> None:
        end = monotonic() + self.start_timeout_s
        pause = _FIRST_PAUSE_S
        seen = "nobody listened on the port"
        while True:
            if (ending := process.ended(pause)) is not None:
                process.stop()
                if may_retry and _PORT_TAKEN.search(process.log()):
                    raise _PortTaken
                how = f"was ended by {ending.detail}" if ending.kind == "crashed" else f"ended with {ending.detail}"
                raise self._not_started(process, argv, f"{how} before it answered")
            if (now := monotonic()) > end:
                process.stop()
                raise self._not_started(process, argv, f"did not answer within {self.start_timeout_s} s ({seen})")
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)
            try:
                connection = connect(enclosure, port, min(end, now + _HEALTH_S))
            except OSError:
                continue
            try:
                connection.request("GET", self.health)
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                seen = f"the last try ended in {type(error).__name__}"
            else:
                if status == http.client.OK:
                    return
                seen = f"the last answer was {status}; the path must answer 200"
            finally:
                connection.close()

    def _not_started(self, process: Process, argv: Sequence[str], how: str) -> SubjectError:
        # Paths and ports in the command differ from machine to machine: told with what it wrote, not in the message.
        said = [f"$ {shlex.join(argv)}".encode("utf-8", "surrogateescape"), *process.log().splitlines()[-_LAST_LINES:]]
        return SubjectError.of(
            "subject_not_started",
            f"{self.what} {how} GET {self.health!r}" + ("; it wrote nothing" if len(said) == 1 else ""),
            fix="run it by hand with the same environment, or correct `command`, `health` or `start_timeout_s`",
        ).saying(b"\n".join(said))


def connect(enclosure: Enclosure, port: int, end: float) -> http.client.HTTPConnection:
    """A connection to `port` in `enclosure`, all of whose reads together end at `end` (monotonic seconds)."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.sock = TimedSocket.over(enclosure.dial(port), end)
    return connection
