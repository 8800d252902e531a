"""The frames that a Python subject's child sends the harness, one fact each, as they happen."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator
from typing import Any, Protocol

KINDS = (b"B", b"C", b"E", b"F", b"X")
"""The entry is imported and is asked now; a piece of an answer; its end; a fact of the replay; no entry."""
LARGEST = 256 << 20
_HEAD = struct.Struct(">cI")
_TIME = struct.Struct(">QI")


class Writable(Protocol):
    """What frames are written to: a connected socket."""

    def sendall(self, data: bytes, /) -> None:
        """Send all of `data`."""


class FrameWriter:
    """Writes frames; thread-safe, since an agent's own threads may play the tape."""

    def __init__(self, out: Writable) -> None:
        self._out = out
        self._lock = threading.Lock()

    def document(self, kind: bytes, value: Any) -> None:
        """A frame that holds JSON."""
        self.raw(kind, json.dumps(value).encode())

    def chunk(self, at_us: int, data: bytes, answer: int = 0) -> None:
        """A piece of an answer, with the microseconds since it was asked for."""
        self.raw(b"C", _TIME.pack(at_us, answer) + data)

    def raw(self, kind: bytes, payload: bytes) -> None:
        """A frame of any kind."""
        with self._lock:
            self._out.sendall(_HEAD.pack(kind, len(payload)) + payload)


class FrameReader:
    """Cuts a byte stream into frames; what a crash left unfinished at its end is no frame."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames, kind and payload, that `data` completes. Raises ValueError for bytes that are no frames."""
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._buffer)
            if kind not in KINDS or size > LARGEST:
                raise ValueError(f"no frame begins with {bytes(self._buffer[: _HEAD.size])!r}")
            if len(self._buffer) < _HEAD.size + size:
                return
            payload = bytes(self._buffer[_HEAD.size : _HEAD.size + size])
            del self._buffer[: _HEAD.size + size]
            yield kind, payload


def timed(payload: bytes) -> tuple[int, int, bytes]:
    """The time, the answer and the bytes of a chunk frame. Raises ValueError where it has no room for the first two."""
    if len(payload) < _TIME.size:
        raise ValueError(f"{payload!r} is too short for a time and an answer")
    return *_TIME.unpack_from(payload), payload[_TIME.size :]
