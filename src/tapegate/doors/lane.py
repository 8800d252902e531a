"""One trial's way through the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tapegate.doors.current import Heard


@dataclass(slots=True, eq=False)
class Lane:
    """What one trial hears at the gateway, kept apart from all others by its place in the URL."""

    id: str
    heard: Heard
    port: int
    _close: Callable[[Lane], None] = field(repr=False)
    exchanges: set[asyncio.Task[Any]] = field(default_factory=set, repr=False)
    """Answers under way; touched by the gateway's own thread only."""
    failure: BaseException | None = None
    """What went wrong inside the gateway itself, first of all."""

    def url(self, service: str, *, port: int | None = None) -> str:
        """The base URL of `service`; `port` is that of an adopted socket, where the subject uses that one."""
        return f"http://127.0.0.1:{port or self.port}/{self.id}/{service}"

    def proxy(self, *, port: int | None = None) -> str:
        """A value for the subject's proxy variables, so that what it tries elsewhere is refused and accounted here.

        It guards only clients that honour such variables.
        """
        return f"http://{self.id}:replay@127.0.0.1:{port or self.port}"

    def close(self) -> None:
        """End the trial's traffic: answers under way are cut, and when this returns every take has its end.

        Raises what went wrong inside the gateway, because then the account may lack something.
        """
        self._close(self)
        if self.failure is not None:
            raise self.failure

    def fail(self, error: BaseException) -> None:
        """Keep the first failure for whoever closes the lane."""
        if self.failure is None:
            self.failure = error
