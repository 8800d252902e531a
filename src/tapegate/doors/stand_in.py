"""Where no seam of ours reaches, vcrpy's patchers stand in: today for tornado's HTTP clients.

One trial at a time: vcrpy keeps one cassette for the whole process, so a second trial that asks while the first is
still heard is refused. A body comes in one piece, whatever was recorded. Provenance names each trial for which they
stood in.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tapegate.doors.armed import Refused, hear, unrouted
from tapegate.doors.current import Heard
from tapegate.doors.on_import import on_import
from tapegate.tape.recorder import Recorder
from tapegate.tape.wire import Answer, Asked

MARK = "__tapegate__"
CLIENTS = {
    "tornado.simple_httpclient": "SimpleAsyncHTTPClient",
    "tornado.curl_httpclient": "CurlAsyncHTTPClient",
}
"""By module, the class whose `fetch_impl` vcrpy patches."""

Fetch = Callable[[Any, Any, Callable[[Any], None]], None]

_turn = threading.Lock()
_heard: Heard | None = None


def install() -> None:
    """Let vcrpy stand in for these clients when they are imported. Once a process; again is no-op."""
    for name, kind in CLIENTS.items():
        on_import(name, lambda module, kind=kind: _change(module, kind))  # type: ignore[misc]


def _change(module: ModuleType, kind: str) -> None:
    client = getattr(module, kind)
    if not hasattr(client.fetch_impl, MARK):
        client.fetch_impl = _standing_in(client.fetch_impl)


def _standing_in(real: Fetch) -> Fetch:
    def fetch_impl(client: Any, request: Any, callback: Callable[[Any], None]) -> None:
        from tornado.httpclient import HTTPResponse  # type: ignore[import-not-found,import-untyped,unused-ignore]
        from tornado.simple_httpclient import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
            HTTPTimeoutError,
        )
        from vcr.stubs.tornado_stubs import vcr_fetch_impl

        def fail(error: Exception) -> None:
            callback(HTTPResponse(request, 599, error=error, request_time=0.0))

        try:
            heard = hear(lambda: _address(request.url))
            if heard is None:
                real(client, request, callback)
                return
            _take_turn(heard, request.url)
            cassette = _Cassette(heard)
            vcr_fetch_impl(cassette, real)(client, request, callback)
        except Refused as refused:
            fail(ConnectionRefusedError(errno.ECONNREFUSED, str(refused)))
        except _Lost as lost:
            if lost.how == "timeout":
                fail(HTTPTimeoutError("Timeout during request"))
            else:
                fail(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))

    setattr(fetch_impl, MARK, True)
    return fetch_impl


def _take_turn(heard: Heard, url: str) -> None:
    global _heard  # noqa: PLW0603  vcrpy's patches are a state of the process
    with _turn:
        if _heard is not None and _heard is not heard and not _heard.over:
            heard.tape.attempted(_address(url))
            raise Refused(
                f"tapegate refused a request to {_address(url)!r}: vcrpy stands in for this client, one trial at "
                "a time; use the gateway (kind: http), or an HTTP client that Tapegate has a door for"
            )
        _heard = heard
    if not isinstance(heard.tape, Recorder):
        heard.tape.ledger.stood_in("tornado")


class _Lost(Exception):
    """Nothing is answered."""

    def __init__(self, how: str) -> None:
        self.how = how
        super().__init__(how)


class _Cassette:
    """What vcrpy's patchers take for a cassette: the tape that is heard."""

    write_protected = True

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def can_play_response_for(self, request: Any) -> bool:
        """Always: a miss is an answer too."""
        return True

    def play_response(self, request: Any) -> dict[str, Any]:
        """The tape's answer, in vcrpy's shape."""
        found = self._heard.routes.resolve(request.uri)
        if found is None:
            raise unrouted(self._heard, _address(request.uri))
        headers = tuple((name, str(value)) for name, value in request.headers.items())
        asked = Asked(found[0], request.method, found[1], headers, request.body or b"")
        answer = self._answer(asked)
        if answer.lost is not None:
            raise _Lost(answer.lost)
        if answer.ended == "error":
            raise _Lost("reset")
        named: dict[str, list[str]] = {}
        for name, value in answer.headers:
            named.setdefault(name, []).append(value)
        return {
            "status": {"code": answer.status, "message": answer.reason},
            "headers": named,
            "body": {"string": b"".join(answer.chunks)},
            "url": request.uri,
        }

    def _answer(self, asked: Asked) -> Answer:
        tape = self._heard.tape
        if isinstance(tape, Recorder):
            what = "a client for which vcrpy stands in"
            tape.begin(asked).abandon(f"{what} cannot be recorded in its own process; record it through the gateway")
            raise Refused(f"tapegate refused to record {asked.path!r}: {what} is recorded through the gateway")
        return tape.play(asked)


def _address(url: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
