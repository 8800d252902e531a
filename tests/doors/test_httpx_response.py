"""A response whose body is at hand is, to every reader, the response that a connection would have given."""

from __future__ import annotations

import asyncio
import gzip
import pickle
from types import SimpleNamespace

import httpx
import httpx2
import pytest

from tapegate.doors import httpx_door
from tapegate.doors.current import Heard, hearing
from tapegate.doors.httpx_response import at_hand

URL = "https://api.openai.com/v1/chat"
BODY = b'{"text": "all of it"}'


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def client(request):
    """Both packages, the door in them."""
    httpx_door.install()
    return request.param


@pytest.fixture
def ask(client, tapes):
    """Ask once, for a body in one piece; `stream` leaves it unread."""

    def ask(stream: bool = False):
        player = tapes.player(tapes.interaction("/chat", b"{}", BODY, headers=(("content-type", "application/json"),)))
        with hearing(Heard(player, tapes.routes)), client.Client(trust_env=False) as session:
            return session.send(session.build_request("POST", URL, content=b"{}"), stream=stream)

    return ask


def test_what_was_read_is_whole_closed_and_counted(ask, client):
    """Body, text, JSON, length, time and state are those of a response that was read from a connection."""
    response = ask()
    assert isinstance(response, client.Response)
    assert (response.content, response.text, response.json()) == (BODY, BODY.decode(), {"text": "all of it"})
    assert (response.is_closed, response.is_stream_consumed) == (True, True)
    assert response.num_bytes_downloaded == len(BODY)
    assert response.elapsed.total_seconds() >= 0
    assert response.headers["content-length"] == str(len(BODY))
    with pytest.raises(client.StreamConsumed):
        next(response.iter_raw())


def test_what_is_streamed_comes_from_the_stream(ask, client):
    """Every way to iterate works, once; and reading twice gives the same."""
    assert list(ask(stream=True).iter_raw()) == [BODY]
    assert list(ask(stream=True).iter_raw(8)) == [BODY[:8], BODY[8:16], BODY[16:]]
    assert "".join(ask(stream=True).iter_text()) == BODY.decode()
    assert list(ask(stream=True).iter_lines()) == [BODY.decode()]
    response = ask(stream=True)
    assert response.read() is response.read()
    left = ask(stream=True)
    left.close()
    with pytest.raises(client.StreamClosed):
        left.read()


def test_a_task_reads_the_same(client, tapes):
    """Asynchronously too."""

    async def agent(stream: bool):
        player = tapes.player(tapes.interaction("/chat", b"{}", BODY))
        with hearing(Heard(player, tapes.routes)):
            async with client.AsyncClient(trust_env=False) as session:
                response = await session.send(session.build_request("POST", URL, content=b"{}"), stream=stream)
                return [part async for part in response.aiter_raw()] if stream else response

    read = asyncio.run(agent(stream=False))
    assert (read.content, read.is_closed, read.num_bytes_downloaded) == (BODY, True, len(BODY))
    assert asyncio.run(agent(stream=True)) == [BODY]


def test_it_is_pickled_as_the_clients_own(ask, client):
    """What a cache stores of it is a plain response, and no class of ours."""
    again = pickle.loads(pickle.dumps(ask()))
    assert type(again) is client.Response
    assert (again.content, again.status_code, again.headers["content-type"]) == (BODY, 200, "application/json")
    assert not hasattr(again, "body")


def test_a_package_that_keeps_bodies_otherwise_is_left_alone():
    """A later version whose responses hold their body in another place is read the long way."""

    class Response:
        def __init__(self, status: int, content: bytes) -> None:
            self._data = content

    assert at_hand(SimpleNamespace(Response=Response)) is None


def test_an_encoded_body_is_the_clients_to_decode(client, tapes):
    """In one piece too: only a body in no encoding is at hand."""
    packed = gzip.compress(BODY, mtime=0)
    player = tapes.player(tapes.interaction("/chat", b"{}", packed, headers=(("Content-Encoding", "gzip"),)))
    with hearing(Heard(player, tapes.routes)), client.Client(trust_env=False) as session:
        response = session.post(URL, content=b"{}")
    assert (response.content, response.num_bytes_downloaded) == (BODY, len(packed))


def test_a_websocket_is_no_recorded_get(client, tapes):
    """An upgrade is refused, though the same path was recorded as a plain request."""
    player = tapes.player(tapes.interaction("/chat", b"", BODY, method="GET"))
    upgrade = {"connection": "Upgrade", "upgrade": "websocket"}
    with hearing(Heard(player, tapes.routes)), client.Client(trust_env=False) as session:
        assert session.get(URL, headers=upgrade).status_code == 501
        assert session.get(URL).content == BODY
    assert [one.address for one in player.account.network] == ["openai/chat (a websocket)"]
