"""The AI SDK's data stream, `0:` to `k:`."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult

FINISH = b'd:{"finishReason":"stop"}\n'
CALL = b'9:{"toolCallId":"1","toolName":"f","args":{}}\n'


def test_every_code_is_read(read, sample):
    """Text, calls and results become events of their own, everything else data, in order."""
    events = read("ai_sdk_data", sample("ai_sdk_data"))
    assert [event for event in events if not isinstance(event, Data)] == [
        ToolCall("call_1", "search_local", {"query": "tides"}),
        ToolResult("call_1", "search_local", True, [{"id": "p1"}]),
        Text("See 🌊 "),
        Text("the paper."),
        Finish("stop"),
    ]
    assert [event.payload["type"] for event in events if isinstance(event, Data)] == [
        "start_step",
        "data",
        "reasoning",
        "reasoning_signature",
        "finish_step",
        "start_step",
        "source",
        "message_annotations",
        "file",
        "redacted_reasoning",
        "finish_step",
    ]


def test_an_error_frame_is_a_failure(read):
    """`3:` is the agent's failure, and ends the stream."""
    assert read("ai_sdk_data", b'3:"An error occurred."\n') == [Failure("An error occurred.")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'7:{"a":1}', "malformed_frame"),
        (b'x:"a"', "malformed_frame"),
        (b'00:"a"', "malformed_frame"),
        (b"no colon", "malformed_frame"),
        (b"0:{}", "malformed_frame"),
        (b"2:{}", "malformed_frame"),
        (b'9:{"toolCallId":"2","toolName":"f","args":[]}', "malformed_frame"),
        (b'a:{"toolCallId":"1"}', "malformed_frame"),
        (b'd:{"usage":{}}', "malformed_frame"),
        (CALL.strip(), "protocol_violation"),
        (b'a:{"toolCallId":"9","result":1}', "protocol_violation"),
        (b'c:{"toolCallId":"9","argsTextDelta":"x"}', "protocol_violation"),
        (b'b:{"toolCallId":"9","toolName":"f"}', "protocol_violation"),
        (b'data: {"type":"x"}', "mixed_format"),
        (b'd:{"type":"tool_call","id":"1","name":"f","args":{}}', "mixed_format"),
    ],
)
def test_what_its_own_client_would_refuse_is_a_violation(read, codes, line, code):
    """Unknown codes, wrong shapes, calls that were begun and never made."""
    events = read("ai_sdk_data", CALL + line + b"\n" + FINISH)
    assert codes(events) == [code]
    assert events[-1] == Finish("stop")


def test_the_real_stream_reads_whole(read, codes, shared, split):
    """The stream captured from AI SDK 4.3 reads without a violation, at every split."""
    data = (shared / "streams" / "aisdk4_data_stream.txt").read_bytes().split(b"\n\n", 1)[1]
    events = read("ai_sdk_data", data)
    assert codes(events) == []
    assert events[-1] == Finish("stop")
    assert "".join(event.text for event in events if isinstance(event, Text)) == "Paris is the capital of France."
    for chunks in split(data):
        assert read("ai_sdk_data", *chunks) == events
