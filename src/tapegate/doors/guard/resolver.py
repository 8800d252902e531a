"""The names that a subject asks for inside its namespace: each is recorded, and given an address of its own.

An address of its own is what makes a later connection, on any port and in any protocol, speak its name. The
addresses are from 198.18.0.0/15, which RFC 2544 sets aside for tests; nobody listens there.
"""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Address

from tapegate.doors.guard.namespace import IP_PKTINFO

_FIRST, _COUNT = IPv4Address("198.18.0.1"), (1 << 17) - 2
_A, _IN = 1, 1
_TTL_S = 1
_LONGEST = 4096


class Resolver:
    """Answers every question for an IPv4 address; to all others there is no answer, without an error."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._addresses: dict[str, IPv4Address] = {}
        self._names: dict[str, str] = {}
        self.asked: set[str] = set()
        """Names that were asked for, lower case, without the last dot."""

    def name(self, host: str) -> str | None:
        """The name that was given this address."""
        return self._names.get(host)

    def serve(self) -> bool:
        """Answer one question that waits; False where none does. A datagram that is no question is recorded too."""
        try:
            query, ancillary, _, client = self._channel.recvmsg(_LONGEST, socket.CMSG_SPACE(12), socket.MSG_DONTWAIT)
        except OSError:
            return False
        asked_at = next((data for _, kind, data in ancillary if kind == IP_PKTINFO), b"")
        answer = self._answer(query)
        if answer is None:
            self.asked.add(f"{socket.inet_ntoa(asked_at[8:12])}:53" if asked_at else "unknown:53")
            return True
        # From the address that was asked, which for 127.0.0.53 is not the one the kernel would choose.
        origin = [(socket.IPPROTO_IP, IP_PKTINFO, struct.pack("I", 0) + asked_at[8:12] + bytes(4))] if asked_at else []
        try:
            self._channel.sendmsg([answer], origin, socket.MSG_DONTWAIT, client)
        except OSError:
            return True  # who asked is gone
        return True

    def _answer(self, query: bytes) -> bytes | None:
        try:
            identifier, flags, questions = struct.unpack_from(">HHH", query)
            name, end = _name(query, 12)
            kind, family = struct.unpack_from(">HH", query, end)
        except (struct.error, IndexError, UnicodeDecodeError):
            return None
        if questions != 1 or flags & 0x8000:
            return None
        address = self._address(name) if (kind, family) == (_A, _IN) else None
        recursion = 0x8080 | flags & 0x0100
        head = struct.pack(">HHHHHH", identifier, recursion, 1, 1 if address else 0, 0, 0)
        question = query[12 : end + 4]
        if address is None:
            self._record(name)
            return head + question
        return head + question + struct.pack(">HHHIH", 0xC00C, _A, _IN, _TTL_S, 4) + address.packed

    def _address(self, name: str) -> IPv4Address:
        if name == "localhost" or name.endswith(".localhost"):  # RFC 6761: never asked of a network
            return IPv4Address("127.0.0.1")
        self._record(name)
        if name not in self._addresses:
            address = _FIRST + len(self._addresses) % _COUNT
            self._addresses[name] = address
            self._names[str(address)] = name
        return self._addresses[name]

    def _record(self, name: str) -> None:
        if name != "localhost" and not name.endswith(".localhost"):
            self.asked.add(f"dns:{name}")


def _name(query: bytes, start: int) -> tuple[str, int]:
    """The name at `start` and where it ends. Raises IndexError for one that is cut or compressed."""
    labels, at = [], start
    while size := query[at]:
        if size > 63 or at + size >= len(query):
            raise IndexError(size)
        labels.append(query[at + 1 : at + 1 + size].decode("ascii").lower())
        at += size + 1
    return ".".join(labels), at + 1
