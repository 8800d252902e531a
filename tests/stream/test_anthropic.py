"""Anthropic Messages: frames to events, and whole answers."""

from __future__ import annotations

import json

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult, Usage
from tapegate.stream.anthropic import Anthropic, usage_of


def _sse(*frames):
    return b"".join(b"event: %s\ndata: %s\n\n" % (f["type"].encode(), json.dumps(f).encode()) for f in frames)


START = {"type": "message_start", "message": {"model": "m", "content": []}}
OPEN = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
CLOSE = {"type": "content_block_stop", "index": 0}
STOP = {"type": "message_stop"}


def test_a_stream_reads_in_its_order(read, sample):
    """Thinking is data; text, the provider's own tool and a tool of ours are events."""
    assert read("anthropic", sample("anthropic")) == [
        Data({"type": "reasoning", "text": "first the library"}),
        Text("See 🌊 "),
        Text("the paper."),
        ToolCall("srv_1", "web_search", {"query": "tides"}),
        ToolResult("srv_1", "web_search", True, [{"type": "web_search_result", "url": "https://papers.example/p1"}]),
        ToolCall("toolu_1", "now", {}),
        Finish("tool_use"),
    ]


def test_an_error_is_a_failure(read):
    """An `error` event ends the stream as a failure."""
    frame = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert read("anthropic", _sse(START, frame)) == [Failure("Overloaded")]


def test_a_type_that_comes_later_is_data(read):
    """The provider announces new event types; they are kept, not refused."""
    later = {"type": "weather_report", "sun": True}
    assert read("anthropic", _sse(START, later, STOP)) == [Data(later), Finish("unknown")]


@pytest.mark.parametrize(
    "frames",
    [
        (START, START, STOP),
        (STOP,),
        (START, OPEN, OPEN, CLOSE, STOP),
        (START, OPEN, STOP),
        (START, CLOSE, STOP),
        (START, {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "x"}}, STOP),
    ],
)
def test_frames_out_of_order_break_the_protocol(read, codes, frames):
    """A block opens before it grows and closes before the message does; a message starts once."""
    events = read("anthropic", _sse(*frames))
    assert codes(events) == ["protocol_violation"]
    assert events[-1] == Finish("unknown")


def test_an_event_under_another_name_breaks_the_protocol(read, codes):
    """The event's name and the frame's type are one."""
    assert codes(read("anthropic", b'event: ping\ndata: {"type":"message_start","message":{}}\n\n' + _sse(STOP))) == [
        "protocol_violation"
    ]


def test_a_stream_without_message_stop_is_truncated(read, codes, sample):
    """The stop reason alone is not the end."""
    data = sample("anthropic")
    assert codes(read("anthropic", data[: data.index(b"event: message_stop")])) == ["truncated"]


def test_a_whole_answer():
    """An answer in one piece gives the same events."""
    body = {
        "model": "tide-sonnet-20250101",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "t"},
            {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}},
            {"type": "server_tool_use", "id": "2", "name": "web_search", "input": {"q": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "2", "content": {"type": "web_search_tool_result_error"}},
        ],
        "stop_reason": "tool_use",
    }
    assert list(Anthropic().whole(body)) == [
        Data({"type": "reasoning", "text": "hm"}),
        Text("t"),
        ToolCall("1", "f", {"a": 1}),
        ToolCall("2", "web_search", {"q": "x"}),
        ToolResult("2", "web_search", False, {"type": "web_search_tool_result_error"}),
        Finish("tool_use"),
    ]


def test_input_holds_what_the_cache_gave():
    """Anthropic counts cached input apart; ours is all that was read. Absent stays absent."""
    said = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 42}
    assert usage_of(said) == Usage(115, 42, 100, None, 5)
    assert usage_of({"output_tokens": 1}) == Usage(None, 1)
