"""The in-process door of httpx and httpx2, which the SDKs of OpenAI, Anthropic, Google and Mistral use.

It stands at the transport: above it the client is the real one (redirects, cookies, decoding, streaming), below it
nothing is opened in replay.
"""

from __future__ import annotations

import math
import os
import ssl
import sys
import threading
from collections.abc import Awaitable, Callable
from errno import ECONNRESET
from functools import lru_cache
from types import ModuleType
from typing import Any

from tapegate.doors.armed import Refused, armed, hear, unrouted
from tapegate.doors.current import Heard
from tapegate.doors.forward import Forward
from tapegate.doors.framing import arrivals, frame, in_bytes
from tapegate.doors.httpx_body import Bodies
from tapegate.doors.httpx_response import at_hand
from tapegate.doors.on_import import on_import
from tapegate.doors.refusal import websocket
from tapegate.tape.player import Player
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


def catch_up() -> None:
    """Make now the TLS context that the first client would: the door keeps it for all of an armed process."""
    for name in TRANSPORTS:
        if name in sys.modules:
            sys.modules[name].create_ssl_context()


def _change(module: ModuleType) -> None:
    # One module may be met under two names: `alias_httpx` makes them the same.
    if not hasattr(module.HTTPTransport.handle_request, MARK):
        Door(module)


class Door:
    """The door in one of the two packages."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._bodies = Bodies(client)
        self._at_hand = at_hand(client)
        client.HTTPTransport.handle_request = self._sync(client.HTTPTransport.handle_request)
        client.AsyncHTTPTransport.handle_async_request = self._async(client.AsyncHTTPTransport.handle_async_request)
        client.create_ssl_context = _cached(client.create_ssl_context)

    def _sync(self, send: Callable[[Transport, Request], Response]) -> Callable[[Transport, Request], Response]:
        def handle_request(transport: Transport, request: Request) -> Response:
            heard = self._hear(request)
            if heard is None:
                return send(transport, request)
            found = self._find(heard, request, request.read())
            if isinstance(found, Answer):
                if found.lost == "timeout":
                    _wait(_patience(request))
                return self._response(heard, found, request)
            take, asked = found
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
            found = self._find(heard, request, await request.aread())
            if isinstance(found, Answer):
                if found.lost == "timeout":
                    import anyio

                    await anyio.sleep(_patience(request))
                return self._response(heard, found, request)
            take, asked = found
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

    def _find(self, heard: Heard, request: Request, body: bytes) -> Answer | tuple[Take, Asked]:
        """What the tape answers; in recording the take that waits for it."""
        tape, method = heard.tape, request.method
        found = heard.routes.resolve(str(request.url))
        if found is None:
            refused = unrouted(heard, _address(request))
            raise self._client.ConnectError(str(refused), request=request) from refused
        service, path = found
        if method != "GET" and isinstance(tape, Player):  # a websocket is asked for by GET
            answer = tape.at_hand(service, method, path, body)
            if answer is not None:
                return answer
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
        asked = Asked(service, method, path, headers, body)
        if _is_websocket(asked):
            return websocket(heard, asked)
        return (tape.begin(asked), asked) if isinstance(tape, Recorder) else tape.play(asked)

    def _response(self, heard: Heard, answer: Answer, request: Request) -> Response:
        if answer.lost == "timeout":
            raise self._client.ReadTimeout("timed out", request=request)
        if answer.lost == "reset":
            raise self._client.ReadError(
                str(ConnectionResetError(ECONNRESET, os.strerror(ECONNRESET))), request=request
            )
        framed = frame(answer, request.method)
        paced = answer.paced or heard.pace == "recorded"
        headers, encoded = _encoded(framed.end_to_end)
        if framed.framing:
            ((name, value),) = framed.framing
            headers = (*headers, (name.encode(), value.encode()))
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": _phrase(answer.reason)}
        stream = self._bodies.played(framed, arrivals(answer) if paced else ())
        if self._at_hand is None or paced or encoded or framed.chunked:
            return self._client.Response(answer.status, headers=headers, stream=stream, extensions=extensions)
        response = self._at_hand(answer.status, headers=headers, stream=stream, extensions=extensions)
        response.body = framed.chunks[0] if framed.chunks else b""
        return response

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
def _encoded(headers: HeaderPairs) -> tuple[tuple[tuple[bytes, bytes], ...], bool]:
    """The headers in bytes, and whether the body is in some encoding."""
    pairs = tuple((in_bytes(name), in_bytes(value.strip())) for name, value in headers)
    return pairs, any(name.lower() == b"content-encoding" for name, _ in pairs)


@lru_cache(maxsize=1024)
def _phrase(reason: str) -> bytes:
    return reason.encode("latin-1", "replace")


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
