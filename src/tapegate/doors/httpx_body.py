"""Response bodies as httpx and httpx2 read them: played from a tape, or recorded while they pass."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from tapegate.doors.framing import Framed
from tapegate.tape.recorder import Take

BROKEN = "peer closed connection without sending complete message body (incomplete chunked read)"
"""What the client itself says of a gateway that breaks off."""


class Bodies:
    """Makes bodies of the stream types that one package checks for."""

    def __init__(self, client: Any) -> None:
        self._broken: type[Exception] = client.RemoteProtocolError
        # One class for both kinds of client: a body is read by the kind that sent its request.
        base = (client.SyncByteStream, client.AsyncByteStream)
        self._played: Any = type("Played", (_Played, *base), {})
        self._recorded: Any = type("Recorded", (_Recorded, *base), {})

    def played(self, framed: Framed, at_us: Sequence[int]) -> Any:
        """A recorded body; `at_us` is when each chunk comes, or empty for at once."""
        return self._played(framed, at_us, self._broken)

    def recorded(self, stream: Any, take: Take) -> Any:
        """The body that arrives through `stream`, told to `take` as it passes."""
        return self._recorded(stream, take)


class _Played:
    def __init__(self, framed: Framed, at_us: Sequence[int], broken: type[Exception]) -> None:
        self._framed = framed
        self._at_us = at_us
        self._broken = broken
        self._start = time.monotonic() if at_us else 0.0

    def __iter__(self) -> Iterator[bytes]:
        for place, chunk in enumerate(self._framed.chunks):
            if self._at_us:
                time.sleep(self._wait(place))
            yield chunk
        self._finish()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for place, chunk in enumerate(self._framed.chunks):
            if self._at_us:
                import anyio

                await anyio.sleep(self._wait(place))
            yield chunk
        self._finish()

    def _wait(self, place: int) -> float:
        return max(0.0, self._start + self._at_us[place] / 1e6 - time.monotonic())

    def _finish(self) -> None:
        if not self._framed.whole:
            raise self._broken(BROKEN)


class _Recorded:
    """Passes each chunk on, stamped. How the agent left it is how the take ends: the first word counts."""

    def __init__(self, stream: Any, take: Take) -> None:
        self._stream = stream
        self._take = take

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._stream:
                self._take.chunk(chunk)
                yield chunk
        except GeneratorExit:
            self._take.end("client_closed")
            raise
        except BaseException:
            self._take.end("error")
            raise
        self._take.end("eof")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                self._take.chunk(chunk)
                yield chunk
        except GeneratorExit:
            self._take.end("client_closed")
            raise
        except Exception:
            self._take.end("error")
            raise
        self._take.end("eof")

    def close(self) -> None:
        self._take.end("client_closed")
        self._stream.close()

    async def aclose(self) -> None:
        self._take.end("client_closed")
        await self._stream.aclose()
