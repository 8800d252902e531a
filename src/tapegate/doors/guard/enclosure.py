"""Where one subject and everything it starts run, and the harness's hold on it."""

from __future__ import annotations

import errno
import os
import select
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from tapegate.doors.guard.levels import Level, Means, facts
from tapegate.doors.guard.messages import Messages
from tapegate.doors.guard.namespace import GATEWAY_PORT, SUBJECT_PORT
from tapegate.doors.guard.ports import free_port
from tapegate.doors.guard.spawned import Launch, Launched, spawn
from tapegate.doors.guard.traps import Traps
from tapegate.errors import SubjectError, Unavailable

if TYPE_CHECKING:
    from tapegate.doors.guard.messages import Message

_ANSWER_S = 30.0
"""A launcher that says nothing for so long has broken; what it does takes milliseconds."""


class Enclosure:
    """A launcher (see `launcher`) and, at level `namespace`, the network it made. Use it as a context manager.

    Thread-safe, but for one `start` at a time. All that was started in it is gone when it is closed, or when this
    process ends in whatever way.
    """

    def __init__(self, level: Level, launcher: Launched, channel: socket.socket) -> None:
        self.level = level
        self.gateway: socket.socket | None = None
        """At level `namespace`: listens inside on 127.0.0.1 at `gateway_port`, for `Gateway.adopt`."""
        self._launcher = launcher
        self._channel = channel
        self._messages = Messages(channel)
        self._lock = Lock()
        self._ended: int | None = None
        self._traps: Traps | None = None

    @classmethod
    def open(cls, level: Level, means: Means | None = None, launch: Launch = spawn) -> Enclosure:
        """A fresh one. `in_process` guards from within a Python subject: here it is the same as `none`.

        `launch` starts its launcher, and so decides how programs are started in it.
        Raises Unavailable where this machine has no such level.
        """
        if level == "namespace" and means is None:
            means = facts().namespace
            if means is None:
                raise Unavailable.of(
                    "no_namespace",
                    f"this machine gives no network namespace ({'; '.join(facts().reasons)})",
                    fix="let `require_guard` accept less, or run where `tapegate doctor` finds a namespace",
                )
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                launcher = launch(theirs, means)
        except BaseException:
            ours.close()
            raise
        enclosure = cls(level, launcher, ours)
        try:
            enclosure._enclose(means)
        except BaseException:
            enclosure.close()
            raise
        return enclosure

    @property
    def gateway_port(self) -> int:
        """The port inside at which a subject reaches the gateway."""
        return GATEWAY_PORT

    def port(self) -> int:
        """A port for the subject's own server to listen on, on 127.0.0.1. Raises Unavailable when none is free."""
        return SUBJECT_PORT if self.level == "namespace" else free_port()

    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path, stdio: tuple[int, int, int]) -> None:
        """Run a program in a session of its own, with `stdio` as its standard input, output and error.

        Raises SubjectError when it cannot be executed.
        """
        order: Message = {"do": "start", "argv": list(argv), "env": dict(env), "cwd": str(cwd)}
        with self._lock:
            self._ended = None
            answer, _ = self._ask(order, stdio)
        if "failed" in answer:
            raise SubjectError.of(
                "subject_not_started",
                f"the command {list(argv)!r} cannot be run: {answer['failed']}",
                fix="give a program that is on the PATH or `{python}`, as the first word of the subject's `command`",
            )

    def dial(self, port: int, timeout_s: float = 1.0) -> socket.socket:
        """A connection to 127.0.0.1:`port` inside. Raises ConnectionError or TimeoutError when nobody answers."""
        if self.level != "namespace":
            connection = socket.create_connection(("127.0.0.1", port), timeout_s)
            if connection.getsockname() == connection.getpeername():
                # TCP's simultaneous open: with nobody listening, a connection may meet itself and hold the port.
                connection.close()
                raise ConnectionRefusedError(errno.ECONNREFUSED, "nobody listens", str(port))
            connection.settimeout(None)
            return connection
        with self._lock:
            answer, descriptors = self._ask({"do": "dial", "port": port})
        if "failed" in answer:
            raise ConnectionRefusedError(answer["number"] or 0, f"{answer['failed']} (port {port} inside)")
        return socket.socket(fileno=descriptors[0])

    def ended(self, timeout_s: float = 0.0) -> int | None:
        """The exit code of the program, negative for a signal, waiting up to `timeout_s`; None while it runs."""
        end = monotonic() + timeout_s
        while True:
            with self._lock:
                while self._ended is None and self._readable(0):
                    self._hear()
                if self._ended is not None:
                    return self._ended
            left = end - monotonic()
            if left <= 0:
                return None
            self._readable(left)

    def stop(self, grace_s: float = 2.0) -> None:
        """End the program and all it started: SIGTERM to its group, after `grace_s` SIGKILL to everything."""
        with self._lock, suppress(SubjectError):
            self._ask({"do": "stop", "grace_s": grace_s}, patience_s=_ANSWER_S + grace_s)

    def attempts(self) -> tuple[str, ...]:
        """What was tried to be reached outside since this was last asked (`Traps.attempts`); `()` without one."""
        return self._traps.attempts() if self._traps else ()

    def close(self) -> None:
        """Stop what runs, and give everything back."""
        self._hang_up()
        if self._traps:
            self._traps.close()
        if self.gateway:
            self.gateway.close()

    def __enter__(self) -> Enclosure:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _enclose(self, means: Means | None) -> None:
        become = [os.geteuid(), os.getegid(), os.getgroups()] if means == "sudo" else None
        try:
            answer, descriptors = self._ask({"do": "enclose", "namespace": means is not None, "become": become})
        except SubjectError as error:
            raise Unavailable(*error.problems) from error
        if "failed" in answer:
            raise Unavailable.of("no_namespace", str(answer["failed"]))
        if descriptors:
            self.gateway, resolver, capture = (socket.socket(fileno=descriptor) for descriptor in descriptors)
            self._traps = Traps(resolver, capture)

    def _ask(
        self, order: Message, descriptors: tuple[int, ...] = (), patience_s: float = _ANSWER_S
    ) -> tuple[Message, list[int]]:
        try:
            self._messages.send(order, descriptors)
        except OSError as error:
            raise self._broken() from error
        while True:
            if not self._readable(patience_s):
                raise self._broken()
            if answer := self._hear():
                return answer

    def _hear(self) -> tuple[Message, list[int]] | None:
        """The next message; None for the one that nobody asked for."""
        received = self._messages.receive()
        if received is None:
            raise self._broken()
        if "ended" in received[0]:
            self._ended = received[0]["ended"]
            return None
        return received

    def _readable(self, timeout_s: float) -> bool:
        if self._messages.pending:
            return True
        waiting = select.poll()
        waiting.register(self._channel, select.POLLIN)
        return bool(waiting.poll(timeout_s * 1000))

    def _hang_up(self) -> str:
        """Let the launcher end all that runs and itself; what it wrote to standard error."""
        self._channel.close()
        return self._launcher.last_words(_ANSWER_S).decode("utf-8", "replace").strip()

    def _broken(self) -> SubjectError:
        return SubjectError.of(
            "launcher_broken",
            f"the process that holds the subject ended unasked, saying {self._hang_up()[-500:]!r}",
            fix="see whether it was killed or the machine is out of memory",
        )
