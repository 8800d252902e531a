"""The in-process door, with the real clients of both packages."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import httpx2
import pytest

from tapegate.doors import armed, httpx_door
from tapegate.doors.current import TAPE, Heard, Outside, hearing
from tapegate.errors import NotJudged

URL = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def installed():
    """The door is in; doing it again changes nothing."""
    httpx_door.install()
    httpx_door.install()


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def client(request):
    """Both packages."""
    return request.param


def post(client, asynchronous: bool) -> None:
    """Ask once, in either style."""

    async def later() -> None:
        async with client.AsyncClient(trust_env=False) as session:
            await session.post(f"{URL}/chat", content=b"{}")

    if asynchronous:
        asyncio.run(later())
    else:
        with client.Client(trust_env=False) as session:
            session.post(f"{URL}/chat", content=b"{}")


@pytest.fixture
def reported():
    """Arms the process for one test, and gives what was reported."""
    addresses: list[str] = []
    armed.arm(addresses.append)
    yield addresses
    armed.disarm()


def test_a_recording_is_played_with_its_chunks(client, tapes):
    """A streamed response has the recorded chunks, status, reason and headers; nothing is opened."""
    chunks = (b"data: \xe2\x82", b"\xac\n", b"\ndata: [DONE]\n\n")
    player = tapes.player(
        tapes.interaction("/chat", b"{}", *chunks, reason="Fine", headers=(("x-id", "1"), ("connection", "close")))
    )
    with (
        hearing(Heard(player, tapes.routes)),
        client.Client() as session,
        session.stream("POST", f"{URL}/chat", content=b"{}") as response,
    ):
        assert tuple(response.iter_raw()) == chunks
    assert (response.status_code, response.reason_phrase, response.http_version) == (200, "Fine", "HTTP/1.1")
    assert dict(response.headers) == {"x-id": "1", "transfer-encoding": "chunked"}
    assert player.account.complete


def test_a_recording_is_played_to_a_task(client, tapes):
    """The same, asynchronously."""
    player = tapes.player(tapes.interaction("/chat", b"{}", b"one", b"two"))

    async def agent() -> list[bytes]:
        async with client.AsyncClient() as session, session.stream("POST", f"{URL}/chat", content=b"{}") as response:
            return [chunk async for chunk in response.aiter_raw()]

    with hearing(Heard(player, tapes.routes)):
        assert asyncio.run(agent()) == [b"one", b"two"]
    assert player.account.complete


def test_a_compressed_recording_is_decoded_by_the_client(client, tapes):
    """Bytes are played as they were recorded; what they encode is the client's to undo."""
    packed = gzip.compress(b'{"text": "unpacked"}', mtime=0)
    headers = (("content-encoding", "gzip"), ("content-type", "application/json"))
    interaction = tapes.interaction("/chat", b"{}", packed[:7], packed[7:], headers=headers)
    with hearing(Heard(tapes.player(interaction), tapes.routes)), client.Client() as session:
        assert session.post(f"{URL}/chat", content=b"{}").json() == {"text": "unpacked"}


def test_a_streamed_request_is_read_to_be_matched(client, tapes):
    """A body that the agent generates is the body it adds up to."""
    player = tapes.player(tapes.interaction("/up", b"abcd", b"1"), tapes.interaction("/up", b"abcd", b"2"))

    async def pieces():
        yield b"ab"
        yield b"cd"

    async def later() -> bytes:
        async with client.AsyncClient() as session:
            return (await session.post(f"{URL}/up", content=pieces())).content

    with hearing(Heard(player, tapes.routes)), client.Client() as session:
        assert session.post(f"{URL}/up", content=iter([b"ab", b"cd"])).content == b"1"
        assert asyncio.run(later()) == b"2"


def test_a_broken_recording_breaks_in_the_client(client, tapes):
    """After the recorded bytes comes the error that the client itself raises for a broken connection."""
    interaction = tapes.interaction("/chat", b"{}", b"half", ended="error")
    with (
        hearing(Heard(tapes.player(interaction, interaction), tapes.routes)),
        client.Client() as session,
        session.stream("POST", f"{URL}/chat", content=b"{}") as response,
    ):
        reading = response.iter_raw()
        assert next(reading) == b"half"
        with pytest.raises(client.RemoteProtocolError, match="incomplete chunked read"):
            next(reading)


def test_recorded_time_is_kept_on_request(client, tapes):
    """With `pace: recorded` no chunk comes before its time, in a thread or in a task."""
    interaction = tapes.interaction("/chat", b"{}", b"a", b"b", every_us=40_000)
    heard = Heard(tapes.player(interaction, interaction), tapes.routes, pace="recorded")

    async def later() -> float:
        async with client.AsyncClient() as session:
            start = asyncio.get_running_loop().time()
            await session.post(f"{URL}/chat", content=b"{}")
            return asyncio.get_running_loop().time() - start

    with hearing(heard), client.Client() as session:
        assert session.post(f"{URL}/chat", content=b"{}").elapsed.total_seconds() >= 0.08
        assert asyncio.run(later()) >= 0.08


def test_a_miss_is_an_answer(client, tapes):
    """What no recording answers is the same 424 as at the gateway, and one miss."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)), client.Client() as session:
        response = session.post(f"{URL}/chat", content=b"{}")
    assert (response.status_code, response.headers["x-should-retry"]) == (424, "false")
    assert response.json()["error"]["code"] == "tapegate_miss"
    assert len(player.account.misses) == 1


def test_an_address_that_no_service_has_is_refused_and_accounted(client, tapes):
    """It is the client's own connection error, names the address, and is a network attempt; nothing is sent."""
    player = tapes.player()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/other"
        with (
            hearing(Heard(player, tapes.routes)),
            client.Client() as session,
            pytest.raises(client.ConnectError, match=r"no service in evals/tapegate\.yaml") as raised,
        ):
            session.get(url)
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()
    assert str(raised.value.request.url) == url
    assert [attempt.address for attempt in player.account.network] == [url.split("/")[2]]


def test_an_armed_process_without_a_tape_refuses(client, reported):
    """Sync and async: the client's own connection error, reported with host and port."""

    async def later() -> None:
        async with client.AsyncClient() as session:
            await session.get("http://api.example/x")

    with client.Client() as session, pytest.raises(client.ConnectError, match="no tape is set"):
        session.get("https://api.example/x")
    with pytest.raises(client.ConnectError, match="no tape is set"):
        asyncio.run(later())
    assert reported == ["api.example:443", "api.example:80"]


def test_without_a_tape_and_unarmed_nothing_changes(client, provide):
    """An installed door that is not used lets real traffic through; so does an armed one for the harness."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    url = provide(script).url
    with client.Client(trust_env=False) as session:
        assert session.get(url).content == b"ok"
        token = TAPE.set(Outside.HARNESS)
        armed.arm(pytest.fail)
        try:
            assert session.get(url).content == b"ok"
        finally:
            armed.disarm()
            TAPE.reset(token)


def test_a_websocket_is_refused(client, tapes):
    """The same 501 as at the gateway, on the account."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)), client.Client() as session:
        response = session.get(f"{URL}/realtime", headers={"connection": "Upgrade", "upgrade": "websocket"})
    assert (response.status_code, response.json()["error"]["code"]) == (501, "tapegate_websocket")
    assert [attempt.address for attempt in player.account.network] == ["openai/realtime (a websocket)"]


def test_eight_threads_hear_their_own_tape(client, tapes):
    """One shared client, eight threads, the same forty requests: each gets its own answers (vcrpy mixes them)."""
    players = [
        tapes.player(*(tapes.interaction("/q", b"%d" % turn, b"%d of tape %d" % (turn, number)) for turn in range(40)))
        for number in range(8)
    ]
    together = threading.Barrier(8)
    with client.Client() as session, ThreadPoolExecutor(8) as pool:

        def agent(number: int) -> list[bytes]:
            together.wait()
            with hearing(Heard(players[number], tapes.routes)):
                return [session.post(f"{URL}/q", content=b"%d" % turn).content for turn in range(40)]

        heard = list(pool.map(agent, range(8)))
    assert heard == [[b"%d of tape %d" % (turn, number) for turn in range(40)] for number in range(8)]
    assert all(player.account.complete for player in players)


def test_eight_tasks_hear_their_own_tape(client, tapes):
    """One shared client, eight tasks that take turns: each gets its own answers."""
    players = [
        tapes.player(*(tapes.interaction("/q", b"%d" % turn, b"%d of tape %d" % (turn, number)) for turn in range(40)))
        for number in range(8)
    ]

    async def agent(session, number: int) -> list[bytes]:
        with hearing(Heard(players[number], tapes.routes)):
            answers = []
            for turn in range(40):
                answers.append((await session.post(f"{URL}/q", content=b"%d" % turn)).content)
                await asyncio.sleep(0)
            return answers

    async def all_at_once() -> list[list[bytes]]:
        async with client.AsyncClient() as session:
            return await asyncio.gather(*(agent(session, number) for number in range(8)))

    heard = asyncio.run(all_at_once())
    assert heard == [[b"%d of tape %d" % (turn, number) for turn in range(40)] for number in range(8)]
    assert all(player.account.complete for player in players)


def test_recording_passes_each_chunk_on_as_it_comes(client, tapes, provide, patience):
    """The provider holds the second chunk back until the agent has the first; keys never reach the agent's request."""
    first = threading.Event()
    in_time: list[bool] = []

    def script(call):
        call.send(b"HTTP/1.1 200 Fine\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"one")
        in_time.append(first.wait(patience))
        call.chunk(b"two")
        call.send(b"0\r\n\r\n")

    provider = provide(script)
    recorder, routes = tapes.recorder(provider.url + "/v9")
    chunks = []
    with (
        hearing(Heard(recorder, routes, {"openai": {"REDACTED_KEY": "sk-real"}})),
        client.Client(trust_env=False, headers={"authorization": "Bearer REDACTED_KEY"}) as session,
        session.stream("POST", f"{URL}/chat?key=REDACTED_KEY", content=b"{}") as response,
    ):
        for chunk in response.iter_raw():
            chunks.append(chunk)
            first.set()
    (interaction,) = recorder.interactions()
    assert (chunks, in_time) == ([b"one", b"two"], [True])
    assert interaction.chunks.cut(interaction.response.body) == chunks
    assert (interaction.chunks.ended, interaction.response.reason) == ("eof", "Fine")
    assert interaction.request.uri == f"{URL}/chat?key=REDACTED_KEY"
    (call,) = provider.calls
    assert call.line == "POST /v9/chat?key=sk-real HTTP/1.1"
    assert (call.headers["authorization"], call.headers["accept-encoding"]) == ("Bearer sk-real", "identity")
    assert response.request.headers["authorization"] == "Bearer REDACTED_KEY"
    assert "sk-real" not in repr(interaction)


def test_recording_a_task_passes_each_chunk_on_as_it_comes(client, tapes, provide, patience):
    """The same, asynchronously."""
    first = threading.Event()
    in_time: list[bool] = []

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"one")
        in_time.append(first.wait(patience))
        call.chunk(b"two")
        call.send(b"0\r\n\r\n")

    recorder, routes = tapes.recorder(provide(script).url)

    async def agent() -> list[bytes]:
        chunks = []
        async with (
            client.AsyncClient(trust_env=False) as session,
            session.stream("POST", f"{URL}/chat", content=b"{}") as response,
        ):
            async for chunk in response.aiter_raw():
                chunks.append(chunk)
                first.set()
        return chunks

    with hearing(Heard(recorder, routes)):
        assert asyncio.run(agent()) == [b"one", b"two"]
    assert in_time == [True]
    assert recorder.interactions()[0].chunks.ended == "eof"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_agent_that_stops_reading_is_recorded_as_that(client, tapes, provide, asynchronous):
    """Left before the end, the take says `client_closed` and holds what was read."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"data: [DONE]\n\n")

    recorder, routes = tapes.recorder(provide(script).url)

    async def later() -> None:
        async with (
            client.AsyncClient(trust_env=False) as session,
            session.stream("POST", f"{URL}/chat", content=b"{}") as response,
        ):
            async for _ in response.aiter_raw():
                break

    with hearing(Heard(recorder, routes)):
        if asynchronous:
            asyncio.run(later())
        else:
            with (
                client.Client(trust_env=False) as session,
                session.stream("POST", f"{URL}/chat", content=b"{}") as response,
            ):
                next(response.iter_raw())
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"data: [DONE]\n\n", "client_closed")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_agent_that_never_reads_is_recorded_as_that(client, tapes, provide, asynchronous):
    """A response that is closed unread has its end too."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")

    recorder, routes = tapes.recorder(provide(script).url)

    async def later() -> None:
        async with client.AsyncClient(trust_env=False) as session, session.stream("POST", f"{URL}/chat"):
            pass

    with hearing(Heard(recorder, routes)):
        if asynchronous:
            asyncio.run(later())
        else:
            with client.Client(trust_env=False) as session, session.stream("POST", f"{URL}/chat"):
                pass
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"", "client_closed")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_provider_that_breaks_off_is_recorded_as_that(client, tapes, provide, asynchronous):
    """The agent gets the client's own error, the take says `error`."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"half")
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)

    with hearing(Heard(recorder, routes)), pytest.raises(client.RemoteProtocolError):
        post(client, asynchronous)
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"half", "error")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_unreachable_provider_spoils_the_recording(client, tapes, asynchronous):
    """The agent sees the real error; nothing of the recording may be written."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    recorder, routes = tapes.recorder(f"http://127.0.0.1:{port}")

    with hearing(Heard(recorder, routes)), pytest.raises(client.ConnectError):
        post(client, asynchronous)
    with pytest.raises(NotJudged, match="gave no answer"):
        recorder.interactions()


def test_an_armed_process_pays_for_no_certificates(client, reported, monkeypatch):
    """Clients built while armed share one SSL context, which trusts nobody; a given context or path is respected."""
    monkeypatch.setattr("ssl.SSLContext.load_verify_locations", lambda *args: pytest.fail("39 ms for nothing"))
    contexts = {id(client.HTTPTransport()._pool._ssl_context) for _ in range(3)}
    shared = client.HTTPTransport()._pool._ssl_context
    assert contexts == {id(shared)}
    assert shared.get_ca_certs() == []
    mine = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    assert client.HTTPTransport(verify=mine)._pool._ssl_context is mine


def test_an_unarmed_process_verifies_certificates(client):
    """The door weakens nothing where real traffic flows."""
    context = client.HTTPTransport()._pool._ssl_context
    assert context.verify_mode.name == "CERT_REQUIRED"
    assert context.cert_store_stats()["x509"] > 0


IMPORTS = """
import sys
from tapegate.doors import armed, httpx_door

httpx_door.install()
reported = []
armed.arm(reported.append)
assert not [name for name in ("httpx", "httpx2") if name in sys.modules], "installing imported a client"
IMPORT
import httpx
for client in (httpx, ALSO):
    try:
        client.get("http://127.0.0.1:9/")
    except client.ConnectError as error:
        assert "no tape is set" in str(error), error
assert reported == ["127.0.0.1:9"] * 2, reported
"""


@pytest.mark.parametrize(
    ("imports", "also"),
    [("", "httpx"), ("import httpx2", "httpx2"), ("import httpx2; httpx2.alias_httpx()", "httpx2")],
)
def test_a_client_is_met_when_it_is_imported(imports, also):
    """Installing imports no client, so that `alias_httpx()` still may; whichever is imported later goes through it."""
    program = IMPORTS.replace("IMPORT", imports).replace("ALSO", also)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
