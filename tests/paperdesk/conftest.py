"""Servers on 127.0.0.1, libraries in a temporary folder, and providers that say what a test wants."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from paperdesk import chat, database, scripted_search, stream
from paperdesk.library import Library
from paperdesk.scripted_model import server as scripted_model

Serve = Callable[[ASGIApp], str]


def _run(app: ASGIApp) -> tuple[str, Callable[[], threading.Thread]]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, ws="none", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()  # connections queue on the listener until it serves them

    def stop() -> threading.Thread:
        server.should_exit = True
        return thread

    return f"http://127.0.0.1:{listener.getsockname()[1]}", stop


@pytest.fixture(scope="session")
def _stopping() -> Iterator[list[threading.Thread]]:
    """Servers on their way out. A stop takes a fifth of a second, so they are waited for all together."""
    threads: list[threading.Thread] = []
    yield threads
    for thread in threads:
        thread.join(timeout=10)


@pytest.fixture
def serve(_stopping: list[threading.Thread]) -> Iterator[Serve]:
    """Serves an application for one test; returns its address."""
    stops: list[Callable[[], threading.Thread]] = []

    def start(app: ASGIApp) -> str:
        address, stop = _run(app)
        stops.append(stop)
        return address

    yield start
    _stopping += [stop() for stop in stops]


@dataclass
class Watched:
    """A server that keeps what it was asked."""

    app: ASGIApp
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""

        async def heard() -> Any:
            nonlocal body
            message = await receive()
            body += message.get("body", b"")
            if message["type"] == "http.request" and not message.get("more_body"):
                self.requests.append(json.loads(body) if body else {"query": scope["query_string"].decode()})
            return message

        if scope["type"] == "http" and scope["method"] == "GET":
            self.requests.append({"query": scope["query_string"].decode()})
        await self.app(scope, heard if scope["type"] == "http" else receive, send)


@pytest.fixture(scope="session")
def _model_server() -> Iterator[Watched]:
    watched = Watched(scripted_model.create_app(pace=0))
    watched.address, stop = _run(watched)
    yield watched
    stop().join(timeout=10)


@pytest.fixture(scope="session")
def _search_server() -> Iterator[Watched]:
    watched = Watched(scripted_search.create_app())
    watched.address, stop = _run(watched)
    yield watched
    stop().join(timeout=10)


@pytest.fixture
def model(_model_server: Watched) -> Watched:
    """The scripted model, which remembers this test's requests."""
    _model_server.requests.clear()
    return _model_server


@pytest.fixture
def search(_search_server: Watched) -> Watched:
    """The scripted web search, which remembers this test's requests."""
    _search_server.requests.clear()
    return _search_server


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("library") / "built.sqlite3"
    database.build(path)
    return path.read_bytes()


@pytest.fixture
def library_path(tmp_path: Path, _built: bytes) -> Path:
    """A library of the bundled papers."""
    path = tmp_path / "library.sqlite3"
    path.write_bytes(_built)
    return path


@pytest.fixture
def library(library_path: Path) -> Iterator[Library]:
    """The bundled papers, open."""
    with closing(database.connect(library_path)) as connection:
        yield Library(connection)


@dataclass(frozen=True)
class Heard:
    """An answer, taken apart."""

    lines: tuple[str, ...]

    @classmethod
    def of(cls, lines: Iterable[str]) -> Heard:
        return cls(tuple(lines))

    def frames(self, kind: str) -> list[Any]:
        return [value for found, value in map(stream.parse, self.lines) if found == kind]

    @property
    def text(self) -> str:
        return "".join(self.frames("0"))

    @property
    def tools(self) -> list[str]:
        return [frame["name"] for frame in self.frames("d") if frame["type"] == "tool_call"]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [frame for frame in self.frames("d") if frame["type"] == "tool_result"]

    @property
    def error(self) -> str | None:
        return next((frame["message"] for frame in self.frames("data") if frame["type"] == "error"), None)

    @property
    def finish(self) -> dict[str, Any]:
        kind, value = stream.parse(self.lines[-1])
        assert (kind, value["type"]) == ("data", "finish")
        return dict(value)


Ask = Callable[..., Heard]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, library_path: Path, model: Watched, search: Watched) -> Ask:
    """Asks the real Paperdesk, with the scripted model and web search behind it."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{model.address}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("PAPERDESK_MODEL", "scripted-librarian-2026-11-01")
    monkeypatch.setenv("PAPERDESK_DB", str(library_path))
    monkeypatch.setenv("PAPERDESK_SEARCH_URL", search.address)

    def asked(question: str, seed: int = 42) -> Heard:
        monkeypatch.setenv("PAPERDESK_SEED", str(seed))
        return Heard.of(chat.ask(question))

    return asked


Delta = dict[str, Any]


class Provider:
    """Answers each request with the next of the completions it was given; the last one again and again."""

    def __init__(self, *completions: list[Delta] | Response | bytes, finish: str | None = "stop") -> None:
        self._completions = completions
        self._finish = finish
        self.requests: list[dict[str, Any]] = []
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._answer, methods=["POST"])])

    @staticmethod
    def said(content: str) -> Delta:
        """A piece of text."""
        return {"content": content}

    @staticmethod
    def called(name: str, arguments: str, *, index: int = 0, call_id: str = "call_x") -> Delta:
        """A whole tool call."""
        function = {"name": name, "arguments": arguments}
        return {"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]}

    @staticmethod
    def whole(content: str | None, finish_reason: str = "stop") -> Response:
        """A completion in one piece."""
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
        head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        return JSONResponse(head | {"choices": [choice]})

    @staticmethod
    def refusal(status: int) -> Response:
        """A refusal."""
        return JSONResponse({"error": {"message": "no", "type": "test"}}, status_code=status)

    async def _answer(self, request: Request) -> Response:
        self.requests.append(json.loads(await request.body()))
        completion = self._completions[min(len(self.requests), len(self._completions)) - 1]
        if isinstance(completion, Response):
            return completion
        if isinstance(completion, bytes):
            return StreamingResponse(iter([completion]), media_type="text/event-stream")
        events = [self._event(delta) for delta in completion]
        calls = any("tool_calls" in delta for delta in completion)
        if self._finish:
            events.append(self._event({}, "tool_calls" if calls else self._finish))
        return StreamingResponse(iter([*events, "data: [DONE]\n\n"]), media_type="text/event-stream")

    @staticmethod
    def _event(delta: Delta, finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n"


AskProvider = Callable[..., Heard]


@pytest.fixture
def ask_provider(monkeypatch: pytest.MonkeyPatch, ask: Ask, serve: Serve) -> AskProvider:
    """Asks the real Paperdesk with a provider of the test's own behind it."""

    def asked(provider: Provider, question: str = "What do the papers say?") -> Heard:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider.app)}/v1")
        return ask(question)

    return asked


@pytest.fixture
def provider() -> type[Provider]:
    """The class of the providers that say what a test wants."""
    return Provider


@pytest.fixture
def hear() -> Callable[[Iterable[str]], Heard]:
    """Takes an answer's lines apart."""
    return Heard.of
