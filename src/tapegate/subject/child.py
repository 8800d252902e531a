"""One trial of a Python subject, as the harness hears it from the child that runs it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tapegate.errors import SubjectError
from tapegate.model.config import PythonSubject
from tapegate.model.problem import Problem
from tapegate.model.trace import Ending
from tapegate.subject.frames import FrameReader, timed
from tapegate.subject.heard import Clock, Heard
from tapegate.subject.process import KEPT_BYTES, ending
from tapegate.subject.worker import SIZE
from tapegate.tape.ledger import Ledger

GRACE_S = 1.0
"""How long a child has to end by itself once it is told to, and then once it is killed."""
_AT_ONCE = 1 << 18


More = Callable[[Sequence[Heard]], Sequence[Mapping[str, Any]] | None]
"""What is put to the entry after these answers, as keyword arguments of each message; None where that was all."""


@dataclass(slots=True)
class _Answer:
    """What has been heard of one answer so far."""

    started: int = 0
    said: dict[str, Any] | None = None
    chunks: list[bytes] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    def take(self, at: int, chunk: bytes) -> None:
        """Another piece, so many microseconds after it was asked."""
        self.chunks.append(chunk)
        self.at.append(max(self.started + at, self.at[-1] if self.at else 0))

    def heard(self, how: Ending, now: int, log: bytes) -> Heard:
        """All of it; `now` is when it ended where it does not say itself."""
        last = self.at[-1] if self.at else self.started
        ended = self.started + self.said["at_us"] if self.said is not None else now
        return Heard(tuple(self.chunks), tuple(self.at), self.started, max(last, ended), how, log)


class Child:
    """What has been heard of one child so far.

    Its facts arrive at `ours`, what it writes at `log`, and its worker at `control`, which says when it has ended. In
    each of the `rounds` that it knows from the start so many messages are put; after the last, `more` says what is.
    """

    def __init__(
        self,
        subject: PythonSubject,
        ours: socket.socket,
        log: int,
        control: socket.socket,
        ledger: Ledger,
        *,
        rounds: Sequence[int] = (1,),
        more: More | None = None,
    ) -> None:
        self._subject = subject
        self._ours, self._log, self._control = ours, log, control
        self._ledger = ledger
        self._frames = FrameReader()
        self._wrote = bytearray()
        self._rounds = iter(rounds)
        self._put = next(self._rounds)
        self._more = more
        self._answers = [_Answer() for _ in range(self._put)]
        self._started: int | None = None
        self._asked = 0
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
                asked = self._asked
                if not self._read_facts(clock):
                    poll.unregister(self._ours)
                if asked != self._asked and not self._late:
                    end = monotonic() + self._subject.timeout_s
            if self._log in ready and not self._read_log():
                poll.unregister(self._log)
            if self._control.fileno() in ready:
                return

    def heard(self, status: int, now: int, clock: Clock) -> tuple[Heard, ...]:
        """Each answer, once the child has ended with `status`. Raises SubjectError where it was never asked."""
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
        return tuple(answer.heard(self._ending(answer, status), now, bytes(self._wrote)) for answer in self._answers)

    def _ending(self, answer: _Answer, status: int) -> Ending:
        if answer.said is None:
            if self._late:
                return Ending("timed_out", f"no complete answer within {self._subject.timeout_s} s")
            return ending(status)
        if self._late and len(self._answers) == 1:
            return Ending("timed_out", f"no complete answer within {self._subject.timeout_s} s")
        if answer.said["kind"] == "completed" and not answer.chunks:
            return Ending("empty_output", "the answer is empty")
        return Ending(answer.said["kind"], answer.said["detail"])

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
            except (ValueError, LookupError, TypeError):
                # An agent may write to descriptors that are not its own. What it wrote is no fact.
                self._garbled = True
        return bool(data)

    def _feed(self, data: bytes, clock: Clock) -> None:
        for kind, payload in self._frames.feed(data):
            if kind == b"F":
                self._ledger.enter(json.loads(payload))
                continue
            if self._late and self._started is not None:
                continue  # no answer any more; until it is killed it may even begin with the next one
            if kind == b"C":
                at, number, chunk = timed(payload)
                if chunk and self._started is not None:
                    self._answers[number].take(at, chunk)
                continue
            said = json.loads(payload)
            if kind == b"B":
                self._started = clock()
                self._asked += 1
                for answer in self._answers[-self._put :]:
                    answer.started = self._started
            elif kind == b"X":
                self._not_imported = str(said["error"])
            else:
                ended = {"kind": said["kind"], "detail": str(said["detail"]), "at_us": int(said["at_us"])}
                self._answers[int(said["answer"])].said = ended
                self._go_on(clock)

    def _go_on(self, clock: Clock) -> None:
        """Await the next round, where all that was put last is answered; after those it knows, say what that is."""
        last = self._answers[-self._put :]
        if any(answer.said is None for answer in last):
            return
        if known := next(self._rounds, 0):
            self._expect(known)
            return
        if self._more is None:
            return
        heard = [answer.heard(self._ending(answer, 0), clock(), b"") for answer in last]
        messages = self._more(heard)
        if messages:
            self._expect(len(messages))
        payload = json.dumps({"rounds": [messages] if messages else []}).encode()
        self._ours.settimeout(GRACE_S)
        try:
            self._ours.sendall(SIZE.pack(len(payload)) + payload)
        except OSError:
            pass  # a child that does not listen any more shows when it does not answer
        finally:
            self._ours.setblocking(False)

    def _expect(self, messages: int) -> None:
        self._put = messages
        self._answers += [_Answer() for _ in range(messages)]

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
