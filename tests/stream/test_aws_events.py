"""The binary event stream of AWS."""

from __future__ import annotations

import struct
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.stream.aws_events import AwsEvent, aws_events


def _message(payload, **headers):
    packed = b"".join(
        bytes([len(name) + 1])
        + b":"
        + name.replace("_", "-").encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(packed) + len(payload), len(packed))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + packed + payload
    return head + struct.pack(">I", zlib.crc32(head))


def test_the_published_example_is_read():
    """The bytes that the format's own examples give for `{"foo": "bar"}`."""
    body = bytes([0, 0, 0, 30, 0, 0, 0, 0, 186, 242, 246, 138]) + b'{"foo": "bar"}' + bytes([174, 114, 88, 228])
    assert list(aws_events(body)) == [AwsEvent({}, b'{"foo": "bar"}')]


def test_messages_follow_each_other():
    """Each message has its name, be it an event or an exception, and its payload."""
    body = _message(b"{}", event_type=b"messageStart") + _message(b"{1}", exception_type=b"throttlingException")
    assert [(event.name, event.payload) for event in aws_events(body)] == [
        ("messageStart", b"{}"),
        ("throttlingException", b"{1}"),
    ]


def test_headers_of_every_type_are_passed_over():
    """Booleans, numbers, bytes, a timestamp and a uuid before the name do not hide it."""
    fixed = [(0, b""), (1, b""), (2, b"1"), (3, b"22"), (4, b"4" * 4), (5, b"8" * 8), (8, b"t" * 8), (9, b"u" * 16)]
    sized = [(6, b"\0\x03abc"), (7, b"\0\x02hi")]
    values = b"".join(b"\x01x" + bytes([kind]) + value for kind, value in [*fixed, *sized])
    prelude = struct.pack(">II", 16 + len(values), len(values))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + values
    assert list(aws_events(head + struct.pack(">I", zlib.crc32(head)))) == [AwsEvent({"x": "hi"}, b"")]


def test_a_damaged_or_cut_message_ends_the_reading():
    """Every flipped byte is seen by a checksum; what came before it stays."""
    first, second = _message(b"{}", event_type=b"a"), _message(b'{"x":1}', event_type=b"b")
    for at in range(len(second)):
        damaged = bytearray(second)
        damaged[at] ^= 1
        assert [event.name for event in aws_events(first + bytes(damaged))] == ["a"]
        assert [event.name for event in aws_events(first + second[:at])] == ["a"]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40))
def test_no_header_bytes_raise(headers):
    """Headers that make no sense, under sound checksums, end the reading."""
    prelude = struct.pack(">II", 16 + len(headers), len(headers))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers
    assert len(list(aws_events(head + struct.pack(">I", zlib.crc32(head))))) <= 1
