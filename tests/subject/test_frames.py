"""Frames between a Python subject's child and the harness: whole or not at all, however they are cut."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.subject import frames
from tapegate.subject.frames import KINDS, FrameReader, FrameWriter, timed


class Wire:
    """Collects what is written, and counts writes that overlap."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.busy = threading.Lock()

    def sendall(self, data: bytes) -> None:
        assert self.busy.acquire(blocking=False)
        self.data += data
        self.busy.release()


FRAMES = st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=40)), max_size=6)


@given(FRAMES, st.integers(1, 30), st.integers(0, 60))
def test_frames_come_out_as_they_went_in(made, step, lost):
    """At any cut; and of a stream that broke off, every frame that was whole."""
    wire = Wire()
    ends = []
    writer = FrameWriter(wire)
    for kind, payload in made:
        writer.raw(kind, payload)
        ends.append(len(wire.data))
    kept = max(0, len(wire.data) - lost)
    reader = FrameReader()
    data = bytes(wire.data[:kept])
    found = [frame for at in range(0, kept, step) for frame in reader.feed(data[at : at + step])]
    assert found == [frame for frame, end in zip(made, ends, strict=True) if end <= kept]


@given(st.binary(max_size=200))
def test_any_bytes_are_frames_or_a_value_error(data):
    """A reader gives frames of known kinds or refuses; nothing else, and never memory without end."""
    try:
        for kind, payload in FrameReader().feed(data):
            assert kind in KINDS
            if kind == b"C":
                timed(payload)
    except ValueError:
        pass


@pytest.mark.parametrize("data", [b"Z\0\0\0\0", b"F\xff\xff\xff\xff", b"no frame at all"])
def test_what_is_no_frame_is_refused(data):
    """An unknown kind, and a size that no frame has."""
    with pytest.raises(ValueError, match="no frame"):
        list(FrameReader().feed(data))


def test_a_chunk_carries_its_time():
    """Microseconds and bytes come back; a payload without room for a time is refused."""
    wire = Wire()
    FrameWriter(wire).chunk(2**40, b"text", answer=3)
    ((kind, payload),) = FrameReader().feed(bytes(wire.data))
    assert (kind, timed(payload)) == (b"C", (2**40, 3, b"text"))
    with pytest.raises(ValueError, match="too short"):
        timed(b"1234567")


def test_frames_of_several_threads_do_not_mix():
    """An agent's threads play the tape at once: each frame is written in one piece."""
    wire = Wire()
    writer = FrameWriter(wire)

    def write(number: int) -> None:
        for _ in range(50):
            writer.document(b"F", {"played": number})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [json.loads(payload)["played"] for _, payload in FrameReader().feed(bytes(wire.data))]
    assert sorted(found) == sorted(list(range(4)) * 50)
    assert frames.LARGEST > 64 << 20
