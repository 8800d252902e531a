"""The AI SDK's UI message stream."""

from __future__ import annotations

import json

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult


def _sse(*frames):
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames)


CALL = {"type": "tool-input-available", "toolCallId": "1", "toolName": "f", "input": {}}
FINISH = {"type": "finish", "finishReason": "stop"}


def test_every_kind_of_frame_is_read(read, sample):
    """Text, calls and final results become events of their own; the rest stays as data."""
    events = read("ai_sdk_ui", sample("ai_sdk_ui"))
    assert [event for event in events if not isinstance(event, Data)] == [
        ToolCall("call_1", "search_local", {"query": "tides"}),
        ToolResult("call_1", "search_local", True, {"found": 2}),
        ToolCall("call_2", "web_search", {}),
        ToolResult("call_2", "web_search", False, "no route"),
        Text("See 🌊 "),
        Text("the paper."),
        Finish("stop"),
    ]
    kinds = [event.payload["type"] for event in events if isinstance(event, Data)]
    assert kinds[:3] == ["start", "start-step", "reasoning"]
    assert {"tool-output-available", "source-url", "data-status", "finish-step"} <= set(kinds)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"type": "error", "errorText": "no"}, [Failure("no")]),
        ({"type": "abort"}, [Failure("aborted")]),
        ({"type": "abort", "reason": "closed"}, [Failure("aborted: closed")]),
        ({"type": "finish"}, [Finish("unknown")]),
    ],
)
def test_ends_of_a_stream(read, frame, expected):
    """An error, an abort and a finish without a reason each end a stream."""
    assert read("ai_sdk_ui", _sse(frame)) == expected


def test_a_call_with_refused_input_is_a_call(read):
    """The model called the tool, if wrongly; the refusal is data and the result an error."""
    refused = {"type": "tool-input-error", "toolCallId": "1", "toolName": "f", "input": "{", "errorText": "bad"}
    output = {"type": "tool-output-error", "toolCallId": "1", "errorText": "bad"}
    events = read("ai_sdk_ui", _sse(refused, output, FINISH))
    assert events == [Data(refused), ToolCall("1", "f", {}), ToolResult("1", "f", False, "bad"), Finish("stop")]


def test_a_denied_call_failed(read):
    """A call that the user denied has a result, and it is not ok."""
    events = read("ai_sdk_ui", _sse(CALL, {"type": "tool-output-denied", "toolCallId": "1"}, FINISH))
    assert events[1] == ToolResult("1", "f", False, None)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "text-delta", "id": "t", "delta": "x"}, "protocol_violation"),
        ({"type": "text-end", "id": "t"}, "protocol_violation"),
        ({"type": "tool-input-delta", "toolCallId": "9", "inputTextDelta": ""}, "protocol_violation"),
        ({"type": "tool-output-available", "toolCallId": "9", "output": 1}, "protocol_violation"),
        ({"type": "tool-input-start", "toolCallId": "9", "toolName": "f"}, "protocol_violation"),
        (CALL, "protocol_violation"),
        ({"type": "unheard-of"}, "malformed_frame"),
        ({"type": "tool-unheard-of", "toolCallId": "1"}, "malformed_frame"),
        ({"type": "tool-input-available", "toolCallId": "2", "toolName": "f", "input": 3}, "malformed_frame"),
        ({"type": "text-delta", "id": "t"}, "malformed_frame"),
        ({"no": "type"}, "malformed_frame"),
        ({"choices": []}, "mixed_format"),
        ({"type": "message_start"}, "mixed_format"),
    ],
)
def test_what_its_own_client_would_refuse_is_a_violation(read, codes, frame, code):
    """Parts that were not opened, calls that were not made, types that do not exist."""
    events = read("ai_sdk_ui", _sse(CALL, frame, FINISH))
    assert code in codes(events)
    assert {code} | {"protocol_violation"} >= set(codes(events))
    assert events[-1] == Finish("stop")


def test_the_real_stream_reads_whole(read, codes, shared, split):
    """The stream captured from AI SDK 6 reads without a violation, at every split."""
    data = (shared / "streams" / "aisdk6_ui_message_stream.txt").read_bytes().split(b"\n\n", 1)[1]
    events = read("ai_sdk_ui", data)
    assert codes(events) == []
    assert events[-1] == Finish("stop")
    assert "".join(event.text for event in events if isinstance(event, Text)) == "Paris is the capital of France."
    for chunks in split(data):
        assert read("ai_sdk_ui", *chunks) == events
