"""A socket with one deadline for all that is done with it, however often it is read."""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any


class TimedSocket(socket.socket):
    """Raises TimeoutError once its deadline has passed: a server that drips bytes does not move it."""

    end: float = 0.0
    """On the clock of `time.monotonic`."""

    @classmethod
    def over(cls, connection: socket.socket, end: float) -> TimedSocket:
        """Takes `connection` over; it must not be used any more."""
        timed = cls(fileno=connection.detach())
        timed.end = end
        return timed

    def recv_into(self, *arguments: Any) -> int:
        """As `socket.recv_into`."""
        self._limit()
        return super().recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        """As `socket.sendall`."""
        self._limit()
        return super().sendall(*arguments)

    def _limit(self) -> None:
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        self.settimeout(left)
