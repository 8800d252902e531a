"""What was tried in a namespace, told as addresses."""

from __future__ import annotations

import socket
import struct

import pytest

from tapegate.doors.guard import traps
from tapegate.doors.guard.traps import UNSEEN, Traps

SYN, SYN_ACK = 0x02, 0x12


@pytest.fixture
def trapped(monkeypatch):
    """Traps over a socket that a test puts packets into; the kernel has dropped none of them."""
    monkeypatch.setattr(traps, "lost", lambda capture: 0)
    capture, packets = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    resolver = socket.socket(type=socket.SOCK_DGRAM)
    resolver.bind(("127.0.0.1", 0))
    made = Traps(resolver, capture)
    yield made, packets
    made.close()
    packets.close()


def packet(target, port, flags=SYN, source="127.0.0.1", from_port=4711):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 40, 1, 0, 64, 6, 0) + socket.inet_aton(source) + socket.inet_aton(target)
    return head + struct.pack(">HHIIBBHHH", from_port, port, 0, 0, 0x50, flags, 0, 0, 0)


def test_attempts_are_sorted_and_told_once(trapped):
    """However often and in whatever order addresses are tried, each is told once, in one order."""
    made, packets = trapped
    for target, port in (("203.0.113.9", 80), ("203.0.113.7", 443), ("203.0.113.9", 80)):
        packets.send(packet(target, port))
    assert made.attempts() == ("203.0.113.7:443", "203.0.113.9:80")
    assert made.attempts() == ()


def test_the_next_trial_answers_for_itself(trapped):
    """A namespace that is used again tells an address again when it is tried again."""
    made, packets = trapped
    for _ in range(2):
        packets.send(packet("203.0.113.9", 80))
        packets.send(packet("127.0.0.1", 5432))
        assert made.attempts() == ("127.0.0.1:5432", "203.0.113.9:80")


def test_a_loopback_port_counts_where_nobody_ever_listened(trapped):
    """A subject that waits for a helper of its own tries nothing outside; one that wants the host's database does."""
    made, packets = trapped
    packets.send(packet("127.0.0.1", 5432))
    packets.send(packet("127.0.0.1", 9000))
    packets.send(packet("127.0.0.1", 4711, SYN_ACK, from_port=9000))
    assert made.attempts() == ("127.0.0.1:5432",)


def test_packets_that_nobody_saw_are_an_attempt(trapped, monkeypatch):
    """When the kernel had to drop records, the account says that something is missing."""
    made, _ = trapped
    monkeypatch.setattr(traps, "lost", lambda capture: 1)
    assert made.attempts() == (UNSEEN,)
