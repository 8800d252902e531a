"""The standard's mix of `0:`, `d:` and `data:` lines."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult

FINISH = b'data: {"type":"finish","reason":"stop"}\n'
CALL = b'd:{"type":"tool_call","id":"1","name":"f","args":{}}\n'


def test_the_mix_reads_in_its_order(read, sample):
    """Text, tool trace, envelopes: each becomes its event, in the order of the lines."""
    assert [
        Data({"type": "session", "session_id": "s-7"}),
        Text("The library holds "),
        Text("two papers — “Quiet Tides” 🌊\u2028and "),
        ToolCall("call_1", "search_local", {"query": "tides", "k": 3}),
        ToolResult("call_1", "search_local", True, [{"id": "p1"}]),
        Text("one more "),
        Text("😀."),
        ToolCall("call_2", "web_search", {}),
        ToolResult("call_2", "web_search", False, "no route"),
        Finish("stop"),
    ] == read("mixed", sample("mixed"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'0: "a"', Text("a")),
        (b'data:{"type":"text","delta":"a"}', Text("a")),
        (b'd:{"type":"tool-call","toolCallId":"9","toolName":"f","input":{"a":1}}', ToolCall("9", "f", {"a": 1})),
        (b'd:{"type":"tool_call","call_id":"9","tool":"f","arguments":"{\\"a\\":1}"}', ToolCall("9", "f", {"a": 1})),
        (b'data:{"type":"tool_call","id":"9","name":"f","args":{}}', ToolCall("9", "f", {})),
        (b'd:{"type":"tool_result","id":"1","result":[]}', ToolResult("1", "f", True, [])),
        (b'd:{"type":"tool_result","id":"1","content":"x","is_error":true}', ToolResult("1", "f", False, "x")),
        (b'd:{"type":"tool_result","id":"1","error":"no"}', ToolResult("1", "f", False, "no")),
        (b'data:{"type":"error","message":"m"}', Failure("m")),
        (b'data:{"type":"error","error":{"message":"m"}}', Failure("m")),
        (b'data:{"type":"usage","tokens":3}', Data({"type": "usage", "tokens": 3})),
    ],
)
def test_common_spellings_read_as_what_they_mean(read, line, expected):
    """The spellings that the dialect documents are read without a violation."""
    assert [ToolCall("1", "f", {}), expected, Finish("stop")] == read("mixed", CALL + line + b"\n" + FINISH)


@pytest.mark.parametrize(
    "line",
    [
        b'data: {"type":"finish","finishReason":"x"}',
        b'data: {"type":"finish","finish_reason":"x"}',
        b'd:{"finishReason":"x"}',
    ],
)
def test_spellings_of_the_finish(read, line):
    """A finish may name its reason in the ways of its neighbours."""
    assert [Finish("x")] == read("mixed", line)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"hello", "malformed_frame"),
        (b'0:{"a":1}', "malformed_frame"),
        (b"0:nope", "malformed_frame"),
        (b'd:{"type":"other"}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","args":{}}', "malformed_frame"),
        (b'd:{"type":"tool_call","name":"f","args":{}}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","name":"f","args":[1]}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","name":"f"}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":2,"name":"f","args":{}}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","id":"3","name":"f","args":{}}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","name":"f","args":{"n":NaN}}', "malformed_frame"),
        (b'd:{"type":"tool_call","id":"2","name":"f","args":{"n":1e999}}', "malformed_frame"),
        (b'd:{"type":"tool_result","id":"1","ok":"yes"}', "malformed_frame"),
        (b"data: []", "malformed_frame"),
        (b'data: {"no":"type"}', "malformed_frame"),
        (b'data: {"type":"error"}', "malformed_frame"),
        (b"data: " + b'{"type":"x","v":' + b"[" * 200 + b"]" * 200 + b"}", "malformed_frame"),
        (b'data: {"type":"x","v":"\\ud800"}', "invalid_utf8"),
        (b'd:{"type":"tool_result","id":"7","content":""}', "protocol_violation"),
        (CALL.strip(), "protocol_violation"),
        (b'9:{"toolCallId":"1"}', "mixed_format"),
        (b"event: message_start", "mixed_format"),
        (b'data: {"type":"content_block_delta"}', "mixed_format"),
        (b'data: {"choices":[]}', "mixed_format"),
        (b'{"type":"text","text":"a"}', "mixed_format"),
    ],
)
def test_what_the_dialect_does_not_allow_is_a_violation(read, codes, line, code):
    """Everything else is a violation of its kind, and the frames around it are read."""
    events = read("mixed", CALL + line + b"\n" + FINISH)
    assert [code] == codes(events)
    assert ToolCall("1", "f", {}) == events[0]
    assert Finish("stop") == events[-1]


def test_text_after_the_finish_is_kept_and_told_once(read, codes):
    """What the user sees after the finish stays in the trace, behind one violation."""
    events = read("mixed", FINISH + b'0:"a"\n0:"b"\n' + FINISH)
    assert codes(events) == ["protocol_violation", "protocol_violation"]
    assert [Text("a"), Text("b")] == [event for event in events if isinstance(event, Text)]


def test_a_frame_after_done_breaks_the_protocol(read, codes):
    """`[DONE]` closes a stream: text behind it is a violation, with or without a finish."""
    assert codes(read("mixed", b'data: [DONE]\n0:"a"\n')) == ["protocol_violation", "truncated"]


def test_a_last_line_without_an_end_counts_where_it_is_whole(read, codes):
    """A missing last line end costs nothing; half a frame is `truncated`."""
    assert [Finish("stop")] == read("mixed", FINISH.rstrip())
    assert codes(read("mixed", FINISH + b'0:"a')) == ["truncated"]
    assert codes(read("mixed", b'0:"caf\xc3')) == ["truncated"]
    assert codes(read("mixed", b'0:"cafe"\n')) == ["truncated"]
    assert codes(read("mixed", b"")) == ["truncated"]
