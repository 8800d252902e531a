"""What a subject sends inside its namespace, seen at the loopback device: every connection tried, every datagram.

Inside the namespace every address is local, so that whatever is sent passes the loopback device. A packet socket
with a filter sees it there before the kernel decides on it: by the time `connect` returns to the subject, its packet
lies in this socket's queue. That makes the record complete and independent of timing, for any port and program.
"""

from __future__ import annotations

import ctypes
import socket
import struct

SNAP = 128
"""Bytes kept of a packet: the longest headers that are read."""

_ETH_P_ALL = 3
_IPV4, _IPV6 = 0x0800, 0x86DD
_TCP, _SYN = 6, 0x02
_SO_ATTACH_FILTER = 26
_SOL_PACKET, _PACKET_STATISTICS = 263, 6
_QUEUE_BYTES = 4 << 20

# A classic BPF program (linux/filter.h): outgoing packets only, since loopback shows each one twice; of TCP only those
# with SYN set, so that bodies never fill the queue; everything else whole. Offsets count from the network header.
_LOAD_WORD, _LOAD_BYTE, _LOAD_BYTE_AT_X, _LOAD_X_HEADER = 0x20, 0x30, 0x50, 0xB1
_IF_EQUAL, _IF_SET, _RETURN = 0x15, 0x45, 0x06
_PACKET_TYPE, _PROTOCOL, _OUTGOING = 0xFFFFF004, 0xFFFFF000, 4
_PROGRAM = (
    (_LOAD_WORD, 0, 0, _PACKET_TYPE),
    (_IF_EQUAL, 0, 13, _OUTGOING),
    (_LOAD_WORD, 0, 0, _PROTOCOL),
    (_IF_EQUAL, 0, 5, _IPV4),
    (_LOAD_BYTE, 0, 0, 9),
    (_IF_EQUAL, 0, 8, _TCP),
    (_LOAD_X_HEADER, 0, 0, 0),
    (_LOAD_BYTE_AT_X, 0, 0, 13),
    (_IF_SET, 5, 6, _SYN),
    (_IF_EQUAL, 0, 5, _IPV6),
    (_LOAD_BYTE, 0, 0, 6),
    (_IF_EQUAL, 0, 2, _TCP),
    (_LOAD_BYTE, 0, 0, 53),
    (_IF_SET, 0, 1, _SYN),
    (_RETURN, 0, 0, SNAP),
    (_RETURN, 0, 0, 0),
)


def open_capture() -> socket.socket:
    """A packet socket on the loopback device of this network namespace. Raises OSError where that is not allowed."""
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    try:
        program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _PROGRAM))
        header = struct.pack("HP", len(_PROGRAM), ctypes.addressof(program))
        capture.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, header)
        capture.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _QUEUE_BYTES)
        capture.bind(("lo", _ETH_P_ALL))
    except OSError:
        capture.close()
        raise
    return capture


def lost(capture: socket.socket) -> int:
    """How many packets the queue had no room for since this was last asked."""
    _, dropped = struct.unpack("II", capture.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
    return int(dropped)
