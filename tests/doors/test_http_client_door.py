"""The in-process door of http.client and urllib3, with the real clients that are built on them."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import boto3
import httplib2
import pytest
import requests
import urllib3
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError

from tapegate.doors import armed, http_client_door
from tapegate.doors.current import TAPE, Heard, Outside, hearing
from tapegate.errors import NotJudged
from tapegate.tape.routes import Route, Routes

URL = "https://api.openai.com/v1"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The door is in; doing it again changes nothing. No proxy of this machine takes part."""
    http_client_door.install()
    http_client_door.install()
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def reported():
    """Arms the process for one test, and gives what was reported."""
    addresses: list[str] = []
    armed.arm(addresses.append)
    yield addresses
    armed.disarm()


def by_requests(url, body=b"{}", headers=None):
    response = requests.post(url, data=body, headers=headers, timeout=20)
    return response.status_code, dict(response.headers), response.content


def by_urllib3(url, body=b"{}", headers=None):
    with urllib3.PoolManager() as pool:
        response = pool.request("POST", url, body=body, headers=headers, retries=False, timeout=20)
    return response.status, dict(response.headers), response.data


def by_urllib(url, body=b"{}", headers=None):
    request = urllib.request.Request(url, body, headers or {}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def by_http_client(url, body=b"{}", headers=None):
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    with contextlib.closing(kind(host, timeout=20)) as connection:
        connection.request("POST", slash + path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


CLIENTS = [by_requests, by_urllib3, by_urllib, by_http_client]


@pytest.fixture(params=CLIENTS, ids=lambda ask: ask.__name__.removeprefix("by_"))
def ask(request):
    """Each client: asks, and gives status, headers and body."""
    return request.param


def test_a_recording_is_played(ask, tapes):
    """Status, headers and body as recorded; nothing is opened."""
    player = tapes.player(
        tapes.interaction("/chat?a=1%202", b"{}", b"one", b"two", status=203, headers=(("x-id", "1"), ("te", "no")))
    )
    with hearing(Heard(player, tapes.routes)):
        status, headers, body = ask(f"{URL}/chat?a=1%202")
    headers.pop("connection", None)  # urllib asks for it
    assert (status, headers, body) == (203, {"x-id": "1", "transfer-encoding": "chunked"}, b"onetwo")
    assert player.account.complete


def test_a_miss_is_an_answer(ask, tapes):
    """What no recording answers is the same 424 as at the gateway, and one miss."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)):
        status, headers, body = ask(f"{URL}/chat")
    assert (status, headers["x-should-retry"]) == (424, "false")
    assert json.loads(body)["error"]["code"] == "tapegate_miss"
    assert len(player.account.misses) == 1


ERRORS = {
    by_requests: requests.ConnectionError,
    by_urllib3: urllib3.exceptions.NewConnectionError,
    by_urllib: urllib.error.URLError,
    by_http_client: ConnectionRefusedError,
}


@pytest.mark.parametrize("url", ["http://{}/other", "https://{}/other"])
def test_an_address_that_no_service_has_is_refused_and_accounted(ask, tapes, url):
    """It is the client's own connection error, names the address, and is a network attempt; nothing is sent."""
    player = tapes.player()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with (
            hearing(Heard(player, tapes.routes)),
            pytest.raises(ERRORS[ask], match=r"no service in evals/tapegate\.yaml"),
        ):
            ask(url.format(address))
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()
    assert [attempt.address for attempt in player.account.network] == [address]


def test_an_armed_process_without_a_tape_refuses(ask, reported):
    """The client's own connection error, reported with host and port."""
    for url in ("https://api.example/x", "http://api.example/x"):
        with pytest.raises(ERRORS[ask], match="no tape is set"):
            ask(url)
    assert dict.fromkeys(reported) == dict.fromkeys(["api.example:443", "api.example:80"])


def test_without_a_tape_and_unarmed_nothing_changes(ask, provide):
    """An installed door that is not used lets real traffic through; so does an armed one for the harness."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    url = provide(script).url
    assert ask(url)[2] == b"ok"
    token = TAPE.set(Outside.HARNESS)
    armed.arm(pytest.fail)
    try:
        assert ask(url)[2] == b"ok"
    finally:
        armed.disarm()
        TAPE.reset(token)


@pytest.mark.parametrize("ask", [by_requests, by_urllib3, by_http_client])
def test_a_websocket_is_refused(ask, tapes):
    """The same 501 as at the gateway, on the account. (urllib closes each connection, so it cannot ask for one.)"""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)):
        status, _, body = ask(f"{URL}/realtime", b"", {"connection": "Upgrade", "upgrade": "websocket"})
    assert (status, json.loads(body)["error"]["code"]) == (501, "tapegate_websocket")
    assert [attempt.address for attempt in player.account.network] == ["openai/realtime (a websocket)"]


def test_what_each_client_asks_is_what_it_asks_at_the_gateway(ask, tapes, gateway):
    """Service, method, path, body and headers do not tell which door a request came through."""
    asked = []
    player = tapes.player()
    player.play = lambda request: (asked.append(request), tapes.player().play(request))[1]
    ask(gateway.open(player, tapes.routes).url("openai") + "/a%2Fb?v=1%202", b"{}", {"x-mine": "ü"})
    with hearing(Heard(player, tapes.routes)):
        ask(f"{URL}/a%2Fb?v=1%202", b"{}", {"x-mine": "ü"})
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
    assert inside.path == "/a%2Fb?v=1%202"


@pytest.mark.parametrize("ended", ["eof", "error"])
@pytest.mark.parametrize("chunks", [(), (b"whole",), (b"one", b"two")])
@pytest.mark.parametrize("status", [200, 204, 500])
def test_what_each_client_hears_is_what_it_hears_at_the_gateway(ask, tapes, gateway, ended, chunks, status):
    """Status, headers and body, or the client's error, do not tell which door an answer came through."""
    interaction = tapes.interaction("/x", b"{}", *chunks, status=status, headers=(("x-a", "1"),), ended=ended)

    def outcome(url):
        try:
            status, headers, body = ask(url)
        except (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError) as error:
            return type(error)
        return status, headers, body

    outside = outcome(gateway.open(tapes.player(interaction), tapes.routes).url("openai") + "/x")
    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        assert outcome(f"{URL}/x") == outside


def test_a_compressed_recording_is_decoded_by_the_client(tapes):
    """Bytes are played as they were recorded; what they encode is the client's to undo."""
    packed = gzip.compress(b'{"text": "unpacked"}', mtime=0)
    headers = (("content-encoding", "gzip"), ("content-type", "application/json"))
    interaction = tapes.interaction("/chat", b"{}", packed[:7], packed[7:], headers=headers)
    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        assert requests.post(f"{URL}/chat", data=b"{}", timeout=20).json() == {"text": "unpacked"}


def test_each_chunk_comes_by_itself(tapes):
    """A client that reads as it comes sees the recorded cuts, inside a character too."""
    chunks = (b"data: \xe2\x82", b"\xac\n", b"\ndata: [DONE]\n\n")
    interaction = tapes.interaction("/chat", b"{}", *chunks)
    with hearing(Heard(tapes.player(interaction, interaction), tapes.routes)):
        with requests.post(f"{URL}/chat", data=b"{}", stream=True, timeout=20) as response:
            assert tuple(response.iter_content(None)) == chunks
        request = urllib.request.Request(f"{URL}/chat", b"{}", method="POST")
        with urllib.request.urlopen(request, timeout=20) as response:
            assert tuple(iter(response.read1, b"")) == chunks


def test_a_streamed_request_is_read_to_be_matched(tapes):
    """A body that the agent generates, or reads from a file, is the body it adds up to."""
    player = tapes.player(*(tapes.interaction("/up", b"abcd", b"%d" % number) for number in range(3)))
    with hearing(Heard(player, tapes.routes)):
        assert requests.post(f"{URL}/up", data=iter([b"ab", b"cd"]), timeout=20).content == b"0"
        assert requests.post(f"{URL}/up", data=io.BytesIO(b"abcd"), timeout=20).content == b"1"
        assert urllib3.request("POST", f"{URL}/up", body=iter(["ab", "cd"])).data == b"2"


def test_a_connection_is_used_again_for_the_same_tape(tapes):
    """Keep-alive works as on a real connection: one pool opens one connection for three requests."""
    player = tapes.player(*(tapes.interaction("/q", b"{}", b"%d" % number) for number in range(3)))
    with hearing(Heard(player, tapes.routes)), urllib3.PoolManager() as pool:
        assert [pool.request("POST", f"{URL}/q", body=b"{}").data for _ in range(3)] == [b"0", b"1", b"2"]
        (key,) = pool.pools.keys()
        assert pool.pools[key].num_connections == 1


def test_a_kept_connection_leads_to_the_tape_that_is_heard_now(tapes, provide):
    """One session, asked under a tape, under another, under none, and under the first again."""

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlive")

    provider = provide(script)
    routes = Routes({"openai": Route("openai", provider.url, provider.url)})
    tapes.routes = routes
    first = tapes.player(tapes.interaction("/q", b"", b"first", method="GET"))
    second = tapes.player(tapes.interaction("/q", b"", b"second", method="GET"))
    with requests.Session() as session:

        def get() -> bytes:
            return session.get(f"{provider.url}/q", timeout=20).content

        assert get() == b"live"
        with hearing(Heard(first, routes)):
            assert get() == b"first"
        with hearing(Heard(second, routes)):
            assert get() == b"second"
        assert get() == b"live"
        assert len(provider.calls) == 2


def test_a_kept_real_connection_is_not_used_by_an_armed_process(provide, reported):
    """Arming shuts connections that were open before."""
    provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
    armed.disarm()
    with requests.Session() as session:
        session.get(provider.url, timeout=20)
        armed.arm(reported.append)
        with pytest.raises(requests.ConnectionError, match="no tape is set"):
            session.get(provider.url, timeout=20)
    assert len(provider.calls) == 1
    assert set(reported) == {f"127.0.0.1:{provider.port}"}


def test_a_unix_socket_is_left_alone(tapes, tmp_path):
    """What a client opens on this machine's own file system is no provider."""
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        done = threading.Thread(target=_answer_once, args=(listening,))
        done.start()
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(path)
        with hearing(Heard(tapes.player(), tapes.routes)), contextlib.closing(connection):
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"ok"
        done.join()


def _answer_once(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")


@pytest.mark.parametrize("url", ["http://plain.example/x", "https://tls.example/x"])
def test_a_proxy_is_passed_over(tapes, url):
    """A request through a proxy means the server behind it: the proxy is not asked, tunnelled or not."""
    tapes.routes = Routes({"web": Route("web", url, url)})
    player = tapes.player(tapes.interaction("", b"", b"behind", method="GET", service="web"))
    proxies = dict.fromkeys(("http", "https"), "http://127.0.0.1:9")
    with hearing(Heard(player, tapes.routes)):
        assert requests.get(url, proxies=proxies, timeout=20).content == b"behind"


def test_recorded_time_is_kept_on_request(tapes):
    """With `pace: recorded` no chunk comes before its time; a client that waits less times out."""
    interaction = tapes.interaction("/chat", b"{}", b"a", b"b", every_us=40_000)
    heard = Heard(tapes.player(interaction, interaction), tapes.routes, pace="recorded")
    with hearing(heard), requests.Session() as session:
        start = time.monotonic()
        response = session.post(f"{URL}/chat", data=b"{}", stream=True, timeout=20)
        assert response.content == b"ab"
        assert time.monotonic() - start >= 0.08
        with pytest.raises(requests.ConnectionError, match="Read timed out"):
            session.post(f"{URL}/chat", data=b"{}", timeout=0.02)


def test_eight_threads_hear_their_own_tape(tapes):
    """One shared session, eight threads, the same forty requests: each gets its own answers."""
    players = [
        tapes.player(*(tapes.interaction("/q", b"%d" % turn, b"%d of tape %d" % (turn, number)) for turn in range(40)))
        for number in range(8)
    ]
    together = threading.Barrier(8)
    with requests.Session() as session, ThreadPoolExecutor(8) as pool:

        def agent(number: int) -> list[bytes]:
            together.wait()
            with hearing(Heard(players[number], tapes.routes)):
                return [session.post(f"{URL}/q", data=b"%d" % turn, timeout=20).content for turn in range(40)]

        heard = list(pool.map(agent, range(8)))
    assert heard == [[b"%d of tape %d" % (turn, number) for turn in range(40)] for number in range(8)]
    assert all(player.account.complete for player in players)


CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Three."}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7},
    "metrics": {"latencyMs": 12},
}


@pytest.fixture
def bedrock():
    """A client of Bedrock as boto3 makes it, at its default endpoint."""
    return boto3.client(
        "bedrock-runtime",
        region_name="eu-west-1",
        aws_access_key_id="REDACTED_AWS_ACCESS_KEY_ID",
        aws_secret_access_key="REDACTED_AWS_SECRET_ACCESS_KEY",
        config=Config(retries={"max_attempts": 1, "mode": "standard"}),
    )


def test_boto3_converses_with_a_recording(tapes, bedrock):
    """A Converse call of boto3, unmodified: what it asks is matched, what was recorded is its answer."""
    address = "https://bedrock-runtime.eu-west-1.amazonaws.com"
    tapes.routes = Routes({"bedrock": Route("bedrock", address, address)})
    message = {"role": "user", "content": [{"text": "Which papers?"}]}
    player = tapes.player(
        tapes.interaction(
            "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse",
            json.dumps({"messages": [message]}).encode(),
            json.dumps(CONVERSE).encode(),
            headers=(("content-type", "application/json"),),
            service="bedrock",
        )
    )
    with hearing(Heard(player, tapes.routes)):
        answer = bedrock.converse(modelId="anthropic.claude-3-haiku-20240307-v1:0", messages=[message])
    assert answer["output"] == CONVERSE["output"]
    assert answer["usage"] == CONVERSE["usage"]
    assert player.account.complete


def test_boto3_is_refused_where_no_service_is_declared(tapes, bedrock):
    """As its own error of an endpoint that cannot be reached."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)), pytest.raises(EndpointConnectionError):
        bedrock.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "x"}]}])
    (attempt,) = player.account.network
    assert attempt.address == "bedrock-runtime.eu-west-1.amazonaws.com:443"


def test_an_upload_that_waits_to_be_welcome_is_welcome(tapes):
    """`Expect: 100-continue`, as boto3 sends it with an upload to S3: asked for at once, not after a second."""
    address = "https://bucket.s3.eu-west-1.amazonaws.com"
    tapes.routes = Routes({"s3": Route("s3", address, address)})
    player = tapes.player(tapes.interaction("/key", b"content", method="PUT", service="s3", headers=(("etag", '"1"'),)))
    s3 = boto3.client(
        "s3",
        region_name="eu-west-1",
        aws_access_key_id="REDACTED_ID",
        aws_secret_access_key="REDACTED_KEY",
        config=Config(request_checksum_calculation="when_required"),
    )
    with hearing(Heard(player, tapes.routes)):
        assert s3.put_object(Bucket="bucket", Key="key", Body=b"content")["ETag"] == '"1"'
    assert player.account.complete


def script_in_two(first: threading.Event, in_time: list[bool], patience: float):
    """A provider that holds the second chunk back until the agent has the first."""

    def script(call):
        call.send(b"HTTP/1.1 200 Fine\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"one")
        in_time.append(first.wait(patience))
        call.chunk(b"two")
        call.send(b"0\r\n\r\n")

    return script


def test_recording_passes_each_chunk_on_as_it_comes(tapes, provide, patience):
    """The second chunk leaves the provider when the agent has the first; keys never reach the agent's request."""
    first, in_time = threading.Event(), []
    provider = provide(script_in_two(first, in_time, patience))
    recorder, routes = tapes.recorder(provider.url + "/v9")
    chunks = []
    with (
        hearing(Heard(recorder, routes, {"openai": {"REDACTED_KEY": "sk-real"}})),
        requests.post(
            f"{URL}/chat?key=REDACTED_KEY",
            data=b"{}",
            headers={"authorization": "Bearer REDACTED_KEY"},
            stream=True,
            timeout=patience,
        ) as response,
    ):
        for chunk in response.iter_content(None):
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


@pytest.mark.parametrize(
    ("answer", "body", "ended"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody", b"body", "eof"),
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nbody", b"body", "eof"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b"", "eof"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", b"", "eof"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbody", b"body", "error"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n", b"body", "error"),
    ],
)
def test_what_is_recorded_is_what_came_and_how_it_ended(ask, tapes, provide, answer, body, ended):
    """However a provider frames its answer, and wherever it breaks off."""

    def script(call):
        call.send(answer)
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)
    with (
        hearing(Heard(recorder, routes)),
        contextlib.suppress(requests.ConnectionError, urllib3.exceptions.HTTPError, http.client.HTTPException, OSError),
    ):
        assert ask(f"{URL}/chat")[2] == body
        assert ended == "eof"
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (body, ended)


@pytest.mark.parametrize("reads", [0, 1])
def test_an_agent_that_stops_reading_is_recorded_as_that(tapes, provide, patience, reads):
    """Left before the end, the take says `client_closed` and holds what was read."""
    gone = threading.Event()

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        call.chunk(b"data: [DONE]\n\n")
        gone.wait(patience)

    recorder, routes = tapes.recorder(provide(script).url)
    with (
        hearing(Heard(recorder, routes)),
        requests.post(f"{URL}/chat", data=b"{}", stream=True, timeout=20) as response,
    ):
        for _ in range(reads):
            next(response.iter_content(None))
    gone.set()
    (interaction,) = recorder.interactions()
    assert (interaction.response.body, interaction.chunks.ended) == (b"data: [DONE]\n\n"[: 14 * reads], "client_closed")


def test_an_unreachable_provider_spoils_the_recording(ask, tapes):
    """The agent sees a connection error; nothing of the recording may be written."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    recorder, routes = tapes.recorder(f"http://127.0.0.1:{port}")
    with (
        hearing(Heard(recorder, routes)),
        pytest.raises((OSError, urllib3.exceptions.HTTPError)),
    ):
        ask(f"{URL}/chat")
    with pytest.raises(NotJudged, match="could not be reached"):
        recorder.interactions()


@pytest.mark.parametrize("answer", [b"", b"no HTTP at all\r\n\r\n"])
def test_a_provider_that_gives_no_answer_spoils_the_recording(tapes, provide, answer):
    """As an error of the connection to the agent."""

    def script(call):
        call.send(answer)
        call.socket.shutdown(socket.SHUT_RDWR)

    recorder, routes = tapes.recorder(provide(script).url)
    with hearing(Heard(recorder, routes)), pytest.raises(requests.ConnectionError):
        requests.post(f"{URL}/chat", data=b"{}", timeout=20)
    with pytest.raises(NotJudged, match="gave no answer"):
        recorder.interactions()


IMPORTS = """
import sys
from tapegate.doors import armed, http_client_door

http_client_door.install()
reported = []
armed.arm(reported.append)
assert "urllib3" not in sys.modules, "installing imported a client"
import requests, urllib3
try:
    requests.get("http://127.0.0.1:9/")
except requests.ConnectionError as error:
    assert "no tape is set" in str(error), error
else:
    raise AssertionError("it passed")
assert reported == ["127.0.0.1:9"], reported
"""


def test_a_client_is_met_when_it_is_imported():
    """Installing imports no client; one that is imported later goes through the door."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_httplib2_goes_through_the_same_door(tapes, reported):
    """Its connections have a `connect` of their own: eight threads hear their own tape, nobody without one passes."""
    together = threading.Barrier(8)

    def agent(number: int) -> list[tuple[int, bytes]]:
        bodies = [b"%d of %d" % (turn, number) for turn in range(5)]
        player = tapes.player(*(tapes.interaction("/chat", b"{}", body) for body in bodies))
        with hearing(Heard(player, tapes.routes)):
            client = httplib2.Http(timeout=20)
            together.wait()
            heard = [client.request(f"{URL}/chat", "POST", b"{}") for _ in bodies]
        assert player.account.complete
        return [(int(head["status"]), body) for head, body in heard]

    with ThreadPoolExecutor(8) as pool:
        for number, heard in enumerate(pool.map(agent, range(8))):
            assert heard == [(200, b"%d of %d" % (turn, number)) for turn in range(5)]
    with pytest.raises(ConnectionRefusedError, match="no tape is set"):
        httplib2.Http(timeout=20).request("http://192.0.2.1/x")
    assert set(reported) == {"192.0.2.1:80"}
