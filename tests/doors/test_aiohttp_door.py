"""The in-process door of aiohttp, with the real client."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import threading

import aiohttp
import pytest

from tapegate.doors import aiohttp_door, armed
from tapegate.doors.current import TAPE, Heard, Outside, hearing
from tapegate.errors import NotJudged
from tapegate.tape.routes import Route, Routes

URL = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def installed():
    """The door is in; doing it again changes nothing."""
    aiohttp_door.install()
    aiohttp_door.install()


@pytest.fixture
def reported():
    """Arms the process for one test, and gives what was reported."""
    addresses: list[str] = []
    armed.arm(addresses.append)
    yield addresses
    armed.disarm()


async def post(url=f"{URL}/chat", session=None, **more):
    """Ask once; gives status, reason, headers in lower case, and body."""
    if session is None:
        async with aiohttp.ClientSession() as one:
            return await post(url, one, **more)
    async with session.post(url, **({"data": b"{}"} | more)) as response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return response.status, response.reason, headers, await response.read()


def test_a_recording_is_played_with_its_chunks(tapes):
    """A streamed response has the recorded chunks, status, reason and headers; nothing is opened."""
    chunks = (b"data: \xe2\x82", b"\xac\n", b"\ndata: [DONE]\n\n")
    interaction = tapes.interaction(
        "/chat", b"{}", *chunks, reason="Fine", headers=(("x-id", "1"), ("connection", "close"))
    )
    player = tapes.player(interaction, interaction)

    async def agent():
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{URL}/chat", data=b"{}") as response:
                exact = [chunk async for chunk, _ in response.content.iter_chunks() if chunk]
            async with session.post(f"{URL}/chat", data=b"{}") as response:
                return response, exact, [chunk async for chunk in response.content.iter_any()]

    with hearing(Heard(player, tapes.routes)):
        response, exact, as_they_come = asyncio.run(agent())
    assert tuple(exact) == tuple(as_they_come) == chunks
    assert (response.status, response.reason) == (200, "Fine")
    assert {name.lower(): value for name, value in response.headers.items()} == {
        "x-id": "1",
        "transfer-encoding": "chunked",
    }
    assert player.account.complete


def test_a_compressed_recording_is_decoded_by_the_client(tapes):
    """Bytes are played as they were recorded; what they encode is the client's to undo."""
    packed = gzip.compress(b'{"text": "unpacked"}', mtime=0)
    headers = (("content-encoding", "gzip"), ("content-type", "application/json"))
    interaction = tapes.interaction("/chat", b"{}", packed[:7], packed[7:], headers=headers)
    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        assert asyncio.run(post())[3] == b'{"text": "unpacked"}'


def test_a_streamed_request_is_read_to_be_matched(tapes):
    """A body that the agent generates is the body it adds up to."""
    player = tapes.player(tapes.interaction("/chat", b"abcd", b"1"))

    async def pieces():
        yield b"ab"
        yield b"cd"

    with hearing(Heard(player, tapes.routes)):
        assert asyncio.run(post(data=pieces()))[3] == b"1"


def test_a_large_answer_waits_for_a_slow_reader(tapes):
    """The client stops reading and goes on, as on a real connection; every byte comes, in order."""
    chunks = tuple(b"%06d" % number * 5000 for number in range(60))
    player = tapes.player(tapes.interaction("/chat", b"{}", *chunks))

    async def agent():
        body = b""
        async with aiohttp.ClientSession() as session, session.post(f"{URL}/chat", data=b"{}") as response:
            async for chunk in response.content.iter_chunked(40_000):
                body += chunk
                await asyncio.sleep(0)
        return body

    with hearing(Heard(player, tapes.routes)):
        assert asyncio.run(agent()) == b"".join(chunks)


def test_a_broken_recording_breaks_in_the_client(tapes):
    """After the recorded bytes comes the error that the client itself raises for a broken connection."""
    interaction = tapes.interaction("/chat", b"{}", b"half", ended="error")

    async def agent():
        async with aiohttp.ClientSession() as session, session.post(f"{URL}/chat", data=b"{}") as response:
            assert await response.content.readany() == b"half"
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.content.readany()

    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        asyncio.run(agent())


def test_recorded_time_is_kept_on_request(tapes):
    """With `pace: recorded` no chunk comes before its time; a client that waits less times out."""
    interaction = tapes.interaction("/chat", b"{}", b"a", b"b", every_us=40_000)
    heard = Heard(tapes.player(interaction, interaction), tapes.routes, pace="recorded")

    async def agent():
        loop = asyncio.get_running_loop()
        start = loop.time()
        assert (await post())[3] == b"ab"
        took = loop.time() - start
        with pytest.raises(asyncio.TimeoutError):
            await post(timeout=aiohttp.ClientTimeout(total=0.02))
        return took

    with hearing(heard):
        assert asyncio.run(agent()) >= 0.08


def test_a_miss_is_an_answer(tapes):
    """What no recording answers is the same 424 as at the gateway, and one miss."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)):
        status, _, headers, body = asyncio.run(post())
    assert (status, headers["x-should-retry"]) == (424, "false")
    assert json.loads(body)["error"]["code"] == "tapegate_miss"
    assert len(player.account.misses) == 1


def test_an_address_that_no_service_has_is_refused_and_accounted(tapes):
    """It is the client's own connection error, names the address, and is a network attempt; nothing is sent."""
    player = tapes.player()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with (
            hearing(Heard(player, tapes.routes)),
            pytest.raises(aiohttp.ClientConnectorError, match=r"no service in evals/tapegate\.yaml"),
        ):
            asyncio.run(post(f"http://{address}/other"))
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()
    assert [attempt.address for attempt in player.account.network] == [address]


def test_a_connector_of_its_own_kind_is_refused_and_accounted(tapes):
    """A connector that opens connections in its own way has no door: what it opened would be real."""

    class Own(aiohttp.TCPConnector):
        async def _create_connection(self, req, traces, timeout):
            pytest.fail("a connection was opened")

    async def agent():
        async with aiohttp.ClientSession(connector=Own()) as session:
            await post(session=session)

    player = tapes.player()
    with hearing(Heard(player, tapes.routes)), pytest.raises(aiohttp.ClientConnectorError, match="use the gateway"):
        asyncio.run(agent())
    assert [attempt.address for attempt in player.account.network] == ["api.openai.com:443"]


def test_an_armed_process_without_a_tape_refuses(reported):
    """The client's own connection error, reported with host and port."""
    for url in ("https://api.example/x", "http://api.example/x"):
        with pytest.raises(aiohttp.ClientConnectorError, match="no tape is set"):
            asyncio.run(post(url))
    assert reported == ["api.example:443", "api.example:80"]


def test_without_a_tape_and_unarmed_nothing_changes(provide):
    """An installed door that is not used lets real traffic through; so does an armed one for the harness."""
    url = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")).url
    assert asyncio.run(post(url))[3] == b"ok"
    token = TAPE.set(Outside.HARNESS)
    armed.arm(pytest.fail)
    try:
        assert asyncio.run(post(url))[3] == b"ok"
    finally:
        armed.disarm()
        TAPE.reset(token)


def test_a_kept_connection_is_not_taken_for_another_tape(tapes, provide):
    """One session, asked under no tape, under one, under another, and under none again."""
    provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlive"))
    tapes.routes = Routes({"openai": Route("openai", provider.url, provider.url)})
    first = tapes.player(tapes.interaction("/q", b"{}", b"first"))
    second = tapes.player(tapes.interaction("/q", b"{}", b"second"))

    async def agent():
        url = f"{provider.url}/q"
        async with aiohttp.ClientSession() as session:
            bodies = [(await post(url, session))[3]]
            with hearing(Heard(first, tapes.routes)):
                bodies.append((await post(url, session))[3])
            with hearing(Heard(second, tapes.routes)):
                bodies.append((await post(url, session))[3])
            return [*bodies, (await post(url, session))[3]]

    assert asyncio.run(agent()) == [b"live", b"first", b"second", b"live"]
    assert len(provider.calls) == 2


def test_a_websocket_is_refused(tapes):
    """The same 501 as at the gateway, on the account."""
    player = tapes.player()

    async def agent():
        async with aiohttp.ClientSession() as session:
            await session.ws_connect(f"{URL}/realtime")

    with hearing(Heard(player, tapes.routes)), pytest.raises(aiohttp.WSServerHandshakeError, match="501"):
        asyncio.run(agent())
    assert [attempt.address for attempt in player.account.network] == ["openai/realtime (a websocket)"]


@pytest.mark.parametrize("ended", ["eof", "error"])
@pytest.mark.parametrize("chunks", [(), (b"whole",), (b"one", b"two")])
@pytest.mark.parametrize("status", [200, 204, 500])
def test_what_the_client_hears_is_what_it_hears_at_the_gateway(tapes, gateway, ended, chunks, status):
    """Status, reason, headers and body, or the client's error, do not tell which door an answer came through."""
    interaction = tapes.interaction("/x", b"{}", *chunks, status=status, headers=(("x-a", "1"),), ended=ended)

    def outcome(url):
        try:
            return asyncio.run(post(url))
        except aiohttp.ClientError as error:
            return type(error)

    outside = outcome(gateway.open(tapes.player(interaction), tapes.routes).url("openai") + "/x")
    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        inside = outcome(f"{URL}/x")
    if isinstance(outside, tuple):
        outside[2].pop("connection", None)  # the gateway's connection breaks, and says so where it can
        inside[2].pop("connection", None)
    assert inside == outside


def test_what_the_client_asks_is_what_it_asks_at_the_gateway(tapes, gateway):
    """Service, method, path, body and headers do not tell which door a request came through."""
    asked = []
    player = tapes.player()
    player.play = lambda request: (asked.append(request), tapes.player().play(request))[1]
    asyncio.run(post(gateway.open(player, tapes.routes).url("openai") + "/a%2Fb?v=1%202", headers={"x-mine": "ü"}))
    with hearing(Heard(player, tapes.routes)):
        asyncio.run(post(f"{URL}/a%2Fb?v=1%202", headers={"x-mine": "ü"}))
    outside, inside = asked
    assert (outside.service, outside.method, outside.path, outside.body) == (
        inside.service,
        inside.method,
        inside.path,
        inside.body,
    )
    assert [pair for pair in outside.headers if pair[0].lower() != "host"] == [
        pair for pair in inside.headers if pair[0].lower() != "host"
    ]


def test_eight_tasks_hear_their_own_tape(tapes):
    """One shared session, eight tasks that take turns: each gets its own answers."""
    players = [
        tapes.player(*(tapes.interaction("/q", b"%d" % turn, b"%d of tape %d" % (turn, number)) for turn in range(40)))
        for number in range(8)
    ]

    async def agent(session, number):
        with hearing(Heard(players[number], tapes.routes)):
            return [(await post(f"{URL}/q", session, data=b"%d" % turn))[3] for turn in range(40)]

    async def all_at_once():
        async with aiohttp.ClientSession() as session:
            return await asyncio.gather(*(agent(session, number) for number in range(8)))

    heard = asyncio.run(all_at_once())
    assert heard == [[b"%d of tape %d" % (turn, number) for turn in range(40)] for number in range(8)]
    assert all(player.account.complete for player in players)


def test_recording_passes_each_chunk_on_as_it_comes(tapes, provide, patience):
    """The second chunk leaves the provider when the agent has the first; keys never reach the agent's request."""
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

    async def agent():
        chunks = []
        async with (
            aiohttp.ClientSession(headers={"authorization": "Bearer REDACTED_KEY"}) as session,
            session.post(f"{URL}/chat?key=REDACTED_KEY", data=b"{}") as response,
        ):
            async for chunk in response.content.iter_any():
                chunks.append(chunk)
                first.set()
        return chunks

    with hearing(Heard(recorder, routes, {"openai": {"REDACTED_KEY": "sk-real"}})):
        chunks = asyncio.run(agent())
    (interaction,) = recorder.interactions()
    assert (chunks, in_time) == ([b"one", b"two"], [True])
    assert interaction.chunks.cut(interaction.response.body) == chunks
    assert (interaction.chunks.ended, interaction.response.reason) == ("eof", "Fine")
    assert interaction.request.uri == f"{URL}/chat?key=REDACTED_KEY"
    (call,) = provider.calls
    assert call.line == "POST /v9/chat?key=sk-real HTTP/1.1"
    assert (call.headers["authorization"], call.headers["accept-encoding"]) == ("Bearer sk-real", "identity")
    assert "sk-real" not in repr(interaction)


def test_an_agent_that_stops_reading_is_recorded_as_that(tapes, provide, patience):
    """Left before the end, the take says `client_closed` and holds what was read."""
    gone = threading.Event()

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"data: [DONE]\n\n")
        gone.wait(patience)

    recorder, routes = tapes.recorder(provide(script).url)

    async def agent():
        async with aiohttp.ClientSession() as session, session.post(f"{URL}/chat", data=b"{}") as response:
            await response.content.readany()

    with hearing(Heard(recorder, routes)):
        asyncio.run(agent())
    gone.set()
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"data: [DONE]\n\n", "client_closed")


def test_an_unreachable_provider_spoils_the_recording(tapes):
    """The agent gets the gateway's own 502; nothing of the recording may be written."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    recorder, routes = tapes.recorder(f"http://127.0.0.1:{port}")
    with hearing(Heard(recorder, routes)):
        assert asyncio.run(post())[0] == 502
    with pytest.raises(NotJudged, match="could not be reached"):
        recorder.interactions()


IMPORTS = """
import asyncio, sys
from tapegate.doors import aiohttp_door, armed

aiohttp_door.install()
reported = []
armed.arm(reported.append)
assert "aiohttp" not in sys.modules, "installing imported a client"
import aiohttp

async def agent():
    async with aiohttp.ClientSession() as session:
        await session.get("http://127.0.0.1:9/")

try:
    asyncio.run(agent())
except aiohttp.ClientConnectorError as error:
    assert "no tape is set" in str(error), error
else:
    raise AssertionError("it passed")
assert reported == ["127.0.0.1:9"], reported
"""


def test_a_client_is_met_when_it_is_imported():
    """Installing imports no client; one that is imported later goes through the door."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
