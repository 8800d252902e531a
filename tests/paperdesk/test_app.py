"""The HTTP service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from paperdesk import database
from paperdesk.app import MAX_BODY, create_app
from paperdesk.preference_history import History
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from conftest import Ask, Heard, Serve, Watched


@pytest.fixture
def client(ask: Ask, serve: Serve, library_path: Path, search: Watched) -> Iterator[httpx2.Client]:
    address = serve(create_app(Settings(database=library_path, search_url=search.address)))
    with httpx2.Client(base_url=address, timeout=20) as client:
        yield client


def test_chat(client: httpx2.Client, hear: Callable[[Iterable[str]], Heard]) -> None:
    """A question is answered as a stream of lines, with tools, a citation and a finish."""
    with client.stream(
        "POST", "/api/chat", json={"message": "How much methane does floating clover save in rice?"}
    ) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        answer = hear((b"".join(response.iter_bytes())).decode().splitlines(keepends=True))
    assert answer.frames("data")[0] == {"type": "session", "session_id": "s1"}
    assert "read_paper" in answer.tools
    assert "41 percent" in answer.text
    assert "(/paper/p-rice-09)" in answer.text
    assert answer.finish == {"type": "finish", "reason": "stop", "message_id": 2}


def test_the_session_goes_on(client: httpx2.Client, hear: Callable[[Iterable[str]], Heard]) -> None:
    """A session named in the request is continued; its messages can be read."""
    client.post("/api/chat", json={"message": "What do snails do to kelp ropes?"})
    second = client.post("/api/chat", json={"message": "Hello!", "session_id": "s1"})
    assert hear(second.text.splitlines(keepends=True)).frames("data")[0]["session_id"] == "s1"
    messages = client.get("/api/sessions/s1/messages").json()["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    sessions = client.get("/api/sessions").json()["sessions"]
    assert [(session["id"], session["messages"]) for session in sessions] == [("s1", 4)]


def test_many_at_once(client: httpx2.Client, hear: Callable[[Iterable[str]], Heard]) -> None:
    """Questions that arrive together get a session each, whole answers, and what is kept is what was streamed."""
    questions = ["What do snails do to kelp ropes?", "What tempo is best for drumming?"] * 4

    def ask(question: str) -> Heard:
        response = client.post("/api/chat", json={"message": question})
        return hear(response.text.splitlines(keepends=True))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, questions))
    sessions = [answer.frames("data")[0]["session_id"] for answer in answers]
    assert sorted(sessions) == [f"s{number}" for number in range(1, 9)]
    for question, answer, session in zip(questions, answers, sessions, strict=True):
        asked, said = client.get(f"/api/sessions/{session}/messages").json()["messages"]
        assert (asked["content"], said["content"], said["status"]) == (question, answer.text, "complete")
        assert answer.finish == {"type": "finish", "reason": "stop", "message_id": said["id"]}


def test_preferences_are_synced_in_the_background(ask: Ask, library_path: Path, model: Watched) -> None:
    """Once enough has been said, the turn that reached it is followed by a sync, which no user waits for."""

    async def talk() -> None:
        app = create_app(Settings(database=library_path, sync_after=2))
        transport = httpx2.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://x") as web,
        ):
            for message in ("Hello!", "Hi!"):
                assert "finish" in (await web.post("/api/chat", json={"message": message})).text

    asyncio.run(talk())
    with closing(database.connect(library_path)) as connection:
        assert History(connection).waiting() == 0
        assert "from_history" in database.preferences(connection)
    assert [len(request["messages"]) for request in model.requests] == [2, 2, 2]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 40_000, "not JSON"),
        (b"[]", "no JSON object"),
        (b'"hello"', "no JSON object"),
        (b"{}", "'message' must be a text"),
        (b'{"message": ""}', "'message' must be a text"),
        (b'{"message": "  \\n"}', "'message' must be a text"),
        (b'{"message": 3}', "'message' must be a text"),
        (b'{"message": null}', "'message' must be a text"),
        (b'{"message": "\\ud800"}', "half a character"),
        (json.dumps({"message": "x" * 8001}).encode(), "8001 characters"),
        (b'{"message": "x", "session_id": 3}', "'session_id' must be"),
        (b'{"message": "x", "session_id": ""}', "'session_id' must be"),
        (b'{"message": "x", "session_id": "../x"}', "'session_id' must be"),
        (b'{"message": "x", "session_id": "a\\n"}', "'session_id' must be"),
        (b'{"message": "x", "sesion_id": "s1"}', "'sesion_id'"),
    ],
)
def test_bad_requests(client: httpx2.Client, body: bytes, message: str) -> None:
    """A request that cannot be served is a 400 that says in JSON what is wrong; nothing is kept of it."""
    response = client.post("/api/chat", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400
    assert message in response.json()["error"]["message"]
    assert client.get("/api/sessions").json() == {"sessions": []}


def test_large_requests(client: httpx2.Client) -> None:
    """A body beyond the limit is refused."""
    response = client.post("/api/chat", content=b"x" * (MAX_BODY + 1))
    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")


def test_health(client: httpx2.Client) -> None:
    """The health endpoint answers 200."""
    assert client.get("/api/health").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api/chat", 405),
        ("GET", "/paper/p-x", 404),
        ("GET", "/api/sessions/x/messages", 404),
    ],
)
def test_not_there(client: httpx2.Client, method: str, path: str, status: int) -> None:
    """What is not there is a clean error in JSON."""
    response = client.request(method, path)
    assert response.status_code == status
    assert response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "text/html"), ("/page/chat.mjs", "text/javascript"), ("/page/page.css", "text/css")]
)
def test_the_page(client: httpx2.Client, path: str, kind: str) -> None:
    """The chat page and its files are served as they lie there, and nothing else may run or load in it."""
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith(kind)
    assert "default-src 'none'; script-src 'self'" in response.headers["content-security-policy"]


@pytest.mark.parametrize("name", ["nothing.js", "..%2fapp.py", "%2fetc%2fpasswd", "."])
def test_no_other_file_is_served(client: httpx2.Client, name: str) -> None:
    """Only files of the page are there."""
    assert client.get(f"/page/{name}").status_code == 404


def test_papers(client: httpx2.Client) -> None:
    """The library is listed for the page."""
    papers = client.get("/api/papers").json()["papers"]
    assert len(papers) == 12
    assert set(papers[0]) == {"id", "title", "authors", "year", "topic"}


def test_paper_page(client: httpx2.Client) -> None:
    """A citation leads to the paper, as HTML or JSON, without private note and file path."""
    page = client.get("/paper/p-peat-11")
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>Early Warning of Peat Fires from Buried Probes</h1>" in page.text
    assert "<h2>Findings</h2>" in page.text
    data: dict[str, Any] = client.get("/paper/p-peat-11", headers={"accept": "application/json"}).json()
    assert set(data) == {"id", "title", "authors", "year", "topic", "body"}
    for text in (page.text, str(data)):
        assert "44 hours" in text
        assert "BW-77" not in text
        assert "/Users" not in text


def test_no_library(serve: Serve, library_path: Path) -> None:
    """When the library breaks under a running service, it says so in JSON."""
    address = serve(create_app(Settings(database=library_path)))
    assert httpx2.get(f"{address}/api/health").status_code == 200
    library_path.write_text("no database any more")
    response = httpx2.get(f"{address}/api/sessions")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "library_unavailable")
    assert str(library_path.parent) not in response.text
