"""Recording through the gateway: nothing waits, nothing is lost, every way to end is told apart."""

from __future__ import annotations

import socket
import threading

import pytest

from tapegate.errors import NotJudged
from tapegate.tape.ledger import Ledger
from tapegate.tape.wire import Asked

CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def test_the_first_byte_arrives_before_the_second_leaves(gateway, tapes, dial, provide, patience):
    """The provider holds each chunk back until the client has the one before."""
    received = [threading.Event() for _ in range(4)]
    in_time: list[bool] = []

    def script(call):
        call.send(CHUNKED)
        for place in range(4):
            call.chunk(b"chunk %d" % place)
            in_time.append(received[place].wait(patience))
        call.send(b"0\r\n\r\n")

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    client.head()
    for place, chunk in enumerate(client.http_chunks()):
        assert chunk == b"chunk %d" % place
        received[place].set()
    lane.close()
    (interaction,) = recorder.interactions()
    assert in_time == [True] * 4
    assert interaction.chunks.cut(interaction.response.body) == [b"chunk 0", b"chunk 1", b"chunk 2", b"chunk 3"]
    assert interaction.chunks.ended == "eof"
    assert list(interaction.chunks.at_us) == sorted(interaction.chunks.at_us)


def test_a_request_is_recorded_as_the_agent_sent_it(gateway, tapes, dial, provide):
    """The cassette names the declared address; it holds the agent's own request and the provider's whole answer."""

    def script(call):
        call.send(
            b"HTTP/1.1 201 Made\r\nx-request-id: r1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n"
            b"content-length: 2\r\n\r\nok"
        )

    recorder, routes = tapes.recorder(provide(script).url + "/v1")
    lane = gateway.open(recorder, routes)
    status, headers, body = (
        dial(gateway).ask(lane, "/openai/chat?x=%20y", b'{"a": 1}', more="x-agent: me\r\n").response()
    )
    lane.close()
    (interaction,) = recorder.interactions()
    assert (status, headers["x-request-id"], headers["content-length"], body) == (201, "r1", "2", b"ok")
    assert (interaction.service, interaction.request.method) == ("openai", "POST")
    assert interaction.request.uri == "https://api.openai.com/v1/chat?x=%20y"
    assert interaction.request.body == b'{"a": 1}'
    assert interaction.request.headers["x-agent"] == ("me",)
    assert (interaction.response.status, interaction.response.reason) == (201, "Made")
    assert interaction.response.headers["set-cookie"] == ("a=1", "b=2")
    assert interaction.response.body == b"ok"


def test_the_provider_sees_real_keys_and_no_trace_of_the_gateway(gateway, tapes, dial, provide):
    """Marks become keys in headers and query; host, connection headers and encoding are the gateway's own."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

    provider = provide(script)
    recorder, routes = tapes.recorder(provider.url + "/v1")
    lane = gateway.open(recorder, routes, {"openai": {"REDACTED_KEY": "sk-real/1", "REDACTED_KEY_2": "sk-other"}})
    dial(gateway).ask(
        lane,
        "/openai/chat?key=REDACTED_KEY&next=1",
        b'{"text": "REDACTED_KEY"}',
        more="authorization: Bearer REDACTED_KEY\r\nx-api-key: REDACTED_KEY_2\r\nx-none: REDACTED_KEYS\r\n"
        "accept-encoding: gzip, br\r\nconnection: keep-alive, x-hop\r\nx-hop: 1\r\nte: trailers\r\n",
    ).response()
    lane.close()
    (call,) = provider.calls
    assert call.line == "POST /v1/chat?key=sk-real%2F1&next=1 HTTP/1.1"
    assert call.body == b'{"text": "REDACTED_KEY"}'
    assert call.head.lower().count("accept-encoding") == 1
    assert call.headers == {
        "host": f"127.0.0.1:{provider.port}",
        "authorization": "Bearer sk-real/1",
        "x-api-key": "sk-other",
        "x-none": "REDACTED_KEYS",
        "accept-encoding": "identity",
        "content-length": "24",
    }
    (interaction,) = recorder.interactions()
    assert "sk-real" not in repr(interaction)
    assert interaction.request.headers["authorization"] == ("Bearer REDACTED_KEY",)


def test_cookies_stay_in_their_lane(gateway, tapes, dial, provide):
    """What a provider sets in one trial is not sent to it in the next."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\nset-cookie: trial=1; Path=/\r\ncontent-length: 0\r\n\r\n")

    provider = provide(script)
    for _ in range(2):
        recorder, routes = tapes.recorder(provider.url)
        dial(gateway).ask(gateway.open(recorder, routes), "/openai/chat").response()
    assert ["cookie" in call.headers for call in provider.calls] == [False, False]


def test_a_redirect_is_the_agents_to_follow(gateway, tapes, dial, provide):
    """The gateway passes a redirect on and goes nowhere itself."""

    def script(call):
        call.send(b"HTTP/1.1 307 Away\r\nlocation: http://127.0.0.1:9/elsewhere\r\ncontent-length: 0\r\n\r\n")

    provider = provide(script)
    recorder, routes = tapes.recorder(provider.url)
    status, headers, _ = dial(gateway).ask(gateway.open(recorder, routes), "/openai/chat").response()
    assert (status, headers["location"], len(provider.calls)) == (307, "http://127.0.0.1:9/elsewhere", 1)


def test_proxy_variables_do_not_turn_a_recording_away(gateway, tapes, dial, provide, monkeypatch):
    """The harness's own environment has no part in where a request goes."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    recorder, routes = tapes.recorder(provide(script).url)
    assert dial(gateway).ask(gateway.open(recorder, routes), "/openai/chat").response()[2] == b"ok"


def test_a_client_that_leaves_is_recorded_as_that(gateway, tapes, dial, provide, patience):
    """The client closes after the second chunk: the recording holds two, and says who ended it."""
    left = threading.Event()

    def script(call):
        call.send(CHUNKED)
        call.chunk(b"one")
        call.chunk(b"two")
        left.wait(patience)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    client.until(b"3\r\ntwo\r\n")
    client.close()
    lane.close()
    left.set()
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"onetwo", "client_closed")


def test_a_client_that_leaves_lets_the_provider_go(gateway, tapes, dial, provide, patience):
    """Once the client is gone, the connection to the provider is closed too: nothing is generated for nobody."""
    hung_up = threading.Event()

    def script(call):
        call.send(CHUNKED)
        call.chunk(b"one")
        call.socket.settimeout(patience)
        if call.socket.recv(1) == b"":
            hung_up.set()

    recorder, routes = tapes.recorder(provide(script).url)
    client = dial(gateway).ask(gateway.open(recorder, routes), "/openai/chat")
    client.until(b"3\r\none\r\n")
    client.close()
    assert hung_up.wait(patience)


def test_a_provider_that_breaks_off_breaks_off_for_the_client(gateway, tapes, dial, provide):
    """The client gets what came and a broken connection; the recording says `error`."""

    def script(call):
        call.send(CHUNKED)
        call.chunk(b"one")
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    client.head()
    assert client.rest() == b"3\r\none\r\n"
    lane.close()
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"one", "error")


def test_a_short_body_breaks_off_too(gateway, tapes, dial, provide):
    """Fewer bytes than announced are an error, for the client as for the recording."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort")
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    assert client.head()[1]["content-length"] == "10"
    assert client.rest() == b"short"
    lane.close()
    assert recorder.interactions()[0].chunks.ended == "error"


def test_a_body_that_ends_with_its_connection_is_whole(gateway, tapes, dial, provide):
    """A provider of HTTP/1.0 ends a body by closing: the client gets chunks and a proper end."""

    def script(call):
        call.send(b"HTTP/1.0 200 OK\r\n\r\nall of it")
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    assert dial(gateway).ask(lane, "/openai/chat").response()[2] == b"all of it"
    lane.close()
    assert recorder.interactions()[0].chunks.ended == "eof"


def test_an_unreachable_provider_spoils_the_recording(gateway, tapes, dial):
    """The client hears 502; nothing of the recording may be written."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    recorder, routes = tapes.recorder(f"http://127.0.0.1:{port}")
    lane = gateway.open(recorder, routes)
    status, headers, _ = dial(gateway).ask(lane, "/openai/chat").response()
    lane.close()
    assert (status, headers["x-should-retry"]) == (502, "false")
    with pytest.raises(NotJudged, match="could not be reached"):
        recorder.interactions()


def test_a_client_that_gives_up_before_an_answer_is_recorded_as_that(gateway, tapes, dial, provide, patience):
    """With the time that it waited; in replay it hears nothing again."""
    asked, left = threading.Event(), threading.Event()

    def script(call):
        asked.set()
        left.wait(patience)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    asked.wait(patience)
    client.close()
    lane.close()
    left.set()
    (interaction,) = recorder.interactions()
    assert not interaction.answered
    assert (interaction.chunks.ended, interaction.response.body) == ("client_closed", b"")
    assert interaction.chunks.ended_us > interaction.chunks.started_us
    answer = tapes.player(interaction).play(Asked("openai", "POST", "/chat", (), b"{}"))
    assert answer.lost == "timeout"


def test_closing_a_lane_ends_its_takes(gateway, tapes, dial, provide, patience):
    """When `close` returns, a stream that was under way has its end in the recording."""
    over = threading.Event()

    def script(call):
        call.send(CHUNKED)
        call.chunk(b"one")
        over.wait(patience)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    client.until(b"3\r\none\r\n")
    lane.close()
    (interaction,) = recorder.interactions()
    over.set()
    assert (interaction.response.body, interaction.chunks.ended) == (b"one", "client_closed")
    assert client.rest() == b""


def test_a_large_answer_waits_for_a_slow_client(gateway, tapes, dial, provide):
    """A client that reads late gets every byte of a body larger than all buffers."""
    size = 12_000_000

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size + b"x" * size)

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    status, _, body = dial(gateway).ask(lane, "/openai/chat").response()
    lane.close()
    assert (status, len(body), len(recorder.interactions()[0].response.body)) == (200, size, size)


def test_a_recorded_connection_is_kept_for_the_next_request(gateway, tapes, dial, provide):
    """Requests sent ahead while recording are forwarded one after the other."""

    def script(call):
        call.send(CHUNKED)
        call.chunk(b"to " + call.line.encode())
        call.send(b"0\r\n\r\n")

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    client = dial(gateway)
    for number in range(3):
        client.ask(lane, f"/openai/{number}")
    assert [client.response()[2] for _ in range(3)] == [b"to POST /%d HTTP/1.1" % number for number in range(3)]
    lane.close()
    assert len(recorder.interactions()) == 3


def test_an_undeclared_service_spoils_the_recording(gateway, tapes, dial, provide):
    """A service nobody declared cannot be part of a recording."""
    recorder, routes = tapes.recorder("http://127.0.0.1:9", ledger=(ledger := Ledger()))
    lane = gateway.open(recorder, routes)
    assert dial(gateway).ask(lane, "/vectors/query").response()[0] == 404
    assert [attempt.address for attempt in ledger.account((), ()).network] == ["vectors"]
    with pytest.raises(NotJudged, match="vectors"):
        recorder.interactions()


def test_a_websocket_spoils_the_recording(gateway, tapes, dial):
    """What cannot be replayed is not recorded as if it had not been."""
    recorder, routes = tapes.recorder("http://127.0.0.1:9")
    lane = gateway.open(recorder, routes)
    dial(gateway).send(
        f"GET /{lane.id}/openai/realtime HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n".encode()
    ).response()
    with pytest.raises(NotJudged, match="a websocket cannot be recorded"):
        recorder.interactions()


def test_http2_spoils_the_recording(gateway, tapes, dial):
    """An agent that swallows the refusal would be recorded without the call; in replay its recording is unplayed."""
    recorder, routes = tapes.recorder("http://127.0.0.1:9")
    gateway.open(recorder, routes)
    other = gateway.open(tapes.player(tapes.interaction("/chat", b"{}", b"1")), tapes.routes)
    assert dial(gateway).send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").response()[0] == 501
    with pytest.raises(NotJudged, match="HTTP/2 over plain text"):
        recorder.interactions()
    assert other.heard.tape.account.network == ()


def test_what_was_recorded_replays_the_same(gateway, tapes, dial, provide):
    """Chunks, status and headers of a recording come back through the gateway as they went through it."""

    def script(call):
        call.send(CHUNKED.replace(b"200 OK", b"200 Fine"))
        for piece in (b"data: \xe2\x82", b"\xac\r", b"\n\r\n", b"data: [DONE]\n\n"):
            call.chunk(piece)
        call.send(b"0\r\n\r\n")

    recorder, routes = tapes.recorder(provide(script).url)
    lane = gateway.open(recorder, routes)
    live = dial(gateway).ask(lane, "/openai/chat").until(b"0\r\n\r\n")
    lane.close()
    player = tapes.player(*recorder.interactions())
    replayed = dial(gateway).ask(gateway.open(player, tapes.routes), "/openai/chat").until(b"0\r\n\r\n")
    assert replayed == live
