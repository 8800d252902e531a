"""The in-process door of aiohttp: below its parser, where a connection would be opened.

The client's own protocol is connected to the gateway's, inside this process: what it writes is read by the code that
reads at the gateway, and what it reads was framed by it.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from tapegate.doors.armed import Refused, hear, unrouted
from tapegate.doors.connection import Connection
from tapegate.doors.current import Heard
from tapegate.doors.lane import Lane
from tapegate.doors.memory import End
from tapegate.doors.on_import import on_import
from tapegate.doors.switchboard import Connected, Received
from tapegate.doors.upstream import Upstream
from tapegate.tape.recorder import Recorder
from tapegate.tape.wire import Answer

MARK = "__tapegate__"

# aiohttp may not be imported from here: its types are known by shape.
Connector = Any
Request = Any
Protocol = Any

_upstreams: WeakKeyDictionary[asyncio.AbstractEventLoop, Upstream] = WeakKeyDictionary()


def install() -> None:
    """Put the door into aiohttp when it is imported, or now where it is. Once a process; again is no-op.

    It lets everything pass until the code that asks hears a tape, or the process is armed.
    """
    on_import("aiohttp.connector", _change)


def _change(aiohttp: ModuleType) -> None:
    connector = aiohttp.TCPConnector
    if not hasattr(connector.connect, MARK):
        connector.connect = _connecting(connector.connect, aiohttp)
        connector._create_connection = _creating(connector._create_connection)


def _connecting(
    connect: Callable[..., Awaitable[Any]], aiohttp: ModuleType
) -> Callable[[Connector, Request, Any, Any], Awaitable[Any]]:
    async def connect_heard(connector: Connector, request: Request, traces: Any, timeout: Any) -> Any:
        try:
            heard = _hear(connector, request)
        except Refused as refused:
            error = ConnectionRefusedError(errno.ECONNREFUSED, str(refused))
            raise aiohttp.ClientConnectorError(request.connection_key, error) from refused
        while True:
            connection = await connect(connector, request, traces, timeout)
            if heard is None or isinstance(connection.transport, End):
                return connection
            connection.close()  # one that was kept from before the tape was heard

    setattr(connect_heard, MARK, True)
    return connect_heard


def _creating(create: Callable[..., Awaitable[Protocol]]) -> Callable[..., Awaitable[Protocol]]:
    async def create_heard(connector: Connector, request: Request, traces: Any, timeout: Any) -> Protocol:
        heard = hear(lambda: _address(request))
        if heard is None:
            return await create(connector, request, traces, timeout)
        protocol = connector._factory()
        End.link(protocol, Inside(heard, str(request.url)))
        # For one request only: the next may hear another tape.
        protocol.force_close()
        return protocol

    setattr(create_heard, MARK, True)
    return create_heard


def _hear(connector: Connector, request: Request) -> Heard | None:
    heard = hear(lambda: _address(request))
    if heard is None:
        return None
    if heard.routes.resolve(str(request.url)) is None:
        raise unrouted(heard, _address(request))
    if not hasattr(type(connector)._create_connection, MARK):
        heard.tape.attempted(_address(request))
        raise Refused(f"tapegate has no door for connections of {type(connector).__qualname__}; use the gateway")
    return heard


def _address(request: Request) -> str:
    return f"{request.url.host}:{request.url.port}"


class Inside(Connection):
    """The tape's side of a connection for one request of one client."""

    def __init__(self, heard: Heard, url: str) -> None:
        super().__init__({}, _upstream(heard), set())
        self._lane = Lane("", heard, 0, lambda _: None)
        self._origin = "/".join(url.split("/", 3)[:3])

    def _connect(self, received: Received) -> Connected | Answer:
        heard, target = self._lane.heard, received.target
        found = heard.routes.resolve(target if "://" in target else self._origin + target)
        assert found is not None, "whoever opened this connection has seen to it"
        service, path = found
        return Connected(self._lane, service, path, received)

    def _send(self, pieces: list[bytes]) -> None:
        # Chunk by chunk: nothing is saved by one write, and a client that reads as it comes sees the recorded cuts.
        head, blank, *rest = pieces
        self._transport.writelines([head + blank, *rest])

    def _reset(self) -> None:
        assert isinstance(self._transport, End)
        self._transport.abort(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))


def _upstream(heard: Heard) -> Upstream:
    """That of the running loop. It keeps no connection alive, as nobody would close it."""
    loop = asyncio.get_running_loop()
    upstream = _upstreams.setdefault(loop, Upstream(keep_alive=0))
    if isinstance(heard.tape, Recorder):
        upstream.prepare()
    return upstream
