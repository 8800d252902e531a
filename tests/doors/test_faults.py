"""Faults on the tape, each met by the openai SDK, unmodified, through either door."""

from __future__ import annotations

import asyncio
import json
import socket
import time

import aiohttp
import openai
import pytest
import requests

from tapegate.doors import aiohttp_door, http_client_door
from tapegate.doors.current import Heard, hearing
from tapegate.model.fault import (
    MalformedFault,
    MalformedJsonFault,
    ResetFault,
    SlowFault,
    SplitFault,
    StatusFault,
    TimeoutFault,
    TruncateFault,
)
from tapegate.tape.ledger import Ledger
from tapegate.tape.recorder import Recorder
from tapegate.tape.redact import Redactor
from tapegate.tape.routes import Route, Routes
from tapegate.tape.wire import Asked

ASK = {"model": "m-1", "messages": [{"role": "user", "content": "Which papers?"}]}
JSON = (("content-type", "application/json"),)
EVENTS = (("content-type", "text/event-stream"), ("transfer-encoding", "chunked"))
AT_ONCE = {"retry-after-ms": "1"}
ONCE = {"max_retries": 0}
WORDS = ("Drei ", "größe ", "Papiere 📄")


@pytest.fixture
def completing(tapes, chat):
    """A tape of one completion that meets faults."""

    def player(*faults):
        interaction = tapes.interaction("/chat/completions", chat.body(), chat.completion("Three."), headers=JSON)
        return tapes.player(interaction, faults=faults)

    return player


@pytest.fixture
def streaming(tapes, chat):
    """A tape of one stream, an event a chunk, that meets faults."""

    def player(*faults):
        chunks = [event + b"\n\n" for event in chat.stream(*WORDS).split(b"\n\n")[:-1]]
        interaction = tapes.interaction("/chat/completions", chat.body(stream=True), *chunks, headers=EVENTS)
        return tapes.player(interaction, faults=faults)

    return player


def text(events):
    return "".join(event.choices[0].delta.content for event in events)


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, openai.RateLimitError), (500, openai.InternalServerError), (529, openai.InternalServerError)],
)
def test_a_status_reaches_the_sdk_as_its_own_error(through, create, completing, status, error):
    """With its headers and body; the recorded answer was not asked for."""
    player = completing(StatusFault(kind="status", service="openai", status=status, headers={"retry-after": "20"}))
    with through(player) as url, pytest.raises(error) as raised:
        create(url, ONCE, **ASK)
    assert raised.value.status_code == status
    assert raised.value.response.headers["retry-after"] == "20"
    assert f"status {status}, injected by the task" in str(raised.value)
    assert player.account.faults == (0,)
    assert [one.index for one in player.account.unplayed] == [0]


def test_a_retry_after_a_status_gets_the_recorded_answer(through, create, completing):
    """The first two calls fail, as the task declares; the SDK's third is answered, and the account is complete."""
    player = completing(StatusFault(kind="status", service="openai", status=429, headers=AT_ONCE, calls=(1, 2)))
    with through(player) as url:
        assert create(url, {"max_retries": 2}, **ASK).choices[0].message.content == "Three."
    assert player.account.complete
    assert player.account.faults == (0,)


def test_a_body_of_the_tasks_own(through, create, completing):
    """What the service says in its error may be written out."""
    player = completing(StatusFault(kind="status", service="openai", status=503, body="<html>down</html>"))
    with through(player) as url, pytest.raises(openai.InternalServerError) as raised:
        create(url, ONCE, **ASK)
    assert raised.value.response.text == "<html>down</html>"
    assert raised.value.response.headers["content-type"].startswith("text/plain")


def test_a_timeout_is_the_sdks_own(through, create, completing):
    """No answer comes, and the SDK gives up after the time that it was given."""
    player = completing(TimeoutFault(kind="timeout", service="openai"))
    start = time.monotonic()
    with through(player) as url, pytest.raises(openai.APITimeoutError):
        create(url, {**ONCE, "timeout": 0.2}, **ASK)
    assert time.monotonic() - start >= 0.2
    assert player.account.faults == (0,)


def test_a_recorded_timeout_is_one_again(through, create, tapes, chat, gateway, provide):
    """A call that nobody answered in time is an interaction with the time that it took, and replays as what it was."""
    provider = provide(lambda call: None)
    recorder, routes = tapes.recorder(provider.url)
    lane = gateway.open(recorder, routes)
    impatient = {**ONCE, "timeout": 0.2}
    with pytest.raises(openai.APITimeoutError):
        create(lane.url("openai"), impatient, **ASK)
    lane.close()
    (interaction,) = recorder.interactions()
    assert interaction.chunks.ended_us - interaction.chunks.started_us >= 150_000
    player = tapes.player(interaction)
    with through(player) as url, pytest.raises(openai.APITimeoutError):
        create(url, impatient, **ASK)
    assert player.account.complete


def test_a_reset_is_a_connection_error(through, create, completing):
    """Of the kind that the SDK retries; the retry gets the recorded answer."""
    player = completing(ResetFault(kind="reset", service="openai", calls=(1, 3)))
    with through(player) as url:
        with pytest.raises(openai.APIConnectionError) as raised:
            create(url, ONCE, **ASK)
        assert create(url, ONCE, **ASK).choices[0].message.content == "Three."
    assert type(raised.value.__cause__).__name__ == "ReadError"
    assert player.account.complete


def test_a_truncated_stream_breaks(through, create, streaming):
    """After the first event and half of the second the connection ends: an error, never a short answer."""
    player = streaming(TruncateFault(kind="truncate", service="openai", after_chunks=1))
    with through(player) as url, pytest.raises(openai.APIConnectionError) as raised:
        create(url, ONCE, **ASK, stream=True)
    assert "incomplete chunked read" in str(raised.value.__cause__)
    assert player.account.complete


def test_a_stream_that_ends_early_ends_well(through, create, streaming):
    """As a proxy cuts it: the events before it are all there is."""
    player = streaming(TruncateFault(kind="truncate", service="openai", after_chunks=2, ending="end"))
    with through(player) as url:
        assert text(create(url, ONCE, **ASK, stream=True)) == "Drei größe "
    assert player.account.complete


def test_a_malformed_stream_is_the_sdks_to_refuse(through, create, streaming):
    """The event between two others holds JSON that breaks off."""
    player = streaming(MalformedFault(kind="malformed", service="openai", after_chunks=1))
    with through(player) as url, pytest.raises(json.JSONDecodeError):
        create(url, ONCE, **ASK, stream=True)
    assert player.account.complete


def test_malformed_json_is_the_sdks_to_refuse(through, create, completing):
    """The body is well framed, and half of its JSON."""
    player = completing(MalformedJsonFault(kind="malformed_json", service="openai"))
    with through(player) as url, pytest.raises(json.JSONDecodeError):
        create(url, ONCE, **ASK)
    assert player.account.complete


def test_slow_chunks_take_their_time(through, create, streaming):
    """Each of four chunks comes 30 ms after the one before, though the replay gives all others at once."""
    player = streaming(SlowFault(kind="slow", service="openai", delay_ms=30))
    start = time.monotonic()
    with through(player) as url:
        assert text(create(url, ONCE, **ASK, stream=True)) == "".join(WORDS)
    assert time.monotonic() - start >= 0.12


@pytest.mark.parametrize("sizes", [(1,), (2,), (3, 1, 7)])
def test_every_cut_gives_the_same_events(through, create, streaming, sizes):
    """Each byte by itself, inside lines, words and characters, and chunks of other sizes."""
    with through(streaming()) as url:
        whole = create(url, ONCE, **ASK, stream=True)
    player = streaming(SplitFault(kind="split", service="openai", sizes=sizes))
    with through(player) as url:
        assert create(url, ONCE, **ASK, stream=True) == whole
    assert player.account.complete


def test_faults_bend_together_in_their_order(through, create, streaming):
    """Cut into bytes first, it breaks off after ten of them."""
    player = streaming(
        SplitFault(kind="split", service="openai"), TruncateFault(kind="truncate", service="openai", after_chunks=10)
    )
    answer = player.play(Asked("openai", "POST", "/chat/completions", (), json.dumps({**ASK, "stream": True}).encode()))
    assert [len(chunk) for chunk in answer.chunks] == [1] * 10 + [0]
    assert player.account.faults == (0, 1)
    player = streaming(
        SplitFault(kind="split", service="openai"), TruncateFault(kind="truncate", service="openai", after_chunks=10)
    )
    with through(player) as url, pytest.raises(openai.APIConnectionError):
        create(url, ONCE, **ASK, stream=True)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (TimeoutFault(kind="timeout", service="openai"), (requests.ReadTimeout, asyncio.TimeoutError)),
        (ResetFault(kind="reset", service="openai"), (requests.ConnectionError, aiohttp.ClientOSError)),
        (
            TruncateFault(kind="truncate", service="openai", after_chunks=1),
            (requests.exceptions.ChunkedEncodingError, aiohttp.ClientPayloadError),
        ),
        (StatusFault(kind="status", service="openai", status=500), (None, None)),
        (SlowFault(kind="slow", service="openai", delay_ms=20), (None, None)),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
@pytest.mark.parametrize("client", ["requests", "aiohttp"])
@pytest.mark.parametrize("door", ["gateway", "in_process"])
def test_other_clients_meet_the_same(tapes, gateway, fault, error, client, door):
    """requests and aiohttp, through either door: each gets its own error, or the same bytes in the same time."""
    http_client_door.install()
    aiohttp_door.install()
    player = tapes.player(tapes.interaction("/chat", b"{}", b"one", b"two"), faults=(fault,))
    patience = 0.2 if fault.kind == "timeout" else 30

    async def later(url):
        timeout = aiohttp.ClientTimeout(sock_read=patience)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, data=b"{}") as response,
        ):
            return response.status, await response.read()

    def ask(url):
        if client == "aiohttp":
            return asyncio.run(later(url))
        response = requests.post(url, data=b"{}", timeout=patience)
        return response.status_code, response.content

    def outcome(url):
        start = time.monotonic()
        expected = error[client == "aiohttp"]
        if expected is not None:
            with pytest.raises(expected):
                ask(url)
            return
        status, body = ask(url)
        assert (status, body) == (200, b"onetwo") if fault.kind == "slow" else status == 500
        assert fault.kind != "slow" or time.monotonic() - start >= 0.04

    if door == "gateway":
        outcome(gateway.open(player, tapes.routes).url("openai") + "/chat")
    else:
        with hearing(Heard(player, tapes.routes)):
            outcome("https://api.openai.com/v1/chat")
    assert player.account.faults == (0,)


def test_a_reset_really_resets(tapes, gateway, dial):
    """The client's socket says so: it is no orderly end that a client may take for an answer."""
    lane = gateway.open(tapes.player(faults=(ResetFault(kind="reset", service="openai"),)), tapes.routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    with pytest.raises(ConnectionResetError):
        client.socket.recv(1)


def recording(provider, faults):
    """A recorder of `provider` that meets faults, and its routes."""
    routes = Routes({"openai": Route("openai", "https://api.openai.com/v1", provider.url)})
    return Recorder(routes, Redactor({}), Ledger(), faults=tuple(enumerate(faults))), routes


def test_a_fault_is_met_while_recording_as_in_replay(create, through, tapes, chat, gateway, provide):
    """The agent retries after a 429 that no provider sent; the recording holds what the provider did send, once."""
    body = chat.completion("Three.")
    provider = provide(
        lambda call: call.send(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )
    )
    faults = (StatusFault(kind="status", service="openai", status=429, headers=AT_ONCE, calls=(1,)),)
    recorder, routes = recording(provider, faults)
    lane = gateway.open(recorder, routes)
    live = create(lane.url("openai"), {"max_retries": 1}, **ASK)
    lane.close()
    assert len(provider.calls) == 1
    (interaction,) = recorder.interactions()
    assert interaction.response.body == body
    player = tapes.player(interaction, faults=faults)
    with through(player) as url:
        assert create(url, {"max_retries": 1}, **ASK) == live
    assert player.account.complete


@pytest.mark.parametrize(
    "fault",
    [
        SplitFault(kind="split", service="openai", sizes=(5,)),
        SlowFault(kind="slow", service="openai", delay_ms=5),
        TruncateFault(kind="truncate", service="openai", after_chunks=1, ending="end"),
    ],
    ids=lambda fault: fault.kind,
)
def test_a_bent_answer_is_recorded_whole(create, through, tapes, chat, gateway, provide, fault):
    """The agent hears it bent while it records, and the same again in replay: the recording holds it as it came."""
    events = [event + b"\n\n" for event in chat.stream(*WORDS).split(b"\n\n")[:-1]]

    def script(call):
        call.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for event in events:
            call.chunk(event)
        call.send(b"0\r\n\r\n")

    recorder, routes = recording(provide(script), (fault,))
    lane = gateway.open(recorder, routes)
    live = create(lane.url("openai"), ONCE, **ASK, stream=True)
    lane.close()
    (interaction,) = recorder.interactions()
    assert interaction.response.body == b"".join(events)
    assert interaction.chunks.ended == "eof"
    if len(interaction.chunks.sizes) == len(events):  # the provider's writes were not merged on their way
        player = tapes.player(interaction, faults=(fault,))
        with through(player) as url:
            assert create(url, ONCE, **ASK, stream=True) == live


def test_an_unreachable_provider_spoils_a_bent_recording_too(create, gateway):
    """The agent hears the gateway's 502."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    class Nobody:
        url = f"http://127.0.0.1:{port}"

    recorder, routes = recording(Nobody, (SplitFault(kind="split", service="openai"),))
    lane = gateway.open(recorder, routes)
    with pytest.raises(openai.InternalServerError):
        create(lane.url("openai"), ONCE, **ASK)
    lane.close()
    assert "could not be reached" in recorder.broken()[0]


def test_a_door_that_cannot_bend_records_no_task_with_faults(provide):
    """Rather than recording as if there were none."""
    recorder, _ = recording(provide(lambda call: None), (SplitFault(kind="split", service="openai"),))
    with pytest.raises(ValueError, match="through the gateway"):
        recorder.begin(Asked("openai", "POST", "/chat", (), b"{}"))
