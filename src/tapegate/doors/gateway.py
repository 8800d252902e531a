"""The gateway: a loopback HTTP server through which an agent in any language reaches its tape."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from itertools import count
from types import TracebackType
from typing import Any, TypeVar

from tapegate.doors.connection import Connection
from tapegate.doors.current import TAPE, Heard, Keys, Outside, Pace
from tapegate.doors.lane import Lane
from tapegate.doors.upstream import Upstream
from tapegate.errors import Unavailable
from tapegate.tape.player import Player
from tapegate.tape.recorder import Recorder
from tapegate.tape.routes import Routes

BACKLOG = 1024
BUFFER = 1 << 16
"""Bytes that are read at once from a connection."""
HOST = "127.0.0.1"

T = TypeVar("T")


class Adopted:
    """A listening socket that the gateway serves beside its own."""

    def __init__(self, close: Callable[[], None], port: int) -> None:
        self._close = close
        self.port = port

    def close(self) -> None:
        """Stop listening on it."""
        self._close()


class Wired(Connection, asyncio.BufferedProtocol):
    """A connection that is read into one buffer: asyncio would make one of 256 kB for every read."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._buffer = memoryview(bytearray(BUFFER))
        super().connection_made(transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))


class Gateway:
    """Serves lanes on 127.0.0.1 from a thread and an event loop of its own.

        with Gateway() as gateway:
            lane = gateway.open(player, routes)
            environment["OPENAI_BASE_URL"] = lane.url("openai")

    One gateway serves any number of lanes at once, in replay and in recording.
    """

    def __init__(self, new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop) -> None:
        self._new_loop = new_loop
        self._lanes: dict[str, Lane] = {}
        self._naming = threading.Lock()
        self._connections: set[Connection] = set()
        self._servers: set[asyncio.Server] = set()
        self._upstream = Upstream()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.port = 0
        """Where it listens; 0 while it does not."""

    def __enter__(self) -> Gateway:
        """Start. Raises Unavailable when nothing can listen on 127.0.0.1."""
        try:
            listening = socket.create_server((HOST, 0), backlog=BACKLOG)
        except OSError as error:
            raise Unavailable.of(
                "no_port", f"cannot listen on {HOST}: {error.strerror or error}", fix="run `tapegate doctor`"
            ) from error
        self._loop = self._new_loop()
        self._thread = threading.Thread(target=self._run, name="tapegate-gateway", daemon=True)
        self._thread.start()
        self.port = self.adopt(listening).port
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cut what is under way, close every socket, end the thread."""
        assert self._loop is not None
        assert self._thread is not None
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = None
        self.port = 0

    def open(
        self,
        tape: Player | Recorder,
        routes: Routes,
        keys: Keys | None = None,
        *,
        pace: Pace = "at_once",
        name: str = "lane",
    ) -> Lane:
        """A new lane to `tape`.

        `keys` holds, while recording, the real value behind each mark that the agent was given in place of a key, for
        the service that it belongs to.
        `name` stands in the lane's URL, which the agent sees: what is named after the trial is the same in every run.
        """
        if isinstance(tape, Recorder):
            self._upstream.prepare()
        heard = Heard(tape, routes, dict(keys or {}), pace)
        with self._naming:
            free = (name if number == 1 else f"{name}~{number}" for number in count(1))
            lane = Lane(next(each for each in free if each not in self._lanes), heard, self.port, self._close)
            self._lanes[lane.id] = lane
        return lane

    def adopt(self, listening: socket.socket) -> Adopted:
        """Serve a listening socket too, bound by someone else: inside another network namespace, for one.

        The gateway owns it from now on.
        """
        port = listening.getsockname()[1]
        server = self._do(self._listen(listening))
        return Adopted(lambda: self._do(self._unlisten(server)), port)

    def _close(self, lane: Lane) -> None:
        if self._loop is not None:
            self._do(self._end(lane))

    def _run(self) -> None:
        assert self._loop is not None
        asyncio.set_event_loop(self._loop)
        TAPE.set(Outside.HARNESS)
        self._loop.run_forever()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run on the gateway's thread, and wait for it."""
        assert self._loop is not None, "the gateway is not running: use it in a `with` block"
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()

    async def _listen(self, listening: socket.socket) -> asyncio.Server:
        def new() -> Wired:
            return Wired(self._lanes, self._upstream, self._connections)

        server = await asyncio.get_running_loop().create_server(new, sock=listening, backlog=BACKLOG)
        self._servers.add(server)
        return server

    async def _unlisten(self, server: asyncio.Server) -> None:
        self._servers.discard(server)
        server.close()

    async def _end(self, lane: Lane) -> None:
        self._lanes.pop(lane.id, None)
        exchanges = list(lane.exchanges)
        for exchange in exchanges:
            exchange.cancel()
        await asyncio.gather(*exchanges, return_exceptions=True)

    async def _stop(self) -> None:
        for server in list(self._servers):
            await self._unlisten(server)
        for lane in list(self._lanes.values()):
            await self._end(lane)
        for connection in list(self._connections):
            connection.abort()
        await self._upstream.close()
        while self._connections:
            await asyncio.sleep(0)
