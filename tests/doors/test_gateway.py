"""The gateway as a server: lanes, sockets, beginning and end."""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tapegate.doors.gateway import Gateway
from tapegate.errors import Unavailable

TCP_LISTEN = "0A"


def test_a_recording_is_replayed_with_its_chunks(gateway, tapes, dial):
    """Each recorded chunk is one chunk of HTTP, with the bytes it was recorded with."""
    recorded = (b"data: on", b"e\n\nda", b"ta: two\n", b"\n", b"\xf0\x9f", b"\x93\x84")
    lane = gateway.open(player := tapes.player(tapes.interaction("/chat", b"{}", *recorded)), tapes.routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    status, headers = client.head()
    assert (status, headers["transfer-encoding"], tuple(client.http_chunks())) == (200, "chunked", recorded)
    assert player.account.complete


def test_many_chunks_that_are_written_at_once_stay_apart(gateway, tapes, dial):
    """Two hundred chunks leave in one write, and are two hundred chunks of HTTP."""
    recorded = tuple(b"data: %d\n\n" % number for number in range(200))
    lane = gateway.open(tapes.player(tapes.interaction("/chat", b"{}", *recorded)), tapes.routes)
    client = dial(gateway).ask(lane, "/openai/chat")
    client.head()
    assert tuple(client.http_chunks()) == recorded


def test_lanes_are_distinct_and_hear_their_own_tape(gateway, tapes, dial):
    """The same request in eight lanes at once gets eight different recordings, forty times over."""
    lanes = [
        gateway.open(
            tapes.player(*(tapes.interaction("/q", b"{}", b"lane %d, %d" % (number, turn)) for turn in range(40))),
            tapes.routes,
        )
        for number in range(8)
    ]
    together = threading.Barrier(8)

    def agent(number: int) -> list[bytes]:
        client = dial(gateway)
        together.wait()
        return [client.ask(lanes[number], "/openai/q").response()[2] for _ in range(40)]

    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(agent, range(8)))
    assert heard == [[b"lane %d, %d" % (number, turn) for turn in range(40)] for number in range(8)]
    assert len({lane.id for lane in lanes}) == 8
    assert all(lane.heard.tape.account.complete for lane in lanes)


def test_a_lane_has_a_url_for_each_service(gateway, tapes):
    """The base URL names loopback, the gateway's port or an adopted one, the lane and the service."""
    lane = gateway.open(tapes.player(), tapes.routes)
    assert lane.url("openai") == f"http://127.0.0.1:{gateway.port}/{lane.id}/openai"
    assert lane.url("openai", port=8080) == f"http://127.0.0.1:8080/{lane.id}/openai"


def test_a_closed_lane_answers_nobody(gateway, tapes, dial):
    """A request that comes after its trial has ended is refused and takes nothing from the tape."""
    player = tapes.player(tapes.interaction("/q", b"{}", b"late"))
    lane = gateway.open(player, tapes.routes)
    lane.close()
    status, headers, body = dial(gateway).ask(lane, "/openai/q").response()
    assert (status, headers["x-should-retry"]) == (404, "false")
    assert b"its trial has ended" in body
    assert player.account.played == 0


def test_closing_a_lane_twice_is_closing_it_once(gateway, tapes):
    """A second close does nothing."""
    lane = gateway.open(tapes.player(), tapes.routes)
    lane.close()
    lane.close()


def test_nothing_listens_but_loopback():
    """A gateway opens one listening socket, and it is bound to 127.0.0.1."""
    before = _listening()
    with Gateway() as gateway:
        assert _listening() - before == {f"0100007F:{gateway.port:04X}"}


def _listening() -> set[str]:
    """The addresses that this process listens on, as the kernel's tables write them."""
    mine = _sockets_of_this_process()
    return {
        address
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]
        for address, state, inode in [(line.split()[1], line.split()[3], line.split()[9])]
        if state == TCP_LISTEN and inode in mine
    }


def _sockets_of_this_process() -> set[str]:
    """Inodes, as the kernel's tables name them."""
    inodes = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the descriptor that lists the folder is gone by now
            inodes.add(str(entry.readlink()).removeprefix("socket:[").removesuffix("]"))
    return inodes


def test_a_socket_bound_elsewhere_is_served_too(gateway, tapes, dial):
    """An adopted socket reaches the same lanes, until it is closed; the gateway's own goes on."""
    elsewhere = socket.create_server(("127.0.0.1", 0))
    adopted = gateway.adopt(elsewhere)
    lane = gateway.open(
        tapes.player(tapes.interaction("/q", b"{}", b"1"), tapes.interaction("/q", b"{}", b"2")), tapes.routes
    )
    assert dial(adopted.port).ask(lane, "/openai/q").response()[2] == b"1"
    adopted.close()
    with pytest.raises(ConnectionRefusedError):
        dial(adopted.port)
    assert dial(gateway).ask(lane, "/openai/q").response()[2] == b"2"


def test_leaving_the_block_ends_everything(tapes, dial):
    """After the block no thread of the gateway lives, nothing listens, and open connections are closed."""
    before = threading.active_count()
    with Gateway() as gateway:
        lane = gateway.open(tapes.player(tapes.interaction("/q", b"{}", b"1")), tapes.routes)
        client = dial(gateway)
        client.ask(lane, "/openai/q").response()
        port = gateway.port
    assert threading.active_count() == before
    assert client.rest() == b""
    with pytest.raises(ConnectionRefusedError):
        dial(port)


def test_a_gateway_can_be_started_again(tapes, dial):
    """One object, two blocks: each serves."""
    gateway = Gateway()
    for _ in range(2):
        with gateway:
            lane = gateway.open(tapes.player(tapes.interaction("/q", b"{}", b"1")), tapes.routes)
            assert dial(gateway).ask(lane, "/openai/q").response()[2] == b"1"


def test_a_machine_without_a_port_is_named(monkeypatch):
    """Where nothing can listen the error says so, and points at the doctor (PRO-10)."""

    def none_left(*args: object, **rest: object) -> socket.socket:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr("socket.create_server", none_left)
    with pytest.raises(Unavailable, match="Address already in use") as raised, Gateway():
        pass
    assert raised.value.exit_code == 3


def test_a_failure_inside_the_gateway_is_no_silence(gateway, tapes, dial):
    """When the player itself breaks, the client hears 500, and whoever closes the lane hears why."""
    player = tapes.player()

    def broken(asked: object) -> None:
        raise RuntimeError("a defect of ours")

    player.play = broken
    lane = gateway.open(player, tapes.routes)
    status, headers, _ = dial(gateway).ask(lane, "/openai/q").response()
    assert (status, headers["x-should-retry"]) == (500, "false")
    with pytest.raises(RuntimeError, match="a defect of ours"):
        lane.close()


def test_a_lane_is_called_what_its_opener_says(gateway, tapes):
    """Its name stands in the URL that an agent sees; two of one name at once are kept apart."""
    first, second = (gateway.open(tapes.player(), tapes.routes, name="RET-01~A1~1") for _ in range(2))
    assert first.url("openai") == f"http://127.0.0.1:{gateway.port}/RET-01~A1~1/openai"
    assert second.id == "RET-01~A1~1~2"
    first.close()
    assert gateway.open(tapes.player(), tapes.routes, name="RET-01~A1~1").id == "RET-01~A1~1"


def test_no_chunk_waits_for_the_one_before_to_be_acknowledged(gateway, dial):
    """Nagle's algorithm is off on every connection: with it a paced or recorded stream stalls for 40 ms a chunk."""
    client = dial(gateway)
    client.send(b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n")
    assert client.response()[0] == 404
    (connection,) = gateway._connections
    opened = connection._transport.get_extra_info("socket")
    assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
