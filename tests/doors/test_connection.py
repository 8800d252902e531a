"""HTTP as clients really speak it, at the level of bytes."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from tapegate.doors import connection, request_reader
from tapegate.model.trace import NetworkAttempt


@pytest.fixture
def lane(gateway, tapes):
    """A lane with three different answers to the same request."""
    return gateway.open(
        tapes.player(*(tapes.interaction("/q", b"{}", b"answer %d" % number) for number in (1, 2, 3))), tapes.routes
    )


def test_a_connection_is_kept_for_the_next_request(gateway, lane, dial):
    """Three requests go over one connection."""
    client = dial(gateway)
    assert [client.ask(lane, "/openai/q").response()[2] for _ in range(3)] == [b"answer 1", b"answer 2", b"answer 3"]


def test_a_client_that_wants_to_close_is_closed(gateway, lane, dial):
    """`connection: close` is answered in kind."""
    client = dial(gateway).ask(lane, "/openai/q", more="connection: close\r\n")
    assert client.response()[1]["connection"] == "close"
    assert client.rest() == b""


def test_requests_sent_ahead_are_answered_in_order(gateway, lane, dial):
    """Three requests in one segment get their answers one after the other."""
    client = dial(gateway)
    request = f"POST /{lane.id}/openai/q HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{{}}".encode()
    client.send(request * 3)
    assert [client.response()[2] for _ in range(3)] == [b"answer 1", b"answer 2", b"answer 3"]


def test_requests_sent_ahead_wait_for_a_stream_under_way(gateway, tapes, dial):
    """While one answer is streamed in recorded time, the next does not overtake it."""
    slow = tapes.interaction("/q", b"{}", b"a", b"b", b"c", every_us=5_000)
    lane = gateway.open(tapes.player(slow, tapes.interaction("/q", b"{}", b"next")), tapes.routes, pace="recorded")
    client = dial(gateway)
    request = f"POST /{lane.id}/openai/q HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{{}}".encode()
    client.send(request * 2)
    assert [client.response()[2] for _ in range(2)] == [b"abc", b"next"]


def test_a_request_may_arrive_byte_by_byte(gateway, lane, dial):
    """However the request is cut, it is the same request."""
    client = dial(gateway)
    for byte in f"POST /{lane.id}/openai/q HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{{}}".encode():
        client.send(bytes([byte]))
    assert client.response()[2] == b"answer 1"


def test_a_chunked_request_is_read_whole(gateway, lane, dial):
    """A body in chunks, with a trailer, is the body it adds up to."""
    client = dial(gateway).send(
        f"POST /{lane.id}/openai/q HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        + b"1\r\n{\r\n1\r\n}\r\n0\r\nx-checksum: 1\r\n\r\n"
    )
    assert client.response()[2] == b"answer 1"


def test_a_client_that_asks_first_is_told_to_go_on(gateway, lane, dial):
    """`Expect: 100-continue` gets its 100 before the body is sent."""
    client = dial(gateway).send(
        f"POST /{lane.id}/openai/q HTTP/1.1\r\nhost: g\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n".encode()
    )
    assert client.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert client.send(b"{}").response()[2] == b"answer 1"


def test_an_old_client_gets_a_length_and_the_end(gateway, tapes, dial):
    """HTTP/1.0 knows no chunks: the body has a length and the connection closes."""
    lane = gateway.open(tapes.player(tapes.interaction("/q", b"", b"ab", b"cd", method="GET")), tapes.routes)
    client = dial(gateway).send(f"GET /{lane.id}/openai/q HTTP/1.0\r\nconnection: keep-alive\r\n\r\n".encode())
    status, headers, body = client.response()
    assert (status, headers["content-length"], headers["connection"], body) == (200, "4", "close", b"abcd")
    assert client.rest() == b""


@pytest.mark.parametrize(
    ("method", "status", "length"), [("HEAD", 200, "512"), ("GET", 204, None), ("GET", 304, "512")]
)
def test_an_answer_without_a_body_has_none(gateway, tapes, dial, method, status, length):
    """After HEAD, 204 and 304 the next answer follows at once, whatever length was announced."""
    without = tapes.interaction(
        "/q", b"", method=method, status=status, headers=(("content-length", "512"), ("etag", '"1"'))
    )
    lane = gateway.open(tapes.player(without, tapes.interaction("/q", b"{}", b"next")), tapes.routes)
    client = dial(gateway).ask(lane, "/openai/q", b"", method=method)
    got, headers = client.head()
    assert (got, headers.get("content-length"), headers["etag"]) == (status, length, '"1"')
    assert client.ask(lane, "/openai/q").response()[2] == b"next"


def test_a_recording_that_broke_off_breaks_off(gateway, tapes, dial):
    """All recorded bytes come, then the connection closes without the end of the body."""
    lane = gateway.open(tapes.player(tapes.interaction("/q", b"{}", b"ab", b"cd", ended="error")), tapes.routes)
    client = dial(gateway).ask(lane, "/openai/q")
    client.head()
    assert client.rest() == b"2\r\nab\r\n2\r\ncd\r\n"


def test_recorded_time_is_kept_on_request(gateway, tapes, dial):
    """With `pace: recorded` no chunk comes before its time."""
    lane = gateway.open(
        tapes.player(tapes.interaction("/q", b"{}", b"a", b"b", every_us=60_000)), tapes.routes, pace="recorded"
    )
    start = time.monotonic()
    client = dial(gateway).ask(lane, "/openai/q")
    client.until(b"1\r\na\r\n")
    first = time.monotonic() - start
    client.until(b"1\r\nb\r\n0\r\n\r\n")
    assert first >= 0.06
    assert time.monotonic() - start >= 0.12


def test_an_unknown_service_is_named_and_accounted(gateway, tapes, dial):
    """A service that nobody declared is a 404 that says where to declare it, and is on the account."""
    player = tapes.player()
    lane = gateway.open(player, tapes.routes)
    status, headers, body = dial(gateway).ask(lane, "/vectors/search?q=1").response()
    assert (status, headers["x-should-retry"]) == (404, "false")
    assert "'vectors'" in json.loads(body)["error"]["message"]
    assert player.account.network == (NetworkAttempt("vectors"),)


@pytest.mark.parametrize(
    "target", ["/", "/v1", "/nowhere/openai/q", "*", "http://127.0.0.1:1/nowhere/openai/q", "http://127.0.0.1:1/"]
)
def test_an_unknown_lane_is_said(gateway, dial, target):
    """A target without a lane, or with one that is not open, is a 404 in the shape of a provider's error."""
    method = "OPTIONS" if target == "*" else "GET"
    status, _, body = dial(gateway).send(f"{method} {target} HTTP/1.1\r\nhost: g\r\n\r\n".encode()).response()
    assert (status, json.loads(body)["error"]["code"]) == (404, "tapegate_no_lane")


def test_a_target_with_its_origin_is_the_same_target(gateway, lane, dial):
    """Clients that send the whole URL reach the same lane."""
    target = f"http://127.0.0.1:{gateway.port}/{lane.id}/openai/q"
    client = dial(gateway).send(f"POST {target} HTTP/1.1\r\nhost: g\r\ncontent-length: 2\r\n\r\n{{}}".encode())
    assert client.response()[2] == b"answer 1"


def test_a_miss_is_refused_and_not_to_be_retried(gateway, lane, dial):
    """What no recording answers is a 424 with the explanation in an SDK's error shape."""
    status, headers, body = dial(gateway).ask(lane, "/openai/q", b'{"more": 1}').response()
    assert (status, headers["x-should-retry"], headers["content-type"]) == (424, "false", "application/json")
    assert json.loads(body)["error"]["type"] == "tapegate_miss"
    assert len(lane.heard.tape.account.misses) == 1


def test_a_websocket_is_refused_and_accounted(gateway, lane, dial):
    """A websocket is a 501 that says what to do instead; the replay is not clean with it."""
    client = dial(gateway).send(
        f"GET /{lane.id}/openai/realtime?model=m HTTP/1.1\r\nhost: g\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    status, _, body = client.response()
    assert (status, json.loads(body)["error"]["code"]) == (501, "tapegate_websocket")
    assert client.rest() == b""
    assert lane.heard.tape.account.network == (NetworkAttempt("openai/realtime (a websocket)"),)


def test_http2_over_plain_text_is_refused(gateway, dial):
    """The preface of HTTP/2 is a 501, and the connection closes."""
    client = dial(gateway).send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
    status, _, body = client.response()
    assert (status, json.loads(body)["error"]["code"]) == (501, "tapegate_http2")
    assert client.rest() == b""


def test_an_offer_of_http2_is_passed_over(gateway, lane, dial):
    """A client that offers h2c with its request, as Java's does, gets its answer over HTTP/1.1, body and all."""
    client = dial(gateway)
    for expected in (b"answer 1", b"answer 2"):
        client.ask(
            lane,
            "/openai/q",
            more="connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
        )
        assert client.response()[2] == expected


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("CONNECT api.openai.com:443", "api.openai.com:443"),
        ("GET http://api.openai.com/v1", "api.openai.com:80"),
        ("GET http://u:p@[::1]:8080/", "[::1]:8080"),
        ("GET https://api.openai.com/v1", "api.openai.com:443"),
    ],
)
@pytest.mark.parametrize("credentials", ["", "Basic !", "Basic /w==", "Bearer x", "Basic bm9ib2R5Og=="])
def test_the_gateway_is_no_proxy(gateway, dial, line, address, credentials):
    """Whoever takes it for one is told which address was not connected to."""
    client = dial(gateway).send(f"{line} HTTP/1.1\r\nhost: h\r\nproxy-authorization: {credentials}\r\n\r\n".encode())
    status, headers, body = client.response()
    assert (status, headers["x-should-retry"]) == (403, "false")
    assert repr(address) in json.loads(body)["error"]["message"]


def test_a_proxy_variable_puts_attempts_on_the_account(gateway, tapes):
    """A client that honours the lane's proxy variable reaches nothing, over either scheme, and is accounted."""
    player = tapes.player()
    lane = gateway.open(player, tapes.routes)
    with httpx.Client(proxy=lane.proxy()) as client:
        with pytest.raises(httpx.ProxyError):
            client.get("https://api.example/x")
        assert client.get("http://other.example:8080/x").status_code == 403
    assert [attempt.address for attempt in player.account.network] == ["api.example:443", "other.example:8080"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"http:// base URL"),
        (b"nonsense\r\n\r\n", b"cannot read this request"),
        (b"POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", b"cannot read this request"),
    ],
)
def test_what_is_not_http_is_refused(gateway, dial, sent, said):
    """TLS, noise and ambiguous framing are a 400 that says what came."""
    client = dial(gateway).send(sent)
    status, _, body = client.response()
    assert status == 400
    assert said in body
    assert client.rest() == b""


def test_a_broken_request_in_a_lane_is_accounted(gateway, lane, dial):
    """A request that names a lane and then stops being HTTP is not lost from the account."""
    dial(gateway).send(f"POST /{lane.id}/openai/q HTTP/1.1\r\nno colon\r\n\r\n".encode()).response()
    assert lane.heard.tape.account.network == (NetworkAttempt("openai/q (a request that is not HTTP)"),)


def test_a_body_over_the_limit_is_refused_and_accounted(gateway, lane, dial, monkeypatch):
    """The body is not kept; the client hears 413 when it is done."""
    for module in (connection, request_reader):
        monkeypatch.setattr(module, "BODY_LIMIT", 1000)
    client = dial(gateway)
    assert client.ask(lane, "/openai/q", b"x" * 1001).response()[0] == 413
    assert [attempt.address for attempt in lane.heard.tape.account.network] == [
        "openai/q (a request of more than 1000 bytes)"
    ]
    assert client.ask(lane, "/openai/q").response()[2] == b"answer 1"


def test_a_head_over_the_limit_is_refused(gateway, lane, dial, monkeypatch):
    """Headers without end are a 431."""
    monkeypatch.setattr(connection, "HEAD_LIMIT", 1000)
    client = dial(gateway).send(f"GET /{lane.id}/openai/q HTTP/1.1\r\nx-long: {'x' * 2000}".encode())
    assert client.response()[0] == 431
    assert client.rest() == b""


def test_a_recording_cannot_write_headers_of_its_own(gateway, tapes, dial):
    """A line break in a recorded header is refused, not sent."""
    evil = tapes.interaction("/q", b"{}", b"x", headers=(("x-a", "b\r\nset-cookie: c=1"),))
    lane = gateway.open(tapes.player(evil), tapes.routes)
    status, headers, _ = dial(gateway).ask(lane, "/openai/q").response()
    assert (status, "set-cookie" in headers) == (500, False)
    with pytest.raises(ValueError, match="line break"):
        lane.close()
