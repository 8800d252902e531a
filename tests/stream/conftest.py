"""What the stream tests share: reading a stream in pieces, and the samples written for them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tapegate.model.trace import Event, Violation
from tapegate.stream.dialect import parser

SAMPLES = Path(__file__).parent / "samples"

Read = Callable[..., list[Event]]


@pytest.fixture(scope="session")
def read() -> Read:
    """`read(dialect, *chunks)`: every event of a stream that arrives in these chunks."""

    def read_chunks(dialect: str, *chunks: bytes) -> list[Event]:
        reader = parser(dialect)
        return [event for chunk in chunks for event in reader.feed(chunk)] + reader.close()

    return read_chunks


@pytest.fixture(scope="session")
def codes() -> Callable[[list[Event]], list[str]]:
    """`codes(events)`: the codes of the violations among them."""
    return lambda events: [event.code for event in events if isinstance(event, Violation)]


@pytest.fixture(scope="session")
def sample() -> Callable[[str], bytes]:
    """`sample(dialect)`: a whole, sound stream of that dialect, written for these tests."""
    return lambda dialect: (SAMPLES / f"{dialect}.txt").read_bytes()


@pytest.fixture(scope="session")
def split() -> Callable[[bytes, int], Iterator[tuple[bytes, ...]]]:
    """`split(data, step)`: the stream cut in two at every `step`-th byte, and cut into single bytes."""

    def splits(data: bytes, step: int = 1) -> Iterator[tuple[bytes, ...]]:
        for at in range(0, len(data) + 1, step):
            yield data[:at], data[at:]
        yield tuple(data[at : at + 1] for at in range(len(data)))

    return splits


@pytest.fixture(scope="session")
def aws() -> Callable[..., bytes]:
    """`aws((event type, payload), …)`: an AWS event stream of these messages."""

    def message(kind: str, payload: Any) -> bytes:
        name, value, data = b":event-type", kind.encode(), json.dumps(payload).encode()
        headers = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value
        prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
        head = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + data
        return head + struct.pack(">I", zlib.crc32(head))

    return lambda *messages: b"".join(message(kind, payload) for kind, payload in messages)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real streams and recordings beside the project; skips where it is missing."""
    folder = Path(__file__).parents[2].parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared: real streams are not at hand; the same point is proved on the samples")
    return folder
