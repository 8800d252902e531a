"""A connection inside this process: two asyncio transports, each the other's far end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

HIGH_WATER = 1 << 16
"""Bytes that may wait for a reader that has paused before the writer is told to pause too."""


class End(asyncio.Transport):
    """One end. What is written arrives at the other's protocol piece by piece, one each turn of the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._loop = loop
        self._protocol: asyncio.BaseProtocol = protocol
        self._arriving: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._full = False
        self._ending = False
        self._closing = False
        self._lost = False
        self._scheduled = False
        self.far: End = self

    @classmethod
    def link(cls, near: asyncio.Protocol, far: asyncio.Protocol) -> tuple[End, End]:
        """Connect two protocols of the running loop; each hears `connection_made`, the far one first."""
        loop = asyncio.get_running_loop()
        here, there = cls(loop, near), cls(loop, far)
        here.far, there.far = there, here
        far.connection_made(there)
        near.connection_made(here)
        return here, there

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Give `data` to the other end."""
        self.writelines([data])

    def writelines(self, pieces: Iterable[bytes | bytearray | memoryview]) -> None:
        """Give each piece to the other end by itself."""
        if self._closing or self.far._closing:
            return
        for piece in filter(None, map(bytes, pieces)):
            self.far._arriving.append(piece)
            self.far._waiting += len(piece)
        self.far._throttle()
        self.far._schedule()

    def can_write_eof(self) -> bool:
        """Yes: an end that has said all may still hear."""
        return True

    def write_eof(self) -> None:
        """Nothing more will be written here."""
        self.far._ending = True
        self.far._schedule()

    def is_closing(self) -> bool:
        """Whether it is closed or about to be."""
        return self._closing

    def close(self) -> None:
        """Close both ends; what was written before still arrives."""
        if not self._closing:
            self._closing = True
            self._arriving.clear()
            self._loop.call_soon(self._lose, None)
            self.far._ending = True
            self.far._schedule()

    def abort(self, error: OSError | None = None) -> None:
        """Close both ends at once; the other end's protocol hears of `error`."""
        self.close()
        far = self.far
        if not far._closing:
            far._closing = True
            far._arriving.clear()
            self._loop.call_soon(far._lose, error)

    def pause_reading(self) -> None:
        """Deliver nothing for now."""
        self._paused = True

    def resume_reading(self) -> None:
        """Go on delivering."""
        self._paused = False
        self._schedule()

    def is_reading(self) -> bool:
        """Whether what arrives is delivered."""
        return not self._paused and not self._closing

    def get_write_buffer_size(self) -> int:
        """Bytes that the other end has not heard yet."""
        return self.far._waiting

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The limits are fixed."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Nothing: there is no socket."""
        return default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Deliver to `protocol` from now on."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who hears."""
        return self._protocol

    def _schedule(self) -> None:
        if not (self._scheduled or self._paused or self._closing):
            self._scheduled = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._scheduled = False
        if self._paused or self._closing:
            return
        assert isinstance(self._protocol, asyncio.Protocol)
        if self._arriving:
            piece = self._arriving.popleft()
            self._waiting -= len(piece)
            self._throttle()
            self._protocol.data_received(piece)
            self._schedule()
        elif self._ending:
            self._ending = False
            if not self._protocol.eof_received() or self.far._closing:
                self.close()

    def _throttle(self) -> None:
        """Tell the writer at the other end when to stop and when to go on."""
        full = self._waiting > HIGH_WATER
        if full is not self._full and not self.far._closing:
            self._full = full
            writer = self.far._protocol
            if full:
                writer.pause_writing()
            else:
                writer.resume_writing()

    def _lose(self, error: OSError | None) -> None:
        if not self._lost:
            self._lost = True
            self._protocol.connection_lost(error)
