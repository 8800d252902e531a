"""Ports on the loopback address for servers that bind their port themselves."""

from __future__ import annotations

import socket
from threading import Lock

from tapegate.errors import Unavailable

_TRIES = 64

_given: set[int] = set()
_lock = Lock()


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago and that this process has not given out before.

    Another program may take it before the server does: whoever starts one tries again with another port then.
    Raises Unavailable when none can be had.
    """
    with _lock:
        for _ in range(_TRIES):
            try:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", 0))
                    port = int(probe.getsockname()[1])
            except OSError as error:
                raise _none(error) from error
            if port not in _given:
                _given.add(port)
                return port
        _given.clear()
    raise _none(None)


def _none(error: OSError | None) -> Unavailable:
    return Unavailable.of(
        "no_port",
        f"no port of 127.0.0.1 is free for the subject's server: {error or f'{_TRIES} tries gave none that is new'}",
        fix="end what holds the machine's ports, or run fewer trials at a time with `--jobs`",
    )
