"""Recording through the gateway: the provider's bytes go to the client as they come, and to the take beside that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tapegate.doors import http1
from tapegate.doors.framing import CHUNKED, announced, bodiless, frame
from tapegate.doors.refusal import refusal
from tapegate.doors.switchboard import Connected, Received
from tapegate.doors.upstream import Upstream
from tapegate.tape.recorder import Take
from tapegate.tape.wire import Answer, HeaderPairs

if TYPE_CHECKING:
    import httpx


class Client(Protocol):
    """The connection to the agent."""

    def write(self, data: bytes) -> None:
        """Send now what the socket takes, the rest when it can."""

    async def drained(self) -> None:
        """Wait until the client has caught up."""


@dataclass(frozen=True, slots=True)
class Passing:
    """How an answer whose end is not known yet is framed for the client."""

    head: bytes
    """Status line and headers, the empty line with them."""
    chunked: bool
    """Whether each piece is a chunk of HTTP."""
    reusable: bool
    """Whether the client can tell where it ends, and so may ask again on the same connection."""

    @classmethod
    def of(cls, status: int, reason: str, headers: HeaderPairs, received: Received) -> Passing:
        """The framing of an answer to `received` that begins like this. Raises ValueError for a head that is none."""
        said = announced(headers)
        length: HeaderPairs = () if said.length is None or said.chunked else (("content-length", str(said.length)),)
        chunked = not length and not received.old and not bodiless(received.method, status)
        start = http1.head(status, reason, said.end_to_end + ((CHUNKED,) if chunked else length))
        end = b"\r\n" if received.keep_alive else b"connection: close\r\n\r\n"
        return cls(start + end, chunked, reusable=bool(length) or not received.old)

    def piece(self, data: bytes) -> bytes:
        """`data`, which is not empty, as it is written."""
        return http1.chunk(data) if self.chunked else data

    @property
    def ending(self) -> bytes:
        """What is written after the last piece."""
        return http1.LAST_CHUNK if self.chunked else b""


async def relay(upstream: Upstream, take: Take, connected: Connected, received: Received, client: Client) -> bool:
    """Ask the provider and pass its answer on; the take gets each byte right after the client.

    Returns whether the answer came whole, so that the connection can be used again. A client that goes away cancels
    this task.
    """
    import httpx

    close = not received.keep_alive
    response = await _sent(upstream, take, connected)
    if isinstance(response, Answer):
        answer = response
        framed = frame(answer, received.method)
        client.write(b"".join(http1.response(answer, framed, close=close, old=received.old)))
        return True
    headers = _pairs(response)
    try:
        passing = Passing.of(response.status_code, response.reason_phrase, headers, received)
        client.write(passing.head)
        take.head(response.status_code, response.reason_phrase, headers)
        async for data in response.aiter_raw():
            client.write(passing.piece(data))
            take.chunk(data)
            await client.drained()
        client.write(passing.ending)
        take.end("eof")
    except asyncio.CancelledError:
        take.end("client_closed")
        raise
    except httpx.HTTPError:
        take.end("error")
        return False
    finally:
        await response.aclose()
    return passing.reusable


async def collect(upstream: Upstream, take: Take, connected: Connected) -> Answer:
    """Ask the provider and take its whole answer, which is returned; a client that goes away cancels this task."""
    import httpx

    response = await _sent(upstream, take, connected)
    if isinstance(response, Answer):
        return response
    try:
        take.head(response.status_code, response.reason_phrase, _pairs(response))
        async for data in response.aiter_raw():
            take.chunk(data)
        take.end("eof")
    except asyncio.CancelledError:
        take.end("client_closed")
        raise
    except httpx.HTTPError:
        take.end("error")
    finally:
        await response.aclose()
    return take.answer()


async def _sent(upstream: Upstream, take: Take, connected: Connected) -> httpx.Response | Answer:
    """The provider's response, its body unread; where it cannot be reached, what the client is told."""
    import httpx

    try:
        return await upstream.send(connected.lane.heard, connected.asked)
    except asyncio.CancelledError:
        take.unanswered()
        raise
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        why = f"{type(error).__name__}: {error}".removesuffix(": ")
        take.abandon(f"its provider could not be reached ({why})")
        message = f"service {connected.asked.service!r} could not be reached while recording: {why}"
        return refusal(502, "tapegate_unreachable", message)


def _pairs(response: httpx.Response) -> HeaderPairs:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
