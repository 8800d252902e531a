"""A socket whose other end is the tape: what the standard library's HTTP client writes is matched, what it reads plays.

The client stays the real one, from its request lines to its parser: it asks on a connection and reads from one, and so
it sees what it would see at the gateway.
"""

from __future__ import annotations

import errno
import io
import math
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Protocol

import httptools

from tapegate.doors import http1
from tapegate.doors.armed import Refused, hear, unrouted
from tapegate.doors.current import Heard
from tapegate.doors.fetch import Fetch
from tapegate.doors.framing import arrivals, frame
from tapegate.doors.refusal import decline, refusal, websocket
from tapegate.doors.request_reader import BODY_LIMIT, RequestReader
from tapegate.doors.switchboard import Received
from tapegate.tape.recorder import Recorder
from tapegate.tape.wire import Answer, Asked

Refuse = Callable[[str], Exception]
"""Makes the client's own error of a connection that cannot be had."""

_URL = re.compile(r"https?://", re.IGNORECASE)


class Pieces(Protocol):
    """An answer on its way to the client."""

    @property
    def over(self) -> bool:
        """Whether nothing more comes and the connection is as good as before."""

    def read(self) -> bytes:
        """The next bytes; none at the end. Raises OSError where the connection breaks."""

    def close(self) -> None:
        """The client reads no further."""


class TapeSocket(RequestReader):
    """Stands for a connected socket. Which tape hears a request is asked anew for each: a pool outlives a trial."""

    def __init__(self, origin: str, refuse: Refuse, timeout_s: float | None = None) -> None:
        """`origin` is scheme, host and port of the server that the client means."""
        super().__init__()
        self._origin = origin
        self._refuse = refuse
        self._timeout_s = timeout_s
        self._complete: Received | None = None
        self._continue = b""
        self._pieces: Pieces | None = None

    # What the client calls.

    def sendall(self, data: bytes | bytearray | memoryview) -> None:
        """Read a piece of a request; when it is whole, put it to the tape.

        Raises the client's own connection error where no tape covers it.
        """
        upgraded = False
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._complete = self._received()
            upgraded = True
        except httptools.HttpParserError as error:
            raise self._refuse(f"tapegate cannot read this request: {error}") from error
        if self._complete is not None:
            received, self._complete = self._complete, None
            self._continue = b""
            self._pieces = self._asked(received, upgraded=upgraded)
            if upgraded:
                self._parser = httptools.HttpRequestParser(self)

    send = sendall

    def makefile(self, mode: str = "rb", buffering: int | None = None, **_: object) -> io.RawIOBase | io.BufferedReader:
        """The stream that a response is read from."""
        reader = _Reader(self)
        return reader if buffering == 0 else io.BufferedReader(reader)

    def settimeout(self, timeout_s: float | None) -> None:
        """How long a read may wait."""
        self._timeout_s = timeout_s

    def gettimeout(self) -> float | None:
        """How long a read may wait."""
        return self._timeout_s

    def fileno(self) -> int:
        """A descriptor that can be read exactly when this socket can: clients poll it before they use a connection."""
        silent, readable = _descriptors()
        return readable if self._continue or (self._pieces is not None and not self._pieces.over) else silent

    def setsockopt(self, *_: object) -> None:
        """Nothing to set."""

    def shutdown(self, how: int) -> None:
        """Reading ends."""
        self.stop()

    def close(self) -> None:
        """A response that is being read goes on, as with any socket that has a file."""

    # What its reader calls.

    def piece(self) -> bytes:
        """The next bytes for the client; empty at the end of all."""
        if self._continue:
            data, self._continue = self._continue, b""
            return data
        return self._pieces.read() if self._pieces is not None else b""

    def stop(self) -> None:
        """The client reads this answer no further."""
        pieces, self._pieces = self._pieces, None
        if pieces is not None:
            pieces.close()

    # What the parser of requests calls.

    def _welcome(self) -> None:
        if self._expects:
            self._continue = http1.CONTINUE

    def _take(self, received: Received) -> None:
        self._complete = received

    # What becomes of a request.

    def _asked(self, received: Received, *, upgraded: bool) -> Pieces:
        url = received.target if _URL.match(received.target) else self._origin + received.target
        try:
            heard, found = _found(url)
        except Refused as refused:
            raise self._refuse(str(refused)) from refused
        service, path = found
        asked = Asked(service, received.method, path, received.headers, received.body)
        if isinstance(heard.tape, Recorder) and not (upgraded or received.too_large):
            return Fetch(heard, heard.tape.begin(asked), received, self._timeout_s)
        return _Played(self._answer(heard, asked, received, upgraded=upgraded), received, heard, self.gettimeout)

    def _answer(self, heard: Heard, asked: Asked, received: Received, *, upgraded: bool) -> Answer:
        if upgraded:
            return websocket(heard, asked)
        if received.too_large:
            decline(heard, asked, f"a request of more than {BODY_LIMIT} bytes")
            return refusal(413, "tapegate_too_large", f"a body is limited to {BODY_LIMIT} bytes")
        assert not isinstance(heard.tape, Recorder)
        return heard.tape.play(asked)


class _Played:
    """A recorded answer; each chunk comes no earlier than it arrived, where that is asked for."""

    def __init__(self, answer: Answer, received: Received, heard: Heard, timeout_s: Callable[[], float | None]) -> None:
        self._pieces: deque[bytes] = deque()
        self._at_us: deque[int] = deque()
        self._lost = answer.lost
        framed = frame(answer, received.method)
        if answer.lost is None:
            close = not (received.keep_alive and framed.whole)
            head, blank, *pieces = http1.response(answer, framed, close=close, old=received.old)
            self._pieces.extend((head + blank, *filter(None, pieces)))
        if heard.pace == "recorded" or answer.paced:
            self._at_us.extend((0, *arrivals(answer)))
        self._start = time.monotonic()
        self._timeout_s = timeout_s
        self._whole = framed.whole and answer.lost is None

    @property
    def over(self) -> bool:
        return self._whole and not self._pieces

    def read(self) -> bytes:
        if self._lost == "reset":
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        if self._lost == "timeout":
            self._wait(math.inf)
        if not self._pieces:
            return b""
        if self._at_us:
            self._wait(self._start + self._at_us.popleft() / 1e6 - time.monotonic())
        return self._pieces.popleft()

    def close(self) -> None:
        self._pieces.clear()

    def _wait(self, seconds: float) -> None:
        most = self._timeout_s()
        if most is not None and seconds > most:
            time.sleep(most)
            raise TimeoutError("timed out")
        if seconds == math.inf:
            threading.Event().wait()
        time.sleep(max(0.0, seconds))


class _Reader(io.RawIOBase):
    """Gives one piece a read, so that a client gets each chunk by itself."""

    def __init__(self, tape_socket: TapeSocket) -> None:
        self._socket = tape_socket
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, into: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._left:
            self._left = memoryview(self._socket.piece())
        size = min(len(into), len(self._left))
        into[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def close(self) -> None:
        if not self.closed:
            self._socket.stop()
        super().close()


def address(url: str) -> str:
    """`host:port` of a URL."""
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return host if re.search(r":\d+$", host) else f"{host}:{443 if url.lower().startswith('https') else 80}"


def _found(url: str) -> tuple[Heard, tuple[str, str]]:
    """The tape that is heard, and service and path of `url`. Raises Refused where either is missing."""
    heard = hear(lambda: address(url))
    if heard is None:
        raise Refused(f"tapegate refused a request to {address(url)!r}: the tape of this connection is gone")
    found = heard.routes.resolve(url)
    if found is None:
        raise unrouted(heard, address(url))
    return heard, found


@cache
def _descriptors() -> tuple[int, int]:
    """A descriptor that never becomes readable, and one that always is."""
    silent, _ = os.pipe()
    readable, writer = os.pipe()
    os.close(writer)
    return silent, readable
