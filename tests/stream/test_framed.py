"""What holds for every dialect over lines or server-sent events."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Finish, Violation
from tapegate.stream.dialect import parser

FINISH = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'


def test_an_interleaved_stream_is_told_once_per_format(read):
    """Hundreds of foreign frames are one violation for each format among them."""
    frames = b'data: {"type":"message_start"}\n\ndata: {"candidates":[]}\n\n0:"x"\n\n' * 50
    assert read("openai_chat", frames + FINISH) == [
        Violation("mixed_format", "a frame of 'anthropic' in a stream of 'openai_chat'"),
        Violation("mixed_format", "a frame of 'gemini' in a stream of 'openai_chat'"),
        Violation("mixed_format", "a frame of 'mixed' in a stream of 'openai_chat'"),
        Finish("stop"),
    ]


@pytest.mark.parametrize(
    "tail", [b"data: [DONE]\n\n", b"data: [DONE]\n", b"data: [DONE]", b"data:[DONE]", b": bye", b""]
)
def test_the_marker_needs_no_line_end(read, tail):
    """Servers stop at the marker's last byte; that is no half frame."""
    assert read("openai_chat", FINISH + tail) == [Finish("stop")]


@pytest.mark.parametrize("tail", [b"data: [DON", b"data: {", b"dat", b"data: {}", b"event: x"])
def test_half_a_frame_is_truncated(read, codes, tail):
    """Anything else without its end was cut off, also after the finish."""
    assert codes(read("openai_chat", FINISH + tail)) == ["truncated"]


def test_a_json_error_amid_an_event_stream_is_told(read, codes):
    """A server that breaks off with a bare JSON line does not go unseen, as it would with a client."""
    assert codes(read("openai_chat", b'{"error":{"message":"boom"}}\n\n' + FINISH)) == ["mixed_format"]
    assert codes(read("openai_chat", b"Internal Server Error\n\n" + FINISH)) == ["malformed_frame"]


def test_a_parser_closed_twice_says_nothing_new():
    """The end of a stream comes once; closing again adds no half frame."""
    reader = parser("mixed")
    reader.feed(b'data: {"type":"finish","reason":"x"}\n0:"a')
    assert [event.code for event in reader.close()] == ["truncated"]
    assert reader.close() == []
