"""One client's connection to the gateway: requests in, answers out, in the order of the requests."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, cast

import httptools

from tapegate.doors import http1
from tapegate.doors.framing import arrivals, frame
from tapegate.doors.lane import Lane
from tapegate.doors.refusal import decline, refusal, websocket
from tapegate.doors.relay import collect, relay
from tapegate.doors.request_reader import BODY_LIMIT, RequestReader
from tapegate.doors.switchboard import Connected, Received, connect, refuse_proxy
from tapegate.doors.upstream import Upstream
from tapegate.tape.faults import Met
from tapegate.tape.recorder import Recorder, Take
from tapegate.tape.wire import Answer

HEAD_LIMIT = 1024 * 1024
"""Bytes of a request's line and headers."""
LINGER_S = 2.0
"""How long a client may still send after it was refused: closing on unread bytes would take the refusal with it."""
HTTP2 = b"PRI * HTTP/2"
TLS = b"\x16\x03"


class Connection(RequestReader, asyncio.Protocol):
    """Parses requests as they arrive; answers a replayed one before returning to the event loop.

    While an answer is streamed (a recording, or a replay in recorded time), requests that the client has already
    sent wait in line.
    """

    _transport: asyncio.Transport

    def __init__(self, lanes: Mapping[str, Lane], upstream: Upstream, connections: set[Connection]) -> None:
        self._lanes = lanes
        self._upstream = upstream
        self._connections = connections
        self._waiting: deque[Received] = deque()
        self._exchange: asyncio.Task[bool] | None = None
        self._deaf = False
        self._drained = asyncio.Event()
        self._drained.set()
        super().__init__()

    # The transport's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        opened = transport.get_extra_info("socket")
        if opened is not None and opened.family in (socket.AF_INET, socket.AF_INET6):
            # asyncio does so only where the listening socket named its protocol, which `socket.create_server` does not:
            # a chunk would then wait for the acknowledgement of the one before, 40 ms.
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._waiting.clear()
        self._drained.set()
        if self._exchange is not None:
            self._exchange.cancel()

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError as error:
            self._garbled(data, str(error))
        else:
            if not self._head_done:
                self._head_size += len(data)
                if self._head_size > HEAD_LIMIT:
                    why = f"the head of a request is limited to {HEAD_LIMIT} bytes"
                    self._reject(refusal(431, "tapegate_head_too_large", why))

    # What answers use.

    def write(self, data: bytes) -> None:
        """Send now what the socket takes, the rest when it can."""
        self._transport.write(data)

    async def drained(self) -> None:
        """Wait until the client has caught up."""
        await self._drained.wait()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    # What becomes of a request.

    def _take(self, received: Received) -> None:
        if self._exchange is None:
            self._serve(received)
        else:
            self._waiting.append(received)
            self._transport.pause_reading()

    def _connect(self, received: Received) -> Connected | Answer:
        """The tape that a request is meant for, or what is wrong with it."""
        return connect(self._lanes, received)

    def _serve(self, received: Received) -> None:
        if self._transport.is_closing():
            return
        connected = self._connect(received)
        if isinstance(connected, Answer):
            self._answer(connected, received)
            return
        try:
            self._serve_lane(connected, received)
        except Exception as error:  # noqa: BLE001  whatever broke, the lane must know, and the client must hear it
            connected.lane.fail(error)
            self._answer(refusal(500, "tapegate_failure", f"the gateway failed: {error!r}"), received)

    def _serve_lane(self, connected: Connected, received: Received) -> None:
        lane, service, path, _ = connected
        tape = lane.heard.tape
        if received.too_large:
            decline(lane.heard, connected.asked, f"a request of more than {BODY_LIMIT} bytes")
            self._answer(refusal(413, "tapegate_too_large", f"a body is limited to {BODY_LIMIT} bytes"), received)
        elif isinstance(tape, Recorder):
            self._record(tape, connected, received)
        else:
            answer = tape.at_hand(service, received.method, path, received.body)
            self._give(answer or tape.play(connected.asked), lane, received)

    def _record(self, recorder: Recorder, connected: Connected, received: Received) -> None:
        asked = connected.asked
        met = recorder.meet(asked)
        if met.instead is not None:
            self._give(met.instead, connected.lane, received)
            return
        take = recorder.begin(asked, met=met)
        exchange = (
            (lambda: self._relay_bent(take, met, connected, received))
            if met.bends
            else (lambda: relay(self._upstream, take, connected, received, self))
        )
        self._start(connected.lane, received, exchange)

    def _give(self, answer: Answer, lane: Lane, received: Received) -> None:
        if answer.lost is not None:
            self._lose(answer.lost)
        elif (lane.heard.pace == "at_once" and not answer.paced) or not answer.chunks:
            self._answer(answer, received)
        else:
            self._start(lane, received, lambda: self._in_time(answer, received))

    def _lose(self, how: Literal["timeout", "reset"]) -> None:
        """No answer: silence until the client hangs up, or an end of the connection that it does not expect."""
        self._deaf = True
        if how == "reset":
            self._reset()

    def _reset(self) -> None:
        # Closing at once, with nothing that lingers, sends RST (SO_LINGER in socket(7)).
        at_once = struct.pack("ii", 1, 0)
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self._transport.abort()

    async def _relay_bent(self, take: Take, met: Met, connected: Connected, received: Received) -> bool:
        """What the service answers is recorded as it comes; the client gets it bent, when it is complete."""
        answer = met.bend(await collect(self._upstream, take, connected))
        if answer.paced:
            return await self._in_time(answer, received)
        framed = frame(answer, received.method)
        close = not (received.keep_alive and framed.whole)
        self._send(http1.response(answer, framed, close=close, old=received.old))
        return framed.whole

    def _answer(self, answer: Answer, received: Received) -> None:
        framed = frame(answer, received.method)
        close = not (received.keep_alive and framed.whole)
        self._send(http1.response(answer, framed, close=close, old=received.old))
        if close:
            self._transport.close()

    def _send(self, pieces: list[bytes]) -> None:
        """Write a whole answer. One write for all of it: a system call costs as much as the rest of an exchange."""
        self._transport.write(b"".join(pieces))

    async def _in_time(self, answer: Answer, received: Received) -> bool:
        """Write each chunk no earlier than it arrived when it was recorded."""
        start = asyncio.get_running_loop().time()
        framed = frame(answer, received.method)
        times = arrivals(answer)
        close = not (received.keep_alive and framed.whole)
        head, blank, *pieces = http1.response(answer, framed, close=close, old=received.old)
        self.write(head + blank)
        for place, piece in enumerate(pieces):
            if place < len(times):
                await asyncio.sleep(start + times[place] / 1e6 - asyncio.get_running_loop().time())
            self.write(piece)
            await self.drained()
        return framed.whole

    def _start(self, lane: Lane, received: Received, exchange: Callable[[], Coroutine[Any, Any, bool]]) -> None:
        self._exchange = asyncio.get_running_loop().create_task(self._see_through(lane, exchange))
        lane.exchanges.add(self._exchange)
        self._exchange.add_done_callback(lambda task: self._ended(task, lane, received))

    async def _see_through(self, lane: Lane, exchange: Callable[[], Coroutine[Any, Any, bool]]) -> bool:
        try:
            return await exchange()
        except Exception as error:  # noqa: BLE001  as in _serve
            lane.fail(error)
            return False

    def _ended(self, task: asyncio.Task[bool], lane: Lane, received: Received) -> None:
        lane.exchanges.discard(task)
        self._exchange = None
        if task.cancelled() or not task.result() or not received.keep_alive or self._deaf:
            self._transport.close()
            return
        while self._waiting and self._exchange is None:
            self._serve(self._waiting.popleft())
        if self._exchange is None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._welcome()

    def _welcome(self) -> None:
        """Ask for the body that a client holds back until it is asked."""
        if self._expects and self._head_done and self._exchange is None:
            self._transport.write(http1.CONTINUE)
            self._expects = False

    # What is no request of HTTP/1.

    def _upgrade(self, rest: bytes) -> None:
        """The client proposes another protocol, and `rest` follows its proposal."""
        method = self._parser.get_method().decode("latin-1")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self._headers]
        proposed = " ".join(value.lower() for name, value in headers if name.lower() == "upgrade")
        if method == "CONNECT":
            self._reject(refuse_proxy(self._lanes, self._url.decode("latin-1"), tuple(headers)))
        elif "websocket" in proposed:
            connected = self._connect(self._received())
            if isinstance(connected, Connected):
                connected = websocket(connected.lane.heard, connected.asked)
            self._reject(connected)
        else:
            # An offer of HTTP/2 over plain text (Java's client makes it with every request) may be passed over.
            # The parser already gave up on the body, so it gets the request again without the offer.
            lines = [f"{method} {self._url.decode('latin-1')} HTTP/1.1"]
            lines += [f"{name}: {value}" for name, value in headers if name.lower() != "upgrade"]
            self._parser = httptools.HttpRequestParser(self)
            self.data_received("\r\n".join([*lines, "", ""]).encode("latin-1") + rest)

    def _garbled(self, data: bytes, error: str) -> None:
        if self._parser.get_method() == b"PRI" or data.startswith(HTTP2):
            # It names no lane. A replay shows that its recording was not asked for; a recording would just lack it.
            for lane in self._lanes.values():
                if isinstance(lane.heard.tape, Recorder):
                    lane.heard.tape.attempted("the gateway, by HTTP/2 over plain text")
            self._reject(refusal(501, "tapegate_http2", "the gateway speaks HTTP/1.1, not HTTP/2 over plain text"))
            return
        hint = "; it speaks plain HTTP: use an http:// base URL" if data.startswith(TLS) else ""
        connected = self._connect(self._received())
        if isinstance(connected, Connected):
            decline(connected.lane.heard, connected.asked, "a request that is not HTTP")
        self._reject(refusal(400, "tapegate_bad_request", f"the gateway cannot read this request: {error}{hint}"))

    def _reject(self, answer: Answer) -> None:
        """Answer, hear nothing more, and close once the client has had time to read that."""
        self._deaf = True
        if self._exchange is not None:
            return  # closes when that has ended
        framed = frame(answer, "")
        self._transport.write(b"".join(http1.response(answer, framed, close=True, old=False)))
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(LINGER_S, self._transport.abort)
