"""A socket with one deadline."""

from __future__ import annotations

import socket
from time import monotonic

import pytest

from tapegate.subject.timed_socket import TimedSocket


def test_the_deadline_is_for_all_that_is_done():
    """Data that keeps coming does not move it; once it has passed nothing is read or written."""
    ours, theirs = socket.socketpair()
    with theirs, TimedSocket.over(ours, monotonic() + 0.05) as timed:
        theirs.sendall(b"x" * 10)
        read = timed.makefile("rb")
        assert read.read(10) == b"x" * 10
        with pytest.raises(TimeoutError):
            read.read(1)
        theirs.sendall(b"late")
        with pytest.raises(TimeoutError):
            timed.recv_into(bytearray(4))
        with pytest.raises(TimeoutError):
            timed.sendall(b"late")
        read.close()


def test_it_takes_the_connection_over():
    """The socket it was made of is not left to close what is in use."""
    ours, theirs = socket.socketpair()
    with theirs, TimedSocket.over(ours, monotonic() + 10) as timed:
        assert ours.fileno() == -1
        timed.sendall(b"through")
        assert theirs.recv(10) == b"through"
