"""Asking an agent that is a Python callable, in a child of its own for each trial."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tapegate.doors.current import Pace
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.errors import SubjectError
from tapegate.load.template import placeholders
from tapegate.model.config import PythonSubject
from tapegate.model.setup import Match
from tapegate.subject.child import Child, More, not_started
from tapegate.subject.fill import fill, fill_json
from tapegate.subject.heard import Clock, Heard, Then
from tapegate.subject.interpreter import interpreter, packages
from tapegate.subject.process import Process
from tapegate.subject.worker import SIZE
from tapegate.tape.ledger import Ledger

_PER_TRIAL = {"input", "seed", "db", "workspace", "clock"}
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
    secrets: Sequence[str] = ()
    """Variables whose marks stand in the recording."""
    faults: Sequence[tuple[int, Mapping[str, Any]]] = ()
    """The task's faults on the tape, each with its place in `setup.faults`."""
    lanes: Mapping[str, str] = field(default_factory=dict)
    """The header that names the session, of each service that has one."""
    pace: Pace = "at_once"
    """When replayed chunks come."""
    match: Match = "exact"
    """When a recorded request is the one that is asked."""


@dataclass(frozen=True, slots=True)
class PythonTrial:
    """What a child of one trial runs with."""

    environment: Mapping[str, str]
    cwd: Path
    ledger: Ledger
    tape: Tape | None = None
    """What it hears in its own process; None where it reaches a gateway."""
    clock: int | None = None
    """The second since 1970 at which its time stands still."""
    raises: Sequence[tuple[int, Mapping[str, Any]]] = ()
    """The task's exceptions, each with its place in `setup.faults`."""


class PythonWorker:
    """One worker of one subject, or of several that are imported alike. A context manager; it asks one thing at a time.

    A warm one imports the agent once, and its children hear the `Tape` in each question through the in-process door.
    In any other each child imports the agent for itself, and reaches a gateway at the addresses in `allow`.
    """

    def __init__(
        self,
        subject: PythonSubject,
        project: Path,
        enclosure: Enclosure,
        environment: Mapping[str, str],
        cwd: Path,
        *,
        warm: bool,
        allow: Sequence[tuple[str, int]] = (),
        beside: Sequence[str] = (),
    ) -> None:
        """`beside` are entries that a warm one imports too, so that it can be asked for other subjects: `asking`."""
        self._subject = subject
        self._entries = sorted({subject.entry, *beside})
        self._project = project
        self._enclosure = enclosure
        self._environment = environment
        self._cwd = cwd
        self._warm = warm
        self._allow = list(allow)
        self._open = ExitStack()
        self.fit = True
        """False for a warm worker whose import failed, or left something that trials would share: it asks nothing."""

    def __enter__(self) -> PythonWorker:
        """Start it; a warm one imports the agent. Raises SubjectError where no process can be started."""
        with ExitStack() as stack:
            self._control, theirs = socket.socketpair()
            stack.enter_context(self._control)
            with theirs:
                # -P: the folder a worker happens to start in is none of the agent's modules. What is preloaded must not
                # hide those (see `preloaded`), so that their folders are words of its command.
                folders = [str(self._project / folder) for folder in self._subject.pythonpath]
                argv = [sys.executable, "-P", "-c", _PROGRAM, *folders]
                env = {**self._environment, **static_env(self._subject, self._project)}
                process = Process.start(self._enclosure, argv, env, self._cwd, stdin=theirs.fileno())
            self._process = stack.enter_context(process)
            hello = {
                "entries": self._entries,
                "pythonpath": folders,
                "packages": packages(),
                "warm": self._warm,
                "allow": self._allow,
                "places": self._places(),
            }
            payload = json.dumps(hello).encode()
            with suppress(OSError):
                self._control.sendall(SIZE.pack(len(payload)) + payload)
            self.fit = not self._warm or self._is_fit()
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def asking(self, subject: PythonSubject) -> PythonWorker:
        """The same worker, asked for another of its subjects: one whose entry it has imported."""
        other = copy(self)
        other._subject = subject
        return other

    def converse(
        self,
        messages: Sequence[Mapping[str, Any]],
        trial: PythonTrial,
        clock: Clock,
        then: Then | None = None,
        following: Sequence[Sequence[Mapping[str, Any]]] = (),
    ) -> tuple[Heard, ...]:
        """Run one trial in a child: put `messages` at once, each with the values that its templates are filled with.

        When they are answered, each of `following` is put in its turn, whatever the answers are; the child knows them
        from the start. Then what `then` gives is put, and so on. Every fact of the replay goes into the ledger as it
        happens. Raises SubjectError where the agent cannot be imported, where a fault of the task's has no place in it,
        or where its worker is lost; what comes after that is a fact in what is returned.
        """
        first = messages[0]
        env = {**trial.environment, **{name: fill(text, first) for name, text in self._subject.env.items()}}
        tape = trial.tape
        cassette = tape.cassette if tape is not None else b""
        job = {
            "entry": self._subject.entry,
            "rounds": [
                [fill_json(self._subject.arguments, values) for values in put] for put in (messages, *following)
            ],
            "more": then is not None,
            "env": env,
            "cwd": str(trial.cwd),
            "seed": int(first["seed"]),
            "clock": trial.clock,
            "raises": list(trial.raises),
            "cassette_bytes": len(cassette),
            "tape": _as_json(tape) if tape is not None else None,
        }
        payload = json.dumps(job).encode()
        with ExitStack() as stack:
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            log, wrote = os.pipe()
            stack.callback(os.close, log)
            try:
                with suppress(OSError):  # a worker that is gone shows when it does not answer
                    socket.send_fds(self._control, [b"t"], [theirs.fileno(), wrote])
            finally:
                theirs.close()
                os.close(wrote)
            if (pid := self._number()) <= 1:
                raise self._lost()  # never to be signalled
            with suppress(OSError):  # likewise a child
                ours.sendall(SIZE.pack(len(payload)) + payload + cassette)
            more = self._more(then) if then is not None else None
            rounds = [len(put) for put in (messages, *following)]
            child = Child(self._subject, ours, log, self._control, trial.ledger, rounds=rounds, more=more)
            child.listen(pid, clock)
            return child.heard(self._number(), clock(), clock)

    def _more(self, then: Then) -> More:
        again = self._subject.arguments_again
        arguments = self._subject.arguments if again is None else again

        def more(heard: Sequence[Heard]) -> Sequence[Mapping[str, Any]] | None:
            following = then(heard)
            return [fill_json(arguments, values) for values in following] if following else None

        return more

    def _places(self) -> dict[str, str]:
        """Folders whose names differ from machine to machine, and what an error calls them."""
        return {
            sysconfig.get_path("stdlib"): "{python}",
            sysconfig.get_path("purelib"): "{python}",
            **dict.fromkeys(packages(), "{python}"),
            str(self._project): "{project}",
            str(self._cwd): "{workspace}",
        }

    def _is_fit(self) -> bool:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if not poll.poll(self._subject.start_timeout_s * 1000):
            return False
        try:
            size = SIZE.unpack(self._exactly(SIZE.size))[0]
            return bool(json.loads(self._exactly(size))["fit"])
        except (EOFError, OSError):
            return False

    def _number(self) -> int:
        try:
            return int(SIZE.unpack(self._exactly(SIZE.size))[0])
        except (EOFError, OSError):
            raise self._lost() from None

    def _lost(self) -> SubjectError:
        self._process.stop()
        return not_started(self._subject, "lost its worker in the middle of a trial").saying(self._process.log())

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._control.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


def static_env(subject: PythonSubject, project: Path) -> dict[str, str]:
    """The subject's variables that no trial changes: what a module may read while it is imported."""
    values = {"project": str(project), "python": interpreter()}
    return {
        name: fill(text, values)
        for name, text in subject.env.items()
        if not _PER_TRIAL & {found for _, found in placeholders(text)}
    }


def _as_json(tape: Tape) -> dict[str, Any]:
    return {
        "routes": dict(tape.routes),
        "normalisers": list(tape.normalisers),
        "secrets": list(tape.secrets),
        "faults": list(tape.faults),
        "lanes": dict(tape.lanes),
        "pace": tape.pace,
        "match": tape.match,
    }
