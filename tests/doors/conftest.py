"""Recordings, raw clients and scripted providers for the tests of the doors."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import openai
import pytest

from tapegate.doors import httpx_door
from tapegate.doors.current import Heard, hearing
from tapegate.doors.gateway import Gateway
from tapegate.doors.lane import Lane
from tapegate.model.fault import TapeFault
from tapegate.model.trace import Account
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Ended, Interaction, Provenance, Request, Response
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player, recorded_paths
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Route, Routes

PATIENCE_S = 20.0
"""How long a test waits for what must happen; reached only by a failing test."""

ADDRESSES = {"openai": "https://api.openai.com/v1", "search": "https://search.example"}


@pytest.fixture
def routes() -> Routes:
    """Two declared services that nothing may ever reach."""
    return Routes({name: Route(name, address, address) for name, address in ADDRESSES.items()})


@dataclass
class Tapes:
    """Builds tapes of a few interactions, and reads their account."""

    routes: Routes

    def interaction(
        self,
        path: str = "/chat/completions",
        body: bytes = b"{}",
        *chunks: bytes,
        method: str = "POST",
        status: int = 200,
        reason: str = "OK",
        headers: tuple[tuple[str, str], ...] = (("content-type", "text/plain"),),
        ended: Ended = "eof",
        service: str = "openai",
        every_us: int = 1000,
    ) -> Interaction:
        at = tuple(every_us * (place + 1) for place in range(len(chunks)))
        grouped: dict[str, tuple[str, ...]] = {}
        for name, value in headers:
            grouped[name] = (*grouped.get(name, ()), value)
        return Interaction(
            service=service,
            request=Request(method, self.routes.uri(service, path), {}, body),
            response=Response(status, reason, grouped, b"".join(chunks)),
            chunks=Chunks(0, tuple(map(len, chunks)), at, at[-1] if at else 0, ended),
        )

    def cassette(self, *interactions: Interaction) -> Cassette:
        return Cassette(
            key="RET-01@A1",
            trial=1,
            provenance=Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "scripted", "scripted", "rules"),
            stream=AgentStream("text", b"", Chunks(0, (), (), 0)),
            interactions=interactions,
        )

    def player(self, *interactions: Interaction, faults: Sequence[TapeFault] = ()) -> PlayerWithAccount:
        return PlayerWithAccount(self.cassette(*interactions), self.routes, tuple(enumerate(faults)))

    def replaying(self, cassette: Cassette) -> PlayerWithAccount:
        return PlayerWithAccount(cassette, self.routes)

    def recorder(
        self,
        upstream: str,
        service: str = "openai",
        ledger: Ledger | None = None,
        redactor: Redactor | None = None,
    ) -> tuple[Recorder, Routes]:
        """A recorder whose `service` is reached at `upstream`; without a redactor it keeps all that passes."""
        routes = Routes({name: Route(name, at, upstream if name == service else at) for name, at in ADDRESSES.items()})
        return Recorder(routes, redactor or cast(Any, Unchanged()), ledger or Ledger()), routes


class PlayerWithAccount(Player):
    """A player, with the account it leads to."""

    def __init__(self, cassette: Cassette, routes: Routes, faults: Sequence[tuple[int, TapeFault]] = ()) -> None:
        super().__init__(cassette, routes, Ledger(), faults=faults)
        self._cassette = cassette
        self._paths = recorded_paths(cassette, routes)

    @property
    def account(self) -> Account:
        return self.ledger.account(self._cassette.interactions, self._paths)


class Unchanged:
    """A redactor that finds nothing: redaction is tested where it lives."""

    def redact(self, interaction: Interaction, index: int = 0) -> Interaction:
        return interaction


@pytest.fixture
def tapes(routes: Routes) -> Tapes:
    """Tapes for the declared services."""
    return Tapes(routes)


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    """A running gateway."""
    with Gateway() as running:
        yield running


class RawClient:
    """A client that sees every byte."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self._read = b""

    def send(self, data: bytes) -> RawClient:
        self.socket.sendall(data)
        return self

    def ask(self, lane: Lane, path: str, body: bytes = b"{}", method: str = "POST", more: str = "") -> RawClient:
        head = f"{method} /{lane.id}{path} HTTP/1.1\r\nhost: gateway\r\n{more}content-length: {len(body)}\r\n\r\n"
        return self.send(head.encode() + body)

    def until(self, mark: bytes) -> bytes:
        """All up to and including `mark`; what follows is kept for later."""
        while mark not in self._read:
            data = self.socket.recv(65536)
            assert data, f"the connection closed before {mark!r} came; it gave {self._read!r}"
            self._read += data
        end = self._read.index(mark) + len(mark)
        found, self._read = self._read[:end], self._read[end:]
        return found

    def rest(self) -> bytes:
        """All until the connection closes."""
        while data := self.socket.recv(65536):
            self._read += data
        found, self._read = self._read, b""
        return found

    def response(self) -> tuple[int, dict[str, str], bytes]:
        """Status, headers in lower case, and the body of one response, its framing undone."""
        status, headers = self.head()
        if headers.get("transfer-encoding") == "chunked":
            return status, headers, b"".join(self.http_chunks())
        return status, headers, self.exactly(int(headers.get("content-length", "0")))

    def head(self) -> tuple[int, dict[str, str]]:
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value for name, value in headers.items()}

    def http_chunks(self) -> Iterator[bytes]:
        while size := int(self.until(b"\r\n"), 16):
            yield self.exactly(size)
            assert self.until(b"\r\n") == b"\r\n"
        assert self.until(b"\r\n") == b"\r\n"

    def exactly(self, size: int) -> bytes:
        while len(self._read) < size:
            data = self.socket.recv(65536)
            assert data, f"the connection closed {size - len(self._read)} bytes early"
            self._read += data
        found, self._read = self._read[:size], self._read[size:]
        return found

    def close(self) -> None:
        self.socket.close()


@pytest.fixture
def dial() -> Iterator[Callable[[Gateway | int], RawClient]]:
    """Opens raw connections, and closes them all."""
    opened: list[RawClient] = []

    def connect(to: Gateway | int) -> RawClient:
        opened.append(RawClient(to if isinstance(to, int) else to.port))
        return opened[-1]

    yield connect
    for client in opened:
        client.close()


@dataclass
class Call:
    """A request that reached a provider, and the connection to answer it on."""

    head: str
    body: bytes
    socket: socket.socket

    @property
    def line(self) -> str:
        return self.head.split("\r\n", 1)[0]

    @property
    def headers(self) -> dict[str, str]:
        return {
            name.lower(): value for name, value in (line.split(": ", 1) for line in self.head.split("\r\n")[1:] if line)
        }

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def chunk(self, data: bytes) -> None:
        self.send(b"%x\r\n%b\r\n" % (len(data), data))


@dataclass
class Provider:
    """A server on loopback that answers each request by a script, byte by byte."""

    script: Callable[[Call], None]
    calls: list[Call] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._sockets.append(connection)
            thread = threading.Thread(target=self._talk, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _talk(self, connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        try:
            while True:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    line = reader.readline()
                    if not line:
                        return
                    head += line
                call = Call(head.decode("latin-1").removesuffix("\r\n"), b"", connection)
                call.body = reader.read(int(call.headers.get("content-length", "0")))
                self.calls.append(call)
                self.script(call)
        except OSError:
            pass  # the gateway hung up, or the test is over
        except BaseException as error:
            self.errors.append(error)
        finally:
            reader.close()
            connection.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for opened in self._sockets:
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        assert not self.errors


@pytest.fixture
def provide() -> Iterator[Callable[[Callable[[Call], None]], Provider]]:
    """Starts providers by their scripts."""
    started: list[Provider] = []

    def start(script: Callable[[Call], None]) -> Provider:
        started.append(Provider(script))
        return started[-1]

    yield start
    for provider in started:
        provider.close()


CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Chat:
    """One question to a chat model, as the openai SDK puts it, and answers to it."""

    question: dict[str, Any] = field(
        default_factory=lambda: {"model": "m-1", "messages": [{"role": "user", "content": "Which papers?"}]}
    )

    def body(self, **more: Any) -> bytes:
        return json.dumps({**self.question, **more}).encode()

    def completion(self, text: str) -> bytes:
        message = {"role": "assistant", "content": text}
        return self._whole(message, "stop")

    def tool_call(self, name: str, arguments: str) -> bytes:
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
        return self._whole({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls")

    def stream(self, *words: str) -> bytes:
        deltas = [{"role": "assistant", "content": word} for word in words]
        return b"".join(map(self._event, deltas)) + b"data: [DONE]\n\n"

    def _event(self, delta: dict[str, Any]) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}
        return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"

    def _whole(self, message: dict[str, Any], reason: str) -> bytes:
        choice = {"index": 0, "finish_reason": reason, "message": message}
        return json.dumps(
            {"id": "c", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice]}
        ).encode()


@pytest.fixture
def chat() -> Chat:
    """A question to a chat model."""
    return Chat()


@pytest.fixture
def patience() -> float:
    """Seconds after which what should have happened has not."""
    return PATIENCE_S


@pytest.fixture(params=["gateway", "in_process"])
def through(request, gateway, tapes):
    """A door: a context in which a base URL leads to a tape."""

    @contextlib.contextmanager
    def by_gateway(player):
        lane = gateway.open(player, tapes.routes)
        yield lane.url("openai")
        lane.close()

    @contextlib.contextmanager
    def in_process(player):
        httpx_door.install()
        with hearing(Heard(player, tapes.routes)):
            yield "https://api.openai.com/v1"

    return {"gateway": by_gateway, "in_process": in_process}[request.param]


@pytest.fixture(params=["sync", "async"])
def create(request):
    """Asks a chat completion; streams come back as the list of their events. `options` are the client's."""

    def sync(url, options=None, **ask):
        with openai.OpenAI(base_url=url, api_key="REDACTED_OPENAI_API_KEY", **(options or {})) as client:
            answer = client.chat.completions.create(**ask)
            return list(answer) if ask.get("stream") else answer

    async def asynchronous(url, options=None, **ask):
        async with openai.AsyncOpenAI(base_url=url, api_key="REDACTED_OPENAI_API_KEY", **(options or {})) as client:
            answer = await client.chat.completions.create(**ask)
            return [event async for event in answer] if ask.get("stream") else answer

    return sync if request.param == "sync" else lambda *words, **ask: asyncio.run(asynchronous(*words, **ask))
