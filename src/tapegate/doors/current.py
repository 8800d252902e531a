"""The tape that the running code hears: one context variable, asked by every in-process door."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from tapegate.tape.player import Player
from tapegate.tape.recorder import Recorder
from tapegate.tape.routes import Routes

Pace = Literal["at_once", "recorded"]
"""When replayed chunks are given: without waiting, or each at the time at which it arrived."""


Keys = Mapping[str, Mapping[str, str]]
"""By service, the marks whose place its keys take in requests to it, with these keys. A mark in a request to another
service stays a mark: whatever a model makes an agent send there, no key goes with it."""


class _Process:
    """This process. Asking the system each time would be half a microsecond of every request."""

    pid = os.getpid()

    @classmethod
    def forked(cls) -> None:
        """A child has begun."""
        cls.pid = os.getpid()


os.register_at_fork(after_in_child=_Process.forked)


@dataclass(slots=True, eq=False)
class Heard:
    """A tape, and what a door must know to carry traffic to it."""

    tape: Player | Recorder
    routes: Routes
    keys: Keys = field(default_factory=dict, repr=False)
    """While recording: the real values behind the marks that the agent holds in place of keys."""
    pace: Pace = "at_once"
    pid: int = field(default_factory=lambda: _Process.pid)
    """The process whose tape it is: in a child forked later, what is played would be missing from the account."""
    over: bool = field(default=False, init=False)
    """Whether the block that it was opened for has ended."""

    @property
    def elsewhere(self) -> bool:
        """Whether this is a child of the process whose tape it is."""
        return self.pid != _Process.pid

    def end(self) -> None:
        """From now on nobody hears it."""
        self.over = True


class Outside(Enum):
    """Who is not under test."""

    HARNESS = "harness"
    """Tapegate's own traffic, which every door lets through."""


TAPE: ContextVar[Heard | Outside | None] = ContextVar("tapegate_tape", default=None)


@contextmanager
def hearing(heard: Heard) -> Iterator[Heard]:
    """Code in this block, and the threads and tasks it starts, hear `heard`; afterwards nobody does.

    Threads that outlive the block are refused: a tape whose account was read takes no more part in anything.
    """
    token = TAPE.set(heard)
    try:
        yield heard
    finally:
        heard.end()
        TAPE.reset(token)


@contextmanager
def outside() -> Iterator[None]:
    """What this block sends is Tapegate's own, and passes every door."""
    token = TAPE.set(Outside.HARNESS)
    try:
        yield
    finally:
        TAPE.reset(token)
