"""One envelope a line."""

from __future__ import annotations

import pytest

from tapegate.model.trace import Data, Finish, Text, ToolCall, ToolResult

FINISH = b'{"type":"finish","reason":"stop"}\n'


def test_envelopes_read_in_order(read, sample):
    """Each line becomes its event; two halves of an emoji become one character."""
    assert read("ndjson", sample("ndjson")) == [
        Data({"type": "session", "session_id": "s-7"}),
        Text("See 🌊 “one\u2028line” "),
        ToolCall("call_1", "search_local", {"query": "tides"}),
        ToolResult("call_1", "search_local", True, {"hits": 2}),
        Text("end "),
        Text("😀."),
        Finish("stop"),
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"[1]", "malformed_frame"),
        (b"{", "malformed_frame"),
        (b'{"a":1}', "malformed_frame"),
        (b'{"type":"text"}', "malformed_frame"),
        (b'0:"a"', "mixed_format"),
        (b'data: {"type":"text"}', "mixed_format"),
        (b'{"object":"chat.completion.chunk"}', "mixed_format"),
        (b'{"candidates":[]}', "mixed_format"),
    ],
)
def test_other_lines_are_violations(read, codes, line, code):
    """What is no envelope is told, and reading goes on."""
    events = read("ndjson", line + b"\n" + FINISH)
    assert codes(events) == [code]
    assert events[-1] == Finish("stop")


def test_without_a_finish_the_stream_is_truncated(read, codes):
    """A stream is complete with its finish, and only then."""
    assert codes(read("ndjson", b'{"type":"text","text":"a"}\n')) == ["truncated"]
