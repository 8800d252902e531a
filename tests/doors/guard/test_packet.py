"""Reading captured packets."""

from __future__ import annotations

import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.doors.guard.packet import Packet, read

SYN, SYN_ACK = 0x02, 0x12


def ipv4(protocol: int, payload: bytes, target: str = "203.0.113.7", fragment: int = 0) -> bytes:
    source = socket.inet_aton("198.51.100.1")
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 1, fragment, 64, protocol, 0)
    return head + source + socket.inet_aton(target) + payload


def ipv6(protocol: int, payload: bytes, target: str = "2001:db8::7") -> bytes:
    head = struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64)
    return head + socket.inet_pton(socket.AF_INET6, "::1") + socket.inet_pton(socket.AF_INET6, target) + payload


def tcp(port: int, flags: int) -> bytes:
    return struct.pack(">HHIIBBHHH", 4711, port, 0, 0, 0x50, flags, 0, 0, 0)


def udp(port: int, source: int = 4711) -> bytes:
    return struct.pack(">HHHH", source, port, 8, 0)


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (ipv4(6, tcp(443, SYN)), Packet("connect", "203.0.113.7", 443)),
        (ipv6(6, tcp(443, SYN)), Packet("connect", "2001:db8::7", 443)),
        (ipv4(6, tcp(443, SYN_ACK)), Packet("accepted", "198.51.100.1", 4711)),
        (ipv4(17, udp(123)), Packet("datagram", "203.0.113.7", 123)),
        (ipv6(17, udp(53)), Packet("datagram", "2001:db8::7", 53)),
        (ipv4(17, udp(53)), None),
        (ipv4(17, udp(4711, source=53)), None),
        (ipv4(1, b"\x08\0"), Packet("datagram", "203.0.113.7", None)),
        (ipv4(1, b"\x03\x03"), None),
        (ipv6(58, b"\x80\0"), Packet("datagram", "2001:db8::7", None)),
        (ipv6(58, b"\x87\0"), None),
        (ipv4(132, b"sctp"), Packet("datagram", "203.0.113.7", None)),
        (ipv4(17, udp(123), fragment=8), None),
    ],
    ids=str,
)
def test_what_a_packet_wants_is_read(packet: bytes, expected: Packet | None) -> None:
    """Connections, datagrams and pings show their target; answers, errors and the resolver's traffic do not count."""
    assert read(packet) == expected


def test_options_before_the_transport_header_are_skipped() -> None:
    """The header length of IPv4 is honoured."""
    plain = ipv4(6, tcp(443, SYN))
    assert read(b"\x46" + plain[1:20] + b"\1\1\1\1" + plain[20:]) == Packet("connect", "203.0.113.7", 443)


@given(st.binary(max_size=80), st.sampled_from([b"", b"\x45", b"\x60"]))
def test_no_packet_breaks_the_reader(rest: bytes, first: bytes) -> None:
    """Any bytes are read as a packet or as nothing."""
    assert isinstance(read(first + rest), Packet | None)
