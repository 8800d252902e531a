"""A connection inside this process."""

from __future__ import annotations

import asyncio

import pytest

from tapegate.doors.memory import HIGH_WATER, End


class Said(asyncio.Protocol):
    """Keeps what its transport tells it."""

    def __init__(self, stays_open: bool = False) -> None:
        self.heard: list[object] = []
        self._stays_open = stays_open

    def connection_made(self, transport):
        self.heard.append("made")

    def data_received(self, data):
        self.heard.append(data)

    def eof_received(self):
        self.heard.append("eof")
        return self._stays_open

    def connection_lost(self, exc):
        self.heard.append(("lost", exc))

    def pause_writing(self):
        self.heard.append("pause")

    def resume_writing(self):
        self.heard.append("resume")


def linked(work, near=None, far=None):
    """Runs `work` on two linked protocols until nothing more happens; gives what each has heard since."""
    near, far = near or Said(), far or Said()

    async def talk():
        here, there = End.link(near, far)
        near.heard.clear()
        far.heard.clear()
        await work(here, there)
        for _ in range(100):
            await asyncio.sleep(0)
        return near.heard, far.heard

    return asyncio.run(talk())


def test_each_piece_arrives_by_itself():
    """In order, one a turn of the loop, both ways; nothing arrives for nothing."""

    async def work(here, there):
        here.writelines([b"a", b"", b"b"])
        there.write(bytearray(b"c"))

    assert linked(work) == ([b"c"], [b"a", b"b"])


def test_what_was_written_before_the_end_still_arrives():
    """Then the other end is closed too, and both are told."""

    async def work(here, there):
        here.write(b"last")
        here.close()
        here.close()
        here.write(b"too late")
        assert here.is_closing()

    assert linked(work) == ([("lost", None)], [b"last", "eof", ("lost", None)])


def test_an_end_that_has_said_all_may_still_hear():
    """Where the other protocol wants to go on, it does."""

    async def work(here, there):
        here.write_eof()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        there.write(b"answer")

    assert linked(work, far=Said(stays_open=True)) == ([b"answer"], ["eof"])


@pytest.mark.parametrize("error", [None, ConnectionResetError("reset")])
def test_an_abort_takes_what_was_under_way(error):
    """The other end hears of the error, and nothing of what was written."""

    async def work(here, there):
        here.write(b"never heard")
        here.abort(error)

    assert linked(work) == ([("lost", None)], [("lost", error)])


def test_a_reader_that_pauses_hears_nothing_until_it_resumes():
    """And then all, in order."""

    async def work(here, there):
        there.pause_reading()
        here.writelines([b"a", b"b"])
        for _ in range(5):
            await asyncio.sleep(0)
        assert there.get_protocol().heard == []
        assert not there.is_reading()
        assert here.get_write_buffer_size() == 2
        there.resume_reading()

    assert linked(work) == ([], [b"a", b"b"])


def test_a_writer_is_told_when_the_reader_is_behind():
    """Once when too much waits, once when it does no longer."""

    async def work(here, there):
        here.writelines([b"x" * HIGH_WATER, b"y"])

    near, far = linked(work)
    assert near == ["pause", "resume"]
    assert [len(piece) for piece in far] == [HIGH_WATER, 1]
