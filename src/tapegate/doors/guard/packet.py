"""What a captured packet says."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

_TCP, _UDP, _ICMP, _ICMPV6 = 6, 17, 1, 58
_ECHO_REQUEST = {_ICMP: 8, _ICMPV6: 128}
_ACK = 0x10
_DNS = 53


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that says that somebody wants to be reached."""

    kind: Literal["connect", "accepted", "datagram"]
    """`accepted`: somebody inside listens at `host` and `port`, which are then the packet's source."""
    host: str
    port: int | None
    """None where the protocol has no ports."""

    @property
    def loopback(self) -> bool:
        """Whether it stays inside whatever the network looks like."""
        return ip_address(self.host).is_loopback


def read(packet: bytes) -> Packet | None:
    """What a captured packet says; None where it wants nothing of anybody."""
    if len(packet) >= 20 and packet[0] >> 4 == 4:
        start = 4 * (packet[0] & 0x0F)
        if struct.unpack_from(">H", packet, 6)[0] & 0x1FFF:
            return None  # a later fragment: the first one was read
        source, target = packet[12:16], packet[16:20]
        return _read(packet[9], packet[start:], socket.inet_ntoa(source), socket.inet_ntoa(target))
    if len(packet) >= 40 and packet[0] >> 4 == 6:
        source, target = packet[8:24], packet[24:40]
        return _read(packet[6], packet[40:], str(ip_address(source)), str(ip_address(target)))
    return None


def _read(protocol: int, payload: bytes, source: str, target: str) -> Packet | None:
    if protocol == _TCP and len(payload) >= 14:
        from_port, to_port = struct.unpack_from(">HH", payload)
        if payload[13] & _ACK:
            return Packet("accepted", source, from_port)
        return Packet("connect", target, to_port)
    if protocol == _UDP and len(payload) >= 4:
        from_port, to_port = struct.unpack_from(">HH", payload)
        # What goes to the resolver, it reports by name itself; it listens on IPv4 alone.
        resolver = _DNS in (from_port, to_port) and ":" not in target
        return None if resolver else Packet("datagram", target, to_port)
    if protocol in _ECHO_REQUEST and payload[:1] != bytes([_ECHO_REQUEST[protocol]]):
        return None  # the kernel's own errors and neighbour messages
    return Packet("datagram", target, None)
