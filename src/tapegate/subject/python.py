"""Asking an agent that is a Python callable: imported once by a worker, run in a child of it for each trial."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError
from tapegate.load.template import placeholders
from tapegate.model.config import PythonSubject
from tapegate.model.trace import Ending
from tapegate.subject.fill import fill, fill_json
from tapegate.subject.frames import FrameReader, timed
from tapegate.subject.heard import Clock, Heard
from tapegate.subject.process import Process, ending
from tapegate.subject.worker import SIZE
from tapegate.tape.ledger import Ledger

_PER_TRIAL = {"input", "seed", "db", "workspace"}
_GRACE_S = 1.0
_ROOT = str(Path(__file__).parents[2])
_PROGRAM = f"import sys; sys.path.append({_ROOT!r}); from tapegate.subject.worker import main; main()"
"""Ours come last on the path: what the agent brings under the same name is the agent's."""


@dataclass(frozen=True, slots=True)
class Tape:
    """What a child hears in its own process: the bytes of its cassette, and what matching needs to know."""

    cassette: bytes
    routes: Mapping[str, str]
    """The declared address of each service."""
    normalisers: Sequence[Mapping[str, Any]] = ()


class PythonWorker:
    """One worker of one subject. Use it as a context manager; it asks one thing at a time.

    With a `Tape` in each question the children hear it through the in-process door. Without, they reach a gateway at
    the addresses in `allow`.
    """

    def __init__(
        self,
        subject: PythonSubject,
        project: Path,
        enclosure: Enclosure,
        environment: Mapping[str, str],
        cwd: Path,
        *,
        in_process: bool,
        allow: Sequence[tuple[str, int]] = (),
    ) -> None:
        self._subject = subject
        self._project = project
        self._enclosure = enclosure
        self._environment = environment
        self._cwd = cwd
        self._in_process = in_process
        self._allow = list(allow)
        self._open = ExitStack()
        self.threads = 1
        """How many threads importing the agent left running: a process with more than one is not safe to fork."""

    def __enter__(self) -> PythonWorker:
        """Start it and import the agent. Raises SubjectError when that fails or takes too long."""
        with ExitStack() as stack:
            self._control, theirs = socket.socketpair()
            stack.enter_context(self._control)
            with theirs:
                # -P: the folder a worker happens to start in is none of the agent's modules.
                argv = [sys.executable, "-P", "-c", _PROGRAM]
                env = {**self._environment, **self._static_env()}
                process = Process.start(self._enclosure, argv, env, self._cwd, stdin=theirs.fileno())
            self._process = stack.enter_context(process)
            self._say(
                {
                    "entry": self._subject.entry,
                    "pythonpath": [str(self._project / folder) for folder in self._subject.pythonpath],
                    "door": "in_process" if self._in_process else "gateway",
                    "allow": self._allow,
                }
            )
            self.threads = self._ready()
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def ask(
        self,
        values: Mapping[str, str],
        environment: Mapping[str, str],
        cwd: Path,
        clock: Clock,
        *,
        ledger: Ledger,
        tape: Tape | None = None,
    ) -> Heard:
        """Run one trial in a child. Every fact of its replay goes into `ledger` as it happens."""
        env = {**environment, **{name: fill(text, values) for name, text in self._subject.env.items()}}
        cassette = tape.cassette if tape is not None else b""
        job = {
            "arguments": fill_json(self._subject.arguments, values),
            "env": env,
            "cwd": str(cwd),
            "seed": int(values["seed"]),
            "cassette_bytes": len(cassette),
            "tape": {"routes": dict(tape.routes), "normalisers": list(tape.normalisers)} if tape is not None else None,
        }
        payload = json.dumps(job).encode()
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(self._control, [b"t"], [theirs.fileno()])
            child = self._number()
            started = clock()
            trial = _Trial(ledger, started)
            ours.sendall(SIZE.pack(len(payload)) + payload + cassette)
            status = self._listen(ours, child, trial)
        return trial.heard(status, self._subject.timeout_s, clock(), self._process.log())

    def _listen(self, ours: socket.socket, child: int, trial: _Trial) -> int:
        """Until the child ended; ends it itself when its time is over. Returns its exit code."""
        end = monotonic() + self._subject.timeout_s
        ours.setblocking(False)
        waiting = [ours, self._control]
        while True:
            ready, _, _ = select.select(waiting, [], [], max(0.0, end - monotonic()))
            if not ready:
                trial.timed_out = True
                self._end(child, signal.SIGKILL if end + _GRACE_S < monotonic() else signal.SIGTERM)
                end = monotonic() + _GRACE_S
                continue
            if ours in ready and not self._read(ours, trial):
                waiting.remove(ours)
            if self._control in ready:
                status = self._number()
                self._read(ours, trial)
                self._end(child, signal.SIGKILL)
                return status

    def _read(self, ours: socket.socket, trial: _Trial) -> bool:
        """Take in what has arrived; False at the end."""
        while True:
            try:
                data = ours.recv(1 << 18)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            trial.feed(data)

    def _end(self, child: int, number: signal.Signals) -> None:
        """Signal the child with everything that it started and that stayed in its session's group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, number)

    def _static_env(self) -> dict[str, str]:
        """The subject's variables that no trial changes: what a module may read while it is imported."""
        values = {"project": str(self._project), "python": sys.executable}
        return {
            name: fill(text, values)
            for name, text in self._subject.env.items()
            if not _PER_TRIAL & {found for _, found in placeholders(text)}
        }

    def _ready(self) -> int:
        end = monotonic() + self._subject.start_timeout_s
        if not select.select([self._control], [], [], max(0.0, end - monotonic()))[0]:
            raise self._not_started(f"was not imported within {self._subject.start_timeout_s} s")
        try:
            size = SIZE.unpack(self._exactly(SIZE.size))[0]
            said = json.loads(self._exactly(size))
        except EOFError:
            how = self._process.ended(_GRACE_S)
            raise self._not_started(f"ended its worker: {how.detail if how else 'no exit code'}") from None
        if "error" in said:
            raise self._not_started(f"cannot be imported: {said['error']}")
        return int(said["threads"])

    def _not_started(self, how: str) -> SubjectError:
        lines = self._process.log().decode("utf-8", "replace").splitlines()[-8:]
        said = "".join(f"\n      | {line!r}" for line in lines).replace("##[", "#_[")
        return SubjectError.of(
            "subject_not_started",
            f"the subject {self._subject.entry!r} {how}" + (f"; its last lines:{said}" if said else ""),
            fix="import it by hand with the same `pythonpath`, or correct `entry` in evals/tapegate.yaml",
        )

    def _say(self, message: Mapping[str, Any]) -> None:
        payload = json.dumps(message).encode()
        with suppress(BrokenPipeError):
            self._control.sendall(SIZE.pack(len(payload)) + payload)

    def _number(self) -> int:
        try:
            return int(SIZE.unpack(self._exactly(SIZE.size))[0])
        except (EOFError, OSError):
            raise self._not_started("lost its worker in the middle of a trial") from None

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._control.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


@dataclass(slots=True)
class _Trial:
    """What has been heard of one child so far."""

    ledger: Ledger
    started: int
    timed_out: bool = False
    chunks: list[bytes] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    said: dict[str, Any] | None = None
    frames: FrameReader = field(default_factory=FrameReader)

    def feed(self, data: bytes) -> None:
        for kind, payload in self.frames.feed(data):
            if kind == b"C":
                at, chunk = timed(payload)
                if chunk:
                    self.chunks.append(chunk)
                    self.at.append(self.started + at)
            elif kind == b"F":
                self.ledger.enter(json.loads(payload))
            elif kind == b"E":
                self.said = json.loads(payload)

    def heard(self, status: int, timeout_s: int, now: int, log: bytes) -> Heard:
        """All of it, once the child has ended with `status`."""
        if self.timed_out:
            how = Ending("timed_out", f"no complete answer within {timeout_s} s")
        elif self.said is None:
            how = ending(status)
        else:
            how = Ending(self.said["kind"], self.said["detail"])
            if how.kind == "completed" and not self.chunks:
                how = Ending("empty_output", "the answer is empty")
        last = self.at[-1] if self.at else self.started
        ended = self.started + self.said["at_us"] if self.said is not None else now
        return Heard(tuple(self.chunks), tuple(self.at), self.started, max(last, ended), how, log)
