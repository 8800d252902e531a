"""The in-process guard of Python subjects: sockets of this process open to nothing but what it is told to allow.

It stands on the interpreter's audit events, which `socket`, `asyncio`, `http.client`, `urllib` and every client built
on them pass, and which code cannot take back. What the interpreter resolves before it raises an event (`connect` to a
name) is looked at one step earlier, in `socket.socket` itself.

What it does not see: code that opens sockets by itself in C (uvloop, grpc, a library called through ctypes), and
programs that the subject starts. Those that are started through `subprocess` get proxy variables that lead nowhere,
which is only as strong as their respect for them. A network namespace guards against all of these.
"""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from ipaddress import ip_address
from typing import Any
from weakref import WeakSet

from tapegate.doors.guard.proxies import PROXIES

Attempted = Callable[[str], None]
"""Told the address of each attempt once: `name:443`, `203.0.113.7:80`, `dns:name`. Called where it was made."""

_LOCAL_FAMILIES = {
    int(family) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if (family := getattr(socket, name, None)) is not None
}
_LOOPBACK = "127.0.0.1"
_POPEN_ENV = 11
"""Place of `env` among the positional arguments of `subprocess.Popen`, the first being `args`."""


class Refused(ConnectionRefusedError):
    """Tapegate refused a connection. An OSError of the usual kind, so that clients treat it as a dead network."""

    def __init__(self, address: str) -> None:
        super().__init__(errno.ECONNREFUSED, f"tapegate refused to reach {address!r}: {_WHY}")


class NameRefused(socket.gaierror):
    """Tapegate refused to look a name up."""

    def __init__(self, address: str) -> None:
        super().__init__(socket.EAI_NONAME, f"tapegate refused to look up {address!r}: {_WHY}")


_WHY = "in replay nothing but the recorded services is reached; declare it under `services` in evals/tapegate.yaml"


class _Guard:
    """What is allowed, and who is told of the rest."""

    def __init__(self, allowed: Iterable[tuple[str, int]], attempted: Attempted, exempt: Callable[[], bool]) -> None:
        self.exempt = exempt
        self._allowed = {(_host(host), port) for host, port in allowed}
        self._attempted = attempted
        self._told: set[str] = set()

    def allows(self, host: str, port: int) -> bool:
        """Whether a socket may open to it: what was allowed, and the servers of this very process."""
        return (host, port) in self._allowed or (host == _LOOPBACK and port in _own_ports())

    def tell(self, address: str) -> None:
        """Report an attempt, once."""
        if address not in self._told:
            self._told.add(address)
            self._attempted(address)


_guard: _Guard | None = None
_installed = False
_bound: WeakSet[socket.socket] = WeakSet()


def arm(allowed: Iterable[tuple[str, int]], attempted: Attempted, exempt: Callable[[], bool] = lambda: False) -> None:
    """From now on this process reaches only `allowed` (host, port), Unix sockets and servers of its own.

    `exempt` is asked on each attempt, where it is made: True lets the harness's own code pass.
    """
    global _guard, _installed  # noqa: PLW0603  a guard is a state of the process: an audit hook cannot be removed
    if not _installed:
        _installed = True
        _look_earlier()
        sys.addaudithook(_hook)
    _guard = _Guard(allowed, attempted, exempt)


def disarm() -> None:
    """Let this process reach the network again."""
    global _guard  # noqa: PLW0603
    _guard = None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    check = _CHECKS.get(event)
    if check is not None and _guard is not None and not _guard.exempt():
        check(_guard, *arguments)


def _reach(guard: _Guard, sock: socket.socket, address: Any) -> None:
    if address is None or int(sock.family) in _LOCAL_FAMILIES:
        return  # `sendmsg` on a connected socket, and what never leaves the machine
    if int(sock.family) not in (int(socket.AF_INET), int(socket.AF_INET6)):
        guard.tell(f"family {int(sock.family)}")
        raise Refused(f"family {int(sock.family)}")
    host, port = _host(address[0]), address[1]
    if not guard.allows(host, port):
        guard.tell(_address(host, port))
        raise Refused(_address(host, port))


def _look_up(guard: _Guard, host: Any, port: Any = None, *_: Any) -> None:
    name = _host(host)
    if _numeric(name):
        return
    address = f"dns:{name}" if port in (None, "", b"", 0, "0", b"0") else _address(name, _port(port))
    # A machine asks for its own name when a server starts (`socket.getfqdn`): refused, but nobody's escape.
    if name != socket.gethostname().lower():
        guard.tell(address)
    raise NameRefused(address)


def _look_back(guard: _Guard, host: Any) -> None:
    name = _host(host)
    if name == _LOOPBACK:
        return
    if _numeric(name):
        name = ip_address(name).reverse_pointer
    _look_up(guard, name)


def _look_back_at(guard: _Guard, address: Any) -> None:
    _look_back(guard, address[0])


def _remember(_: _Guard, sock: socket.socket, address: Any) -> None:
    if isinstance(address, tuple):
        try:
            _bound.add(sock)
        except TypeError:
            return  # a bare _socket.socket: then its server counts as a stranger's


_CHECKS: dict[str, Callable[..., None]] = {
    "socket.connect": _reach,
    "socket.sendto": _reach,
    "socket.sendmsg": _reach,
    "socket.bind": _remember,
    "socket.getaddrinfo": _look_up,
    "socket.gethostbyname": _look_up,
    "socket.gethostbyaddr": _look_back,
    "socket.getnameinfo": _look_back_at,
}


def _look_earlier() -> None:
    """Check names before `socket.socket` resolves them, and give programs that are started the proxy variables."""
    kind = socket.socket
    for name in ("connect", "connect_ex", "sendto", "bind"):
        setattr(kind, name, _checking(name, getattr(kind, name)))
    start = subprocess.Popen.__init__

    @wraps(start)
    def started(self: Any, *arguments: Any, **named: Any) -> None:
        if _guard is not None and not _guard.exempt():
            given = list(arguments)
            env = given[_POPEN_ENV - 1] if len(given) >= _POPEN_ENV else named.get("env")
            env = {**(os.environ if env is None else env), **PROXIES}
            if len(given) >= _POPEN_ENV:
                given[_POPEN_ENV - 1] = env
            else:
                named["env"] = env
            arguments = tuple(given)
        start(self, *arguments, **named)

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]


def _checking(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def checked(self: socket.socket, *arguments: Any) -> Any:
        guard = _guard
        address = arguments[-1] if arguments else None
        if guard is not None and isinstance(address, tuple) and not guard.exempt():
            if name == "bind":
                _look_up(guard, address[0])
            else:
                try:
                    _reach(guard, self, address)
                except Refused:
                    if name == "connect_ex":
                        return errno.ECONNREFUSED
                    raise
        return original(self, *arguments)

    return checked


def _own_ports() -> set[int]:
    ports = set()
    for sock in list(_bound):
        try:
            ports.add(int(sock.getsockname()[1]))
        except OSError:
            continue  # closed since
    return ports


def _host(host: Any) -> str:
    """One spelling of a host: lower case, ASCII; every name of this machine's loopback is one."""
    if host is None:
        return _LOOPBACK
    text = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    text = text.partition("%")[0].rstrip(".").lower()
    if text in ("", "localhost") or text.endswith(".localhost"):
        return _LOOPBACK
    try:
        number = ip_address(text)
    except ValueError:
        try:
            return text if text.isascii() else text.encode("idna").decode("ascii")
        except UnicodeError:
            return text
    mapped = getattr(number, "ipv4_mapped", None)
    number = mapped or number
    return _LOOPBACK if number.is_loopback or number.is_unspecified else str(number)


def _numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "<broadcast>"
    return True


def _port(port: Any) -> int | str:
    text = port.decode("ascii", "replace") if isinstance(port, bytes) else str(port)
    if text.isdecimal():
        return int(text)
    try:
        return socket.getservbyname(text)
    except OSError:
        return text


def _address(host: str, port: int | str) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
