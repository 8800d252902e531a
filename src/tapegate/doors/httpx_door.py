"""The in-process door of httpx and httpx2, which the SDKs of OpenAI, Anthropic, Google and Mistral use.

It stands at the transport: above it the client is the real one (redirects, cookies, decoding, streaming), below it
nothing is opened in replay.
"""

from __future__ import annotations

import math
import os
import ssl
import threading
from collections.abc import Awaitable, Callable
from errno import ECONNRESET
from functools import lru_cache
from types import ModuleType
from typing import Any

from tapegate.doors.armed import Refused, armed, hear, unrouted
from tapegate.doors.current import Heard
from tapegate.doors.forward import Forward
from tapegate.doors.framing import arrivals, frame
from tapegate.doors.httpx_body import Bodies
from tapegate.doors.on_import import on_import
from tapegate.doors.refusal import websocket
from tapegate.tape.recorder import Recorder, Take
from tapegate.tape.wire import Answer, Asked, HeaderPairs

TRANSPORTS = ("httpx._transports.default", "httpx2._transports.default")
"""The modules that open connections."""
MARK = "__tapegate__"

# The clients are two packages of one shape, and neither may be imported from here: `httpx2.alias_httpx()` raises once
# httpx is loaded. Their types are therefore known by shape only.
Request = Any
Response = Any
Transport = Any


def install() -> None:
    """Put the door into httpx and httpx2, when they are imported or now where they are. Once a process; again is no-op.

    It lets everything pass until the code that asks hears a tape, or the process is armed.
    """
    for name in TRANSPORTS:
        on_import(name, _change)


def _change(module: ModuleType) -> None:
    # One module may be met under two names: `alias_httpx` makes them the same.
    if not hasattr(module.HTTPTransport.handle_request, MARK):
        Door(module)


class Door:
    """The door in one of the two packages."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._bodies = Bodies(client)
        client.HTTPTransport.handle_request = self._sync(client.HTTPTransport.handle_request)
        client.AsyncHTTPTransport.handle_async_request = self._async(client.AsyncHTTPTransport.handle_async_request)
        client.create_ssl_context = _cached(client.create_ssl_context)

    def _sync(self, send: Callable[[Transport, Request], Response]) -> Callable[[Transport, Request], Response]:
        def handle_request(transport: Transport, request: Request) -> Response:
            heard = self._hear(request)
            if heard is None:
                return send(transport, request)
            asked = self._asked(heard, request, request.read())
            if not isinstance(heard.tape, Recorder) or _is_websocket(asked):
                answer = self._played(heard, asked)
                if answer.lost == "timeout":
                    _wait(_patience(request))
                return self._response(heard, asked, answer, request)
            take = heard.tape.begin(asked)
            try:
                response = send(transport, self._forwarded(heard, asked, request))
            except BaseException as error:
                self._unanswered(take, error)
                raise
            return self._recording(take, response)

        setattr(handle_request, MARK, True)
        return handle_request

    def _async(
        self, send: Callable[[Transport, Request], Awaitable[Response]]
    ) -> Callable[[Transport, Request], Awaitable[Response]]:
        async def handle_async_request(transport: Transport, request: Request) -> Response:
            heard = self._hear(request)
            if heard is None:
                return await send(transport, request)
            asked = self._asked(heard, request, await request.aread())
            if not isinstance(heard.tape, Recorder) or _is_websocket(asked):
                answer = self._played(heard, asked)
                if answer.lost == "timeout":
                    import anyio

                    await anyio.sleep(_patience(request))
                return self._response(heard, asked, answer, request)
            take = heard.tape.begin(asked)
            try:
                response = await send(transport, self._forwarded(heard, asked, request))
            except BaseException as error:
                self._unanswered(take, error)
                raise
            return self._recording(take, response)

        return handle_async_request

    def _hear(self, request: Request) -> Heard | None:
        try:
            return hear(lambda: _address(request))
        except Refused as refused:
            raise self._client.ConnectError(str(refused), request=request) from refused

    def _asked(self, heard: Heard, request: Request, body: bytes) -> Asked:
        found = heard.routes.resolve(str(request.url))
        if found is None:
            refused = unrouted(heard, _address(request))
            raise self._client.ConnectError(str(refused), request=request) from refused
        service, path = found
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
        return Asked(service, request.method, path, headers, body)

    def _played(self, heard: Heard, asked: Asked) -> Answer:
        if _is_websocket(asked):
            return websocket(heard, asked)
        assert not isinstance(heard.tape, Recorder)
        return heard.tape.play(asked)

    def _response(self, heard: Heard, asked: Asked, answer: Answer, request: Request) -> Response:
        if answer.lost == "timeout":
            raise self._client.ReadTimeout("timed out", request=request)
        if answer.lost == "reset":
            raise self._client.ReadError(
                str(ConnectionResetError(ECONNRESET, os.strerror(ECONNRESET))), request=request
            )
        framed = frame(answer, asked.method)
        at_us = arrivals(answer) if heard.pace == "recorded" or answer.paced else ()
        return self._client.Response(
            answer.status,
            headers=_encoded(framed.headers),
            stream=self._bodies.played(framed, at_us),
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": answer.reason.encode("latin-1", "replace")},
        )

    def _unanswered(self, take: Take, error: BaseException) -> None:
        """A client that gave up waiting is recorded as that; whatever else went wrong spoils the recording."""
        if isinstance(error, self._client.ReadTimeout) or not isinstance(error, Exception):
            take.unanswered()
        else:
            take.abandon(f"its provider gave no answer ({type(error).__name__}: {error})")

    def _forwarded(self, heard: Heard, asked: Asked, request: Request) -> Request:
        """A request of the door's own: the agent's must never hold the real key."""
        forward = Forward.of(heard, asked)
        return self._client.Request(
            asked.method,
            forward.origin,
            headers=list(forward.headers),
            content=asked.body or None,
            extensions={**request.extensions, "target": forward.target},
        )

    def _recording(self, take: Take, response: Response) -> Response:
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
        take.head(response.status_code, response.reason_phrase, headers)
        response.stream = self._bodies.recorded(response.stream, take)
        return response


def _is_websocket(asked: Asked) -> bool:
    return any(name.lower() == "upgrade" and "websocket" in value.lower() for name, value in asked.headers)


def _address(request: Request) -> str:
    url = request.url
    return f"{url.host}:{url.port or (80 if url.scheme in ('http', 'ws') else 443)}"


@lru_cache(maxsize=1024)
def _encoded(headers: HeaderPairs) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)


def _patience(request: Request) -> float:
    """Seconds that the client waits for the first byte of an answer."""
    seconds = request.extensions.get("timeout", {}).get("read")
    return math.inf if seconds is None else seconds


def _wait(seconds: float) -> None:
    threading.Event().wait(None if seconds == math.inf else seconds)


def _cached(create: Callable[..., ssl.SSLContext]) -> Callable[..., ssl.SSLContext]:
    """Loading the system's certificates takes 39 ms a client (measured), and an armed process never uses them.

    The one context that all clients then share trusts nobody, so that a use of it after all fails.
    """
    shared: list[ssl.SSLContext] = []

    def create_ssl_context(verify: Any = True, cert: Any = None, **rest: Any) -> ssl.SSLContext:
        if not armed() or verify is not True or cert is not None:
            return create(verify=verify, cert=cert, **rest)
        if not shared:
            shared.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return shared[0]

    return create_ssl_context
