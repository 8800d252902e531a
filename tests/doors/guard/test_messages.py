"""Messages between the harness and a launcher."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tapegate.doors.guard.messages import Messages


@pytest.fixture
def ends() -> tuple[Messages, Messages]:
    """Both ends of a conversation."""
    ours, theirs = socket.socketpair()
    return Messages(ours), Messages(theirs)


def test_a_message_arrives_as_it_was_sent(ends: tuple[Messages, Messages]) -> None:
    """Text of any kind and size keeps its value, and messages do not run together."""
    ours, theirs = ends
    first, second = {"text": "a\nb\0\ud800é"}, {"argv": ["x" * 100_000]}
    ours.send(first)
    ours.send(second)
    assert theirs.receive() == (first, [])
    assert theirs.receive() == (second, [])
    assert not theirs.pending
    ours.channel.close()
    assert theirs.receive() is None
    theirs.channel.close()


def test_descriptors_come_with_their_message(ends: tuple[Messages, Messages], tmp_path: Path) -> None:
    """A descriptor arrives beside the message it was sent with, and no program that is started inherits it."""
    ours, theirs = ends
    (tmp_path / "file").write_text("content")
    with (tmp_path / "file").open() as file:
        ours.send({"number": 1}, (file.fileno(),))
        ours.send({"number": 2})
    received = theirs.receive()
    assert received is not None
    message, (descriptor,) = received
    assert message == {"number": 1}
    assert not os.get_inheritable(descriptor)
    with os.fdopen(descriptor) as passed:
        assert passed.read() == "content"
    assert theirs.receive() == ({"number": 2}, [])
    for end in ends:
        end.channel.close()
