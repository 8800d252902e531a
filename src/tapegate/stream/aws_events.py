"""The binary event stream of AWS, `application/vnd.amazon.eventstream`.

A message is: total length, length of its headers, CRC-32 of these two, headers, payload, CRC-32 of all before; integers
are big-endian. Source: docs.aws.amazon.com, "Event stream encoding" (Transcribe, Lex).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_PRELUDE = struct.Struct(">III")
_LENGTH = struct.Struct(">H")
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header's value by its type: booleans, integers, timestamp, uuid."""
_BYTES, _STRING = 6, 7


@dataclass(frozen=True, slots=True)
class AwsEvent:
    """One message; of its headers the strings, which are all that say what it is."""

    headers: dict[str, str]
    payload: bytes

    @property
    def name(self) -> str:
        """Its event type, or the type of exception that it is."""
        return self.headers.get(":event-type") or self.headers.get(":exception-type") or ""


def aws_events(body: bytes) -> Iterator[AwsEvent]:
    """The messages of a body, up to the first that is cut off or fails a checksum."""
    start = 0
    while len(body) - start >= _PRELUDE.size:
        total, headers, crc = _PRELUDE.unpack_from(body, start)
        end = start + total
        if zlib.crc32(body[start : start + 8]) != crc or end > len(body) or total < headers + 16:
            return
        if zlib.crc32(body[start : end - 4]) != int.from_bytes(body[end - 4 : end], "big"):
            return
        middle = start + _PRELUDE.size + headers
        try:
            yield AwsEvent(_headers(body[start + _PRELUDE.size : middle]), body[middle : end - 4])
        except (ValueError, LookupError, struct.error):
            return
        start = end


def _headers(data: bytes) -> dict[str, str]:
    found, at = {}, 0
    while at < len(data):
        name = data[at + 1 : at + 1 + data[at]].decode()
        at += 1 + data[at]
        kind, at = data[at], at + 1
        if kind in (_BYTES, _STRING):
            (size,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size
        else:
            size = _FIXED[kind]
        if kind == _STRING:
            found[name] = data[at : at + size].decode()
        at += size
    return found
