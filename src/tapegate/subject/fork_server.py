"""Starting agents in forks of a process that has imported their libraries once: what `preload` of the config names.

An SDK of a model provider takes most of a second to import, and an agent that is a program imports it in each trial.
With `preload` it is imported once for a run, as by the fork server of `multiprocessing`. The agent's own modules never
are: they are what a change changes.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from types import TracebackType

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Level, Means
from tapegate.doors.guard.messages import Messages
from tapegate.doors.guard.spawned import Launched, spawn
from tapegate.errors import LoadError, Unavailable
from tapegate.subject.interpreter import interpreter
from tapegate.subject.process import Process

_ROOT = str(Path(__file__).parents[2])
_IMPORT_S = 60.0
_LOST = "fork_server_lost"
_FORK_S = 30.0
"""One that does not fork within so long has broken; it takes milliseconds."""


class ForkServer:
    """A process that has imported some modules; it forks launchers of its kind. A context manager; thread-safe.

    It is itself enclosed: what an import reaches for is refused, and an error.
    """

    def __init__(
        self,
        modules: Sequence[str],
        project: Path,
        environment: Mapping[str, str],
        home: Path,
        *,
        level: Level,
    ) -> None:
        """`modules` are imported by what `{python}` is, under `environment`, in the empty folder `home`, at the guard
        `level`."""
        self._level = level
        program = (
            f"import sys; sys.path[0] = {_ROOT!r}; from tapegate.subject.preloaded import main; del sys.path[0]; "
            f"main({list(modules)!r}, {str(project)!r})()"
        )
        self._argv = [interpreter(), "-c", program]
        self._env = environment
        self._home = home
        self._lock = Lock()
        self._refused: str | None = None
        """Why the modules cannot be preloaded; empty where they are, None until that is known."""
        self._fit: bool | None = None
        """Whether launchers can be forked here; None until it is tried."""
        self._open = ExitStack()

    def __enter__(self) -> ForkServer:
        """Start it; it imports while others go on."""
        with ExitStack() as stack:
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            self._messages = Messages(ours)
            self._enclosure = stack.enter_context(Enclosure.open(self._level))
            with theirs:
                process = Process.start(self._enclosure, self._argv, self._env, self._home, stdout=theirs.fileno())
            self._process = stack.enter_context(process)
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def ready(self) -> None:
        """Wait until all is imported. Raises LoadError where that cannot be."""
        with self._lock:
            self._await()

    def launch(self, channel: socket.socket, means: Means | None) -> Launched:
        """Fork a launcher, or start one afresh where a fork could not do its work.

        Raises LoadError where the modules cannot be preloaded, and Unavailable where the process is lost.
        """
        with self._lock:
            self._await()
            if self._fit is None:
                self._fit = self._can_enclose()
            return self._fork(channel, means) if self._fit else spawn(channel, means)

    def _fork(self, channel: socket.socket, _: Means | None) -> Launched:
        heard, said = os.pipe()
        try:
            self._messages.send({"fork": True}, (channel.fileno(), said))
            answer = self._messages.receive() if self._says_within(_FORK_S) else None
        except OSError:
            answer = None
        finally:
            os.close(said)
        if answer is None:
            os.close(heard)
            self._messages.channel.close()  # a late answer is none to the next question
            raise Unavailable.of(
                _LOST,
                f"the process that holds what `preload` names ended or stopped unasked, saying {self._said()!r}",
                fix="see whether it was killed or the machine is out of memory",
            )
        return _Forked(answer[0]["pid"], heard)

    def _can_enclose(self) -> bool:
        """Whether what is forked here gets a namespace, within that of this process: some kernels refuse it."""
        try:
            with Enclosure.open(self._level, launch=self._fork):
                return True
        except Unavailable as error:
            if error.problems[0].code == _LOST:
                raise
            return False

    def _await(self) -> None:
        """Until all is imported. Raises LoadError where that cannot be, whenever it is asked; also where what is
        imported keeps the path of its HOME, and a trial has written there."""
        if self._refused is None:
            self._refused = self._why_not()
        if not self._refused and any(self._home.iterdir()):
            self._refused = "something is written below the HOME that it is imported with, which all trials would share"
        if self._refused:
            raise LoadError.of(
                "bad_preload",
                f"`preload`: {self._refused}",
                fix="name libraries that the agents' Python has, and that do nothing but define things when imported",
            )

    def _why_not(self) -> str:
        if not self._says_within(_IMPORT_S):
            return f"it was not imported within {_IMPORT_S:.0f} s"
        try:
            received = self._messages.receive()
        except OSError:
            received = None
        if received is None:
            return f"the process that imports it ended, saying {self._said()!r}"
        if "failed" in received[0]:
            return str(received[0]["failed"])
        reached = ", ".join(self._enclosure.attempts())
        return f"what is imported reaches for {reached}, which each trial must be seen to do" if reached else ""

    def _says_within(self, timeout_s: float) -> bool:
        waiting = select.poll()
        waiting.register(self._messages, select.POLLIN)
        return bool(waiting.poll(timeout_s * 1000))

    def _said(self) -> str:
        return self._process.log()[-500:].decode("utf-8", "replace").strip()


class _Forked:
    """A launcher forked by the server; the end of its standard error is its own."""

    def __init__(self, pid: int, log: int) -> None:
        self._pid, self._log = pid, os.fdopen(log, "rb", buffering=0)

    def last_words(self, timeout_s: float) -> bytes:
        """As `Launched` says; nothing where it was asked before."""
        said, end = bytearray(), monotonic() + timeout_s
        if self._log.closed:
            return b""
        waiting = select.poll()
        waiting.register(self._log, select.POLLIN)
        with self._log:
            while waiting.poll(max(0.0, end - monotonic()) * 1000):
                if not (data := self._log.read(1 << 16)):
                    return bytes(said)
                said += data
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        return bytes(said)
