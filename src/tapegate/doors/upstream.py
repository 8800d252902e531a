"""The provider's side of a recording."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tapegate.doors.current import TAPE, Heard, Outside
from tapegate.doors.forward import Forward
from tapegate.tape.wire import Asked

if TYPE_CHECKING:
    import httpx

TIMEOUTS = {"connect": 30.0, "read": 600.0, "write": 600.0, "pool": 600.0}
"""Seconds. Longer than any agent waits: how patient to be is the agent's decision."""


class Upstream:
    """Sends requests to providers. Prepared from any thread, used on one event loop only.

    A bare transport, not a client: a client would keep cookies from one lane to the next, and add headers of its own.
    """

    def __init__(self, keep_alive: int = 64) -> None:
        """`keep_alive` is how many connections are kept for the next request."""
        self._keep_alive = keep_alive
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._preparing = threading.Lock()

    def prepare(self) -> None:
        """Load what sending needs (about 0.2 s, most of it an import and an SSL context).

        Before the first request, whose recorded latency would otherwise hold it; never for a replay, which needs none.
        """
        import httpx

        limits = httpx.Limits(max_connections=None, max_keepalive_connections=self._keep_alive)
        with self._preparing:
            if self._transport is None:
                self._transport = httpx.AsyncHTTPTransport(trust_env=False, limits=limits)

    async def send(self, heard: Heard, asked: Asked) -> httpx.Response:
        """The provider's response, its body not yet read.

        Raises httpx.TransportError when it cannot be reached, ValueError or httpx.InvalidURL when its address is none.
        """
        import httpx

        assert self._transport is not None, "prepare comes first"
        TAPE.set(Outside.HARNESS)
        forward = Forward.of(heard, asked)
        request = httpx.Request(
            asked.method,
            forward.origin,
            headers=list(forward.headers),
            content=asked.body or None,
            extensions={"timeout": TIMEOUTS, "target": forward.target},
        )
        return await self._transport.handle_async_request(request)

    async def close(self) -> None:
        """Close the connections kept alive."""
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None
