"""One trial of a Python subject, as the harness hears it from the child that runs it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
from contextlib import suppress
from time import monotonic
from typing import Any

from tapegate.errors import SubjectError
from tapegate.model.config import PythonSubject
from tapegate.model.problem import Problem
from tapegate.model.trace import Ending
from tapegate.subject.frames import FrameReader, timed
from tapegate.subject.heard import Clock, Heard
from tapegate.subject.process import KEPT_BYTES, ending
from tapegate.tape.ledger import Ledger

GRACE_S = 1.0
"""How long a child has to end by itself once it is told to, and then once it is killed."""
_AT_ONCE = 1 << 18


class Child:
    """What has been heard of one child so far.

    Its facts arrive at `ours`, what it writes at `log`, and its worker at `control`, which says when it has ended.
    """

    def __init__(
        self, subject: PythonSubject, ours: socket.socket, log: int, control: socket.socket, ledger: Ledger
    ) -> None:
        self._subject = subject
        self._ours, self._log, self._control = ours, log, control
        self._ledger = ledger
        self._frames = FrameReader()
        self._wrote = bytearray()
        self._chunks: list[bytes] = []
        self._at: list[int] = []
        self._started: int | None = None
        self._said: dict[str, Any] | None = None
        self._not_imported: str | None = None
        self._garbled = False
        self._late = False
        ours.setblocking(False)
        os.set_blocking(log, False)

    def listen(self, pid: int, clock: Clock) -> None:
        """Until the worker has something to say, which is that the child ended. Ends it where its time is over."""
        poll = select.poll()
        for source in (self._ours.fileno(), self._log, self._control.fileno()):
            poll.register(source, select.POLLIN)
        end = monotonic() + self._subject.start_timeout_s
        orders = [signal.SIGTERM, signal.SIGKILL]
        while True:
            # The time is looked at in every round: a child that never stops talking must end as well.
            if monotonic() >= end:
                self._late = True
                if not orders:
                    raise self._error("could not be ended")
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, orders.pop(0))
                end = monotonic() + GRACE_S
            ready = {source for source, _ in poll.poll(max(0.0, end - monotonic()) * 1000 + 1)}
            if self._ours.fileno() in ready:
                asked = self._started is not None
                if not self._read_facts(clock):
                    poll.unregister(self._ours)
                if not asked and self._started is not None and not self._late:
                    end = monotonic() + self._subject.timeout_s
            if self._log in ready and not self._read_log():
                poll.unregister(self._log)
            if self._control.fileno() in ready:
                return

    def heard(self, status: int, now: int, clock: Clock) -> Heard:
        """All of it, once the child has ended with `status`. Raises SubjectError where it was never asked."""
        while self._pending(self._ours.fileno()) and self._read_facts(clock):
            pass
        while self._pending(self._log) and self._read_log():
            pass
        if self._not_imported is not None:
            raise self._error(f"cannot be imported: {self._not_imported}")
        if self._started is None:
            raise self._error(self._never_asked(status))
        if self._garbled:
            raise self._error("wrote into the harness's own channel")
        last = self._at[-1] if self._at else self._started
        ended = self._started + self._said["at_us"] if self._said is not None else now
        return Heard(
            tuple(self._chunks),
            tuple(self._at),
            self._started,
            max(last, ended),
            self._ending(status),
            bytes(self._wrote),
        )

    def _ending(self, status: int) -> Ending:
        if self._late:
            return Ending("timed_out", f"no complete answer within {self._subject.timeout_s} s")
        if self._said is None:
            return ending(status)
        if self._said["kind"] == "completed" and not self._chunks:
            return Ending("empty_output", "the answer is empty")
        return Ending(self._said["kind"], self._said["detail"])

    def _never_asked(self, status: int) -> str:
        if self._late:
            return f"was not imported within {self._subject.start_timeout_s} s"
        how = ending(status)
        return f"ended its process with {how.detail} before it could be asked"

    def _read_facts(self, clock: Clock) -> bool:
        """Take in what has arrived, once; False at the end."""
        try:
            data = self._ours.recv(_AT_ONCE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if data and not self._garbled:
            try:
                self._feed(data, clock)
            except (ValueError, KeyError, TypeError):
                # An agent may write to descriptors that are not its own. What it wrote is no fact.
                self._garbled = True
        return bool(data)

    def _feed(self, data: bytes, clock: Clock) -> None:
        for kind, payload in self._frames.feed(data):
            if kind == b"C":
                at, chunk = timed(payload)
                if chunk and not self._late and self._started is not None:
                    self._chunks.append(chunk)
                    self._at.append(max(self._started + at, self._at[-1] if self._at else 0))
                continue
            said = json.loads(payload)
            if kind == b"F":
                self._ledger.enter(said)
            elif kind == b"B":
                self._started = clock()
            elif kind == b"X":
                self._not_imported = str(said["error"])
            else:
                self._said = {"kind": said["kind"], "detail": str(said["detail"]), "at_us": int(said["at_us"])}

    def _read_log(self) -> bool:
        try:
            data = os.read(self._log, _AT_ONCE)
        except BlockingIOError:
            return True
        self._wrote += data
        del self._wrote[:-KEPT_BYTES]
        return bool(data)

    def _pending(self, source: int) -> bool:
        poll = select.poll()
        poll.register(source, select.POLLIN)
        return bool(poll.poll(0))

    def _error(self, how: str) -> SubjectError:
        return not_started(self._subject, how).saying(bytes(self._wrote))


def not_started(subject: PythonSubject, how: str) -> SubjectError:
    """The error that says why a Python subject could not be asked."""
    return SubjectError(
        Problem(
            "subject_not_started",
            f"the subject {subject.entry!r} {how}",
            fix="import it by hand with the same `pythonpath`, or correct `entry` in evals/tapegate.yaml",
        )
    )
