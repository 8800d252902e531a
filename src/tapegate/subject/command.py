"""Asking an agent that is a program: started for each message, its standard output is the answer."""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from tapegate.doors.guard.enclosure import Enclosure
from tapegate.model.config import CommandSubject
from tapegate.model.trace import Ending
from tapegate.subject.entry import LARGEST
from tapegate.subject.fill import fill
from tapegate.subject.heard import Clock, Heard, Then
from tapegate.subject.interpreter import interpreter
from tapegate.subject.process import Process

GRACE_S = 2.0
"""How long the program has to end by itself once it is told to; and, once it has ended, how long what it started may
still hold its standard output."""

_AT_ONCE = 1 << 16
_LOOK_S = 0.02
"""How often it is looked whether the program has ended, where it says nothing."""


@dataclass(frozen=True, slots=True)
class CommandRunner:
    """Asks one command subject. Keeps nothing between trials."""

    subject: CommandSubject
    python: str = field(default_factory=interpreter)
    """What `{python}` is."""
    grace_s: float = GRACE_S
    most_bytes: int = LARGEST
    """Beyond so many bytes it is no answer, and the harness's memory is not without end."""

    def converse(
        self,
        enclosure: Enclosure,
        messages: Sequence[Mapping[str, Any]],
        environment: Mapping[str, str],
        cwd: Path,
        *,
        clock: Clock,
        then: Then | None = None,
    ) -> tuple[Heard, ...]:
        """Run the program once for each message, one after the other; nothing of a run is left when the next begins.

        Each message is the values that templates are filled with; `{python}` is added here. When all are answered, what
        `then` gives is put, and so on. Raises SubjectError when the program cannot be executed. Whatever comes after
        that is a fact in what is returned.
        """
        answers: list[Heard] = []
        following: Sequence[Mapping[str, Any]] | None = messages
        while following:
            heard = [
                self._run(enclosure, {**values, "python": self.python}, environment, cwd, clock) for values in following
            ]
            answers += heard
            following = then(heard) if then is not None else None
        return tuple(answers)

    def _run(
        self,
        enclosure: Enclosure,
        values: Mapping[str, Any],
        environment: Mapping[str, str],
        cwd: Path,
        clock: Clock,
    ) -> Heard:
        argv = [fill(word, values) for word in self.subject.command]
        env = {**environment, **{name: fill(text, values) for name, text in self.subject.env.items()}}
        arriving, output = os.pipe()
        with ExitStack() as stack:
            stack.callback(os.close, arriving)
            # A file, not a pipe: a program that reads none of it blocks nobody.
            stdin = stack.enter_context(tempfile.TemporaryFile())
            stdin.write(fill(self.subject.stdin, values).encode("utf-8", "surrogateescape"))
            stdin.seek(0)
            started = clock()
            try:
                process = Process.start(enclosure, argv, env, cwd, stdin=stdin.fileno(), stdout=output)
            finally:
                os.close(output)
            with process:
                hearing = _Hearing(arriving, process, clock, self.most_bytes)
                ending = hearing.until(monotonic() + self.subject.timeout_s, self.grace_s)
                if ending is None:
                    ending = Ending("timed_out", f"no complete answer within {self.subject.timeout_s} s")
                process.stop(self.grace_s)
            return Heard(
                tuple(hearing.chunks), tuple(hearing.at), started, max(clock(), started), ending, process.log()
            )


class _Hearing:
    """What arrives at one end of a pipe, until the program at the other end has ended."""

    def __init__(self, arriving: int, process: Process, clock: Clock, most_bytes: int) -> None:
        self._arriving = arriving
        self._process = process
        self._clock = clock
        self._left = most_bytes
        self._most = most_bytes
        self.chunks: list[bytes] = []
        self.at: list[int] = []

    def until(self, end: float, grace_s: float) -> Ending | None:
        """How the answer ended; None where it had not at `end` (monotonic seconds)."""
        whole = False
        ended: Ending | None = None
        waiting = select.poll()
        waiting.register(self._arriving, select.POLLIN | select.POLLHUP)
        while not (whole and ended is not None):
            if (now := monotonic()) >= end:
                return self._held() if ended is not None else None
            if ended is None and (ended := self._process.ended(min(_LOOK_S, end - now) if whole else 0.0)) is not None:
                # What the program wrote itself is in the pipe by now. What others hold open, they shall close.
                end = min(end, monotonic() + grace_s)
            if not whole and waiting.poll(min(_LOOK_S, max(0.0, end - monotonic())) * 1000):
                data = os.read(self._arriving, _AT_ONCE)
                whole = not data
                if len(data) > self._left:
                    return Ending("raised", f"the answer is larger than {self._most} bytes")
                self._left -= len(data)
                if data:
                    self.at.append(self._clock())
                    self.chunks.append(data)
        assert ended is not None
        if ended != Ending("exited", "exit code 0"):
            return ended
        return Ending("completed") if self.chunks else Ending("empty_output", "the answer is empty")

    def _held(self) -> Ending:
        return Ending("exited", "it ended and left a process behind that still held its standard output")
