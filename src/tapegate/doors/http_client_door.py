"""The in-process door of `http.client` and `urllib3`: requests, boto3, urllib.request, httplib2 and what they carry.

It stands at the socket: the client writes its request to one and reads the answer from one, and where it hears a tape
that socket leads to the tape (`tape_socket`). Nothing else of the client is replaced.
"""

from __future__ import annotations

import errno
import http.client
import socket
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from tapegate.doors.armed import Refused, hear
from tapegate.doors.on_import import on_import
from tapegate.doors.tape_socket import TapeSocket

MARK = "__tapegate__"
_INTERNET = (socket.AF_INET, socket.AF_INET6)

# `urllib3` may not be imported from here, and its connections are no subclass of the standard library's HTTPS one: all
# of them are known by shape.
Connection = Any


def install() -> None:
    """Put the door into http.client, and into urllib3 when it is imported. Once a process; again is no-op.

    It lets everything pass until the code that asks hears a tape, or the process is armed.
    """
    if not hasattr(http.client.HTTPConnection.putrequest, MARK):
        http.client.HTTPConnection.putrequest = _asking(http.client.HTTPConnection.putrequest)  # type: ignore[method-assign]
        plain: tuple[Any, ...] = (http.client.HTTPConnection, http.client.HTTPSConnection)
        for kind in plain:
            kind.connect = _connecting(kind.connect, _refused)
    on_import("urllib3.connection", _change)
    on_import("httplib2", _change_httplib2)


def _change(urllib3: ModuleType) -> None:
    if hasattr(urllib3.HTTPConnection.connect, MARK):
        return

    def refused(connection: Connection, why: str) -> Exception:
        error: Exception = urllib3.NewConnectionError(connection, why)
        return error

    for kind in (urllib3.HTTPConnection, urllib3.HTTPSConnection):
        kind.connect = _connecting(kind.connect, refused)


def _change_httplib2(httplib2: ModuleType) -> None:
    """Its connections are the standard library's, with a `connect` of their own."""
    for kind in (httplib2.HTTPConnectionWithTimeout, httplib2.HTTPSConnectionWithTimeout):
        if not hasattr(kind.connect, MARK):
            kind.connect = _connecting(kind.connect, _refused)


def _refused(_: Connection, why: str) -> Exception:
    return ConnectionRefusedError(errno.ECONNREFUSED, why)


def _asking(putrequest: Callable[..., None]) -> Callable[..., None]:
    """At the start of each request: a connection that was kept from before leads to whatever is heard now."""

    def ask(self: Connection, *args: Any, **kwargs: Any) -> None:
        taped = isinstance(self.sock, TapeSocket)
        if (taped or _on_the_internet(self.sock)) and _hears(self) is not taped:
            # Not by the connection's own `close`, which would forget the tunnel and the request begun.
            self.sock.close()
            self.sock = None
        putrequest(self, *args, **kwargs)

    setattr(ask, MARK, True)
    return ask


def _connecting(
    connect: Callable[[Connection], None], refused: Callable[[Connection, str], Exception]
) -> Callable[[Connection], None]:
    def connect_heard(self: Connection) -> None:
        try:
            heard = hear(lambda: _host(self))
        except Refused as error:
            raise refused(self, str(error)) from error
        if heard is None:
            connect(self)
            return
        self.sock = TapeSocket(_origin(self), partial(refused, self), _seconds(self.timeout))
        # urllib3 warns of a connection whose certificate it has not seen.
        self.is_verified = True

    setattr(connect_heard, MARK, True)
    return connect_heard


def _hears(connection: Connection) -> bool | None:
    """Whether the code that asks hears a tape; None where it may not ask at all, which `connect` then says."""
    try:
        return hear(lambda: _host(connection)) is not None
    except Refused:
        return None


def _on_the_internet(sock: Any) -> bool:
    """Whether a socket is one that could lead out: a Unix socket is the machine's own."""
    return getattr(sock, "family", None) in _INTERNET


def _origin(connection: Connection) -> str:
    """Scheme, host and port of the server that is meant."""
    scheme = "https" if connection.default_port == http.client.HTTPS_PORT else "http"
    return f"{scheme}://{_host(connection)}"


def _host(connection: Connection) -> str:
    """Host and port of the server that is meant, be it through a proxy's tunnel."""
    host, port = connection.host, connection.port
    if connection._tunnel_host:
        host, port = connection._tunnel_host, connection._tunnel_port
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{name}:{port or connection.default_port}"


def _seconds(timeout: Any) -> float | None:
    if isinstance(timeout, int | float):
        return timeout
    return socket.getdefaulttimeout()
