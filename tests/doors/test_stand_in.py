"""vcrpy's patchers in place of a door: tornado's client hears its tape, one trial at a time."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest
from tornado.httpclient import AsyncHTTPClient
from tornado.simple_httpclient import HTTPTimeoutError

from tapegate.doors import armed, stand_in
from tapegate.doors.current import Heard, hearing
from tapegate.errors import NotJudged
from tapegate.tape.wire import Answer

URL = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def installed():
    """The stand-in is in; doing it again changes nothing."""
    stand_in.install()
    stand_in.install()


def post(url: str = f"{URL}/chat", body: bytes = b"{}", **more):
    """Ask once, by an event loop and a client of its own."""

    async def agent():
        client = AsyncHTTPClient(force_instance=True)
        try:
            return await client.fetch(url, method="POST", body=body, raise_error=False, **more)
        finally:
            client.close()

    return asyncio.run(agent())


def test_a_recording_is_played(tapes):
    """Status, reason, headers and body; and the account says who stood in."""
    player = tapes.player(tapes.interaction("/chat", b"{}", b"one", b"two", status=203, reason="Fine"))
    with hearing(Heard(player, tapes.routes)):
        response = post()
    assert (response.code, response.reason, response.body) == (203, "Fine", b"onetwo")
    assert player.account.complete
    assert player.ledger.stand_ins == ["tornado"]


def test_a_miss_is_an_answer(tapes):
    """The same 424 as through any door, and one miss."""
    player = tapes.player()
    with hearing(Heard(player, tapes.routes)):
        response = post()
    assert (response.code, json.loads(response.body)["error"]["code"]) == (424, "tapegate_miss")
    assert len(player.account.misses) == 1


def test_an_address_that_no_service_has_is_refused_and_accounted(tapes):
    """Nothing is sent; the error is the client's."""
    player = tapes.player()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        refused = pytest.raises(ConnectionRefusedError, match="no service in evals")
        with hearing(Heard(player, tapes.routes)), refused:
            post(f"http://{address}/x")
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()
    assert [one.address for one in player.account.network] == [address]


def test_an_armed_process_without_a_tape_refuses():
    """As every door does."""
    addresses: list[str] = []
    armed.arm(addresses.append)
    try:
        with pytest.raises(ConnectionRefusedError, match="no tape is set"):
            post("http://192.0.2.1/x")
    finally:
        armed.disarm()
    assert addresses == ["192.0.2.1:80"]


def test_a_second_trial_is_refused_while_the_first_is_heard(tapes):
    """Its attempt is on its own account; once the first is over, a trial may ask."""
    first, second, third = (tapes.player(tapes.interaction("/chat", b"{}", b"1")) for _ in range(3))
    with hearing(Heard(first, tapes.routes)):
        assert post().body == b"1"
        with (
            hearing(Heard(second, tapes.routes)),
            pytest.raises(ConnectionRefusedError, match="one trial at a time"),
        ):
            post()
        assert [one.address for one in second.account.network] == ["api.openai.com:443"]
    with hearing(Heard(third, tapes.routes)):
        assert post().body == b"1"


@pytest.mark.parametrize(("lost", "error"), [("timeout", HTTPTimeoutError), ("reset", ConnectionResetError)])
def test_what_is_never_answered_is_the_clients_own_error(tapes, monkeypatch, lost, error):
    """A recorded time-out and a reset."""
    player = tapes.player()
    monkeypatch.setattr(player, "play", lambda asked: Answer(0, "", (), (), (), lost=lost))
    with hearing(Heard(player, tapes.routes)), pytest.raises(error):
        post()


def test_what_vcrpy_cannot_play_leaves_the_recording_unplayed(tapes):
    """A streamed answer is none of vcrpy's: the client hears an error and the trial is incomplete, never a pass."""
    player = tapes.player(tapes.interaction("/chat", b"{}", b"1"))
    with hearing(Heard(player, tapes.routes)), pytest.raises(Exception, match="not yet supported by VCR"):
        post(streaming_callback=lambda _: None)
    assert not player.account.complete


def test_it_records_nothing(tapes):
    """A recording through it is spoiled and says why: the gateway records."""
    recorder, routes = tapes.recorder("http://127.0.0.1:9")
    with hearing(Heard(recorder, routes)), pytest.raises(ConnectionRefusedError, match="refused to record"):
        post()
    with pytest.raises(NotJudged, match="through the gateway"):
        recorder.interactions()


def test_without_a_tape_and_unarmed_nothing_changes(provide):
    """The real client asks the real server."""
    provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nreal"))
    assert post(f"{provider.url}/x").body == b"real"
