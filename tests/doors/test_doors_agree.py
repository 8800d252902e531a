"""The openai SDK, unmodified, on the same recordings through either door."""

from __future__ import annotations

import openai
import pytest

from tapegate.doors import httpx_door
from tapegate.doors.current import Heard, hearing
from tapegate.tape.emit import emit
from tapegate.tape.read import read
from tapegate.tape.redact import Redactor

MESSAGES = [{"role": "user", "content": "Which papers?"}]
TOOLS = [{"type": "function", "function": {"name": "search_local", "parameters": {"type": "object", "properties": {}}}}]
ASK = {"model": "m-1", "messages": MESSAGES}
JSON = (("content-type", "application/json"),)
EVENTS = (("content-type", "text/event-stream"), ("transfer-encoding", "chunked"))


def test_a_completion(through, create, tapes, chat):
    """Text comes back as recorded."""
    player = tapes.player(tapes.interaction("/chat/completions", chat.body(), chat.completion("Three."), headers=JSON))
    with through(player) as url:
        assert create(url, **ASK).choices[0].message.content == "Three."
    assert player.account.complete


def test_a_tool_call(through, create, tapes, chat):
    """So do tool calls, and the turn that answers them."""
    call = {"id": "call_1", "type": "function", "function": {"name": "search_local", "arguments": '{"q": "x"}'}}
    answered = [
        *MESSAGES,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "[]"},
    ]
    player = tapes.player(
        tapes.interaction(
            "/chat/completions", chat.body(tools=TOOLS), chat.tool_call("search_local", '{"q": "x"}'), headers=JSON
        ),
        tapes.interaction(
            "/chat/completions", chat.body(tools=TOOLS, messages=answered), chat.completion("None."), headers=JSON
        ),
    )
    with through(player) as url:
        (called,) = create(url, **ASK, tools=TOOLS).choices[0].message.tool_calls
        assert (called.function.name, called.function.arguments) == ("search_local", '{"q": "x"}')
        assert create(url, **{**ASK, "messages": answered}, tools=TOOLS).choices[0].message.content == "None."
    assert player.account.complete


@pytest.mark.parametrize("size", [1, 7, 64])
def test_a_stream_cut_anywhere(through, create, tapes, chat, size):
    """Events cut inside a line, a word or a character are the same events."""
    whole = chat.stream("Drei ", "größe ", "Papiere 📄")
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    player = tapes.player(
        tapes.interaction("/chat/completions", chat.body(stream=True), *cut, headers=EVENTS, ended="client_closed")
    )
    with through(player) as url:
        events = create(url, **ASK, stream=True)
    assert "".join(event.choices[0].delta.content for event in events) == "Drei größe Papiere 📄"
    assert player.account.complete


def test_a_stream_that_broke_off(through, create, tapes, chat):
    """A recording that ends in an error is an error to the SDK, not a short answer."""
    half = chat.stream("Three.").partition(b"data: [DONE]")[0]
    player = tapes.player(
        tapes.interaction("/chat/completions", chat.body(stream=True), half, headers=EVENTS, ended="error")
    )
    with through(player) as url, pytest.raises(openai.APIConnectionError) as raised:
        create(url, **ASK, stream=True)
    assert "incomplete chunked read" in str(raised.value.__cause__)


@pytest.mark.parametrize("stream", [False, True])
def test_a_miss_is_one_miss_and_is_not_retried(through, create, tapes, stream):
    """The SDK would retry twice; it is told not to, and the account holds one miss however often it asks."""
    player = tapes.player()
    asked = []
    play = player.play
    player.play = lambda request: (asked.append(request), play(request))[1]
    with through(player) as url, pytest.raises(openai.APIStatusError) as raised:
        create(url, **ASK, stream=stream)
    assert (raised.value.status_code, raised.value.code, len(asked)) == (424, "tapegate_miss", 1)
    assert len(player.account.misses) == 1


def test_a_recorded_error_is_an_error_again(through, create, tapes, chat):
    """A recorded refusal of the provider reaches the SDK as its own error type, with its headers."""
    body = b'{"error": {"message": "slow down", "type": "rate_limit", "code": "rate_limit"}}'
    headers = (*JSON, ("x-should-retry", "false"), ("retry-after", "20"))
    player = tapes.player(
        tapes.interaction("/chat/completions", chat.body(), body, status=429, reason="Slow", headers=headers)
    )
    with through(player) as url, pytest.raises(openai.RateLimitError) as raised:
        create(url, **ASK)
    assert raised.value.response.headers["retry-after"] == "20"
    assert raised.value.response.reason_phrase == "Slow"


def test_both_doors_ask_the_tape_the_same(gateway, tapes, chat):
    """Service, method, path and body are one and the same, and so are the headers the SDK sets itself."""
    httpx_door.install()
    asked = []
    player = tapes.player()
    player.play = lambda request: (asked.append(request), tapes.player().play(request))[1]

    def ask(url):
        with openai.OpenAI(base_url=url, api_key="k", max_retries=0) as client, pytest.raises(openai.APIStatusError):
            client.chat.completions.create(**ASK, extra_query={"v": "1 2"})

    ask(gateway.open(player, tapes.routes).url("openai"))
    with hearing(Heard(player, tapes.routes)):
        ask("https://api.openai.com/v1")
    outside, inside = asked
    assert (outside.service, outside.method, outside.path, outside.body) == (
        inside.service,
        inside.method,
        inside.path,
        inside.body,
    )
    assert outside.path.startswith("/chat/completions?v=1")
    assert [pair for pair in outside.headers if pair[0].lower() != "host"] == [
        pair for pair in inside.headers if pair[0].lower() != "host"
    ]


def test_both_doors_give_the_client_the_same(gateway, tapes):
    """Status, reason, headers and body of a response do not tell which door it came through."""
    import httpx2

    httpx_door.install()
    interaction = tapes.interaction(
        "/x", b"{}", b"one", b"two", status=203, reason="Odd", headers=(("x-a", "1"), ("connection", "keep-alive"))
    )
    lane = gateway.open(tapes.player(interaction), tapes.routes)
    outside = httpx2.post(lane.url("openai") + "/x", content=b"{}")
    with hearing(Heard(tapes.player(interaction), tapes.routes)):
        inside = httpx2.post("https://api.openai.com/v1/x", content=b"{}")
    assert (outside.status_code, outside.reason_phrase, outside.headers, outside.content) == (
        inside.status_code,
        inside.reason_phrase,
        inside.headers,
        inside.content,
    )
    assert inside.headers == {"x-a": "1", "transfer-encoding": "chunked"}


@pytest.mark.parametrize(
    ("method", "status", "ended", "header"),
    [
        ("POST", 200, "eof", '<https://papers.example/日>; rel="next"'),
        ("POST", 200, "eof", "<https://papers.example/é>"),
        ("POST", 200, "eof", "  padded  "),
        ("HEAD", 200, "error", "x"),
        ("POST", 204, "error", "x"),
        ("GET", 304, "error", "x"),
    ],
)
def test_an_odd_answer_is_the_same_through_both_doors(gateway, tapes, method, status, ended, header):
    """Headers that other tools recorded in any characters, and an answer without a body that is said to break off."""
    import httpx2

    httpx_door.install()
    headers = (("link", header),)
    interaction = tapes.interaction("/x", b"", method=method, status=status, headers=headers, ended=ended)
    lane = gateway.open(tapes.player(interaction), tapes.routes)
    with httpx2.stream(method, lane.url("openai") + "/x") as outside:
        assert list(outside.iter_raw()) == []
    with (
        hearing(Heard(tapes.player(interaction), tapes.routes)),
        httpx2.stream(method, "https://api.openai.com/v1/x") as inside,
    ):
        assert list(inside.iter_raw()) == []
    assert outside.status_code == inside.status_code == status
    assert dict(outside.headers.raw)[b"link"] == dict(inside.headers.raw)[b"link"]


def test_an_empty_query_is_part_of_the_path(gateway, tapes, provide):
    """What was asked with a lone `?` is found again so, through either door."""
    import httpx2

    httpx_door.install()
    provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
    recorder, routes = tapes.recorder(provider.url)
    lane = gateway.open(recorder, routes)
    assert httpx2.post(lane.url("openai") + "/x?", content=b"{}").text == "ok"
    lane.close()
    lane = gateway.open(tapes.player(*recorder.interactions()), tapes.routes)
    assert httpx2.post(lane.url("openai") + "/x?", content=b"{}").text == "ok"
    with hearing(Heard(tapes.player(*recorder.interactions()), tapes.routes)):
        assert httpx2.post("https://api.openai.com/v1/x?", content=b"{}").text == "ok"


def test_an_upload_is_found_whatever_boundary_its_client_makes_up(gateway, tapes, provide):
    """A client draws the boundary of a multipart body anew for each; what stands between them is the request."""
    import httpx2

    httpx_door.install()
    upload = {"files": {"file": ("a.txt", b"one\r\ntwo")}, "data": {"model": "m-1"}}
    provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
    recorder, routes = tapes.recorder(provider.url)
    lane = gateway.open(recorder, routes)
    assert httpx2.post(lane.url("openai") + "/x", **upload).text == "ok"
    lane.close()
    lane = gateway.open(tapes.player(*recorder.interactions()), tapes.routes)
    assert httpx2.post(lane.url("openai") + "/x", **upload).text == "ok"
    again = httpx2.post(lane.url("openai") + "/x", **upload)
    assert "is an extra call" in again.text
    with hearing(Heard(tapes.player(*recorder.interactions()), tapes.routes)):
        assert httpx2.post("https://api.openai.com/v1/x", **upload).text == "ok"


def test_a_recording_comes_back_from_disk_through_both_doors(gateway, tapes, chat, provide, create, through):
    """Recorded through the gateway with a real key, redacted, written, read: the SDK gets the same stream again."""
    key = "a-provider-key-of-this-test"
    whole = chat.stream("Drei ", "größe ", "Papiere 📄")
    cut = [whole[at : at + 50] for at in range(0, len(whole), 50)]

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for piece in cut:
            call.chunk(piece)
        call.send(b"0\r\n\r\n")

    provider = provide(script)
    recorder, routes = tapes.recorder(provider.url, redactor=Redactor({"OPENAI_API_KEY": key}))
    lane = gateway.open(recorder, routes, {"openai": {"REDACTED_OPENAI_API_KEY": key}})
    live = create(lane.url("openai"), **ASK, stream=True)
    lane.close()
    assert provider.calls[0].headers["authorization"] == f"Bearer {key}"
    written = emit(tapes.cassette(*recorder.interactions()))
    assert key.encode() not in written
    player = tapes.replaying(read(written, "trial-1.yaml"))
    with through(player) as url:
        assert create(url, **ASK, stream=True) == live
    assert player.account.complete
    (interaction,) = recorder.interactions()
    assert interaction.chunks.cut(interaction.response.body) == cut[: len(interaction.chunks.sizes)]
