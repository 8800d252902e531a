"""OpenAI Responses: frames to events, and whole answers."""

from __future__ import annotations

import json

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult
from tapegate.stream.openai_responses import OpenAIResponses


def _sse(*frames):
    return b"".join(b"event: %s\ndata: %s\n\n" % (f["type"].encode(), json.dumps(f).encode()) for f in frames)


def _done(**item):
    return {"type": "response.output_item.done", "item": item}


COMPLETED = {"type": "response.completed", "response": {"status": "completed"}}


def test_a_stream_reads_in_its_order(read, sample):
    """Each piece counts once, although the stream tells it several times over."""
    assert read("openai_responses", sample("openai_responses")) == [
        Data({"type": "reasoning", "text": "first the library"}),
        ToolCall("ws_1", "web_search", {"type": "search", "query": "tides"}),
        Text("See 🌊 "),
        Text("the paper."),
        ToolCall("call_1", "search_local", {"query": "tides"}),
        Finish("completed"),
    ]


@pytest.mark.parametrize(
    ("kind", "response", "expected"),
    [
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, Finish("max_output_tokens")),
        ("incomplete", {}, Finish("incomplete")),
        ("failed", {"error": {"code": "server_error", "message": "oops"}}, Failure("oops")),
        ("failed", {}, Failure("failed")),
        ("cancelled", {}, Failure("cancelled")),
    ],
)
def test_ends_of_a_stream(read, kind, response, expected):
    """Each way to end is its own."""
    assert read("openai_responses", _sse({"type": f"response.{kind}", "response": response})) == [expected]


def test_an_error_event_is_a_failure(read):
    """The stream itself can fail."""
    assert read("openai_responses", _sse({"type": "error", "code": "x", "message": "no"})) == [Failure("no")]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "free"},
            [ToolCall("c", "f", {"input": "free"})],
        ),
        (
            {"type": "code_interpreter_call", "id": "c", "code": "1"},
            [ToolCall("c", "code_interpreter", {"code": "1"})],
        ),
        (
            {"type": "file_search_call", "id": "c", "queries": ["q"]},
            [ToolCall("c", "file_search", {"queries": ["q"]})],
        ),
        (
            {"type": "tool_search_call", "id": "c", "arguments": {"q": 1}},
            [ToolCall("c", "tool_search", {"q": 1})],
        ),
        (
            {"type": "mcp_call", "id": "c", "name": "f", "arguments": "{}", "output": "r", "error": None},
            [ToolCall("c", "f", {}), ToolResult("c", "f", True, "r")],
        ),
        (
            {"type": "mcp_call", "id": "c", "name": "f", "arguments": "{}", "error": "e"},
            [ToolCall("c", "f", {}), ToolResult("c", "f", False, "e")],
        ),
        ({"type": "message", "id": "c"}, []),
    ],
)
def test_every_kind_of_call_is_a_call(read, item, expected):
    """Functions, custom tools and the provider's own tools alike."""
    assert read("openai_responses", _sse(_done(**item), COMPLETED)) == [*expected, Finish("completed")]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "unheard-of"}, "malformed_frame"),
        ({"type": "response.output_text.delta"}, "malformed_frame"),
        ({"type": "message_stop"}, "mixed_format"),
        ({"type": "text-delta", "id": "1", "delta": "x"}, "mixed_format"),
    ],
)
def test_other_frames_are_violations(read, codes, frame, code):
    """Wrong shapes and frames of others."""
    assert codes(read("openai_responses", _sse(frame, COMPLETED))) == [code]


def test_a_refusal_and_an_annotation_are_data(read):
    """What is not the answer's text is kept apart."""
    refusal = {"type": "response.refusal.delta", "delta": "no"}
    note = {"type": "response.output_text.annotation.added", "annotation": {"url": "u"}}
    assert read("openai_responses", _sse(refusal, note, COMPLETED))[:2] == [
        Data({"type": "refusal", "text": "no"}),
        Data({"type": "annotation", "annotation": {"url": "u"}}),
    ]


def test_a_whole_answer():
    """An answer in one piece gives the same events."""
    body = {
        "status": "completed",
        "model": "m",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a":1}'},
            {"type": "message", "content": [{"type": "output_text", "text": "t"}, {"type": "refusal", "refusal": "r"}]},
        ],
    }
    assert list(OpenAIResponses().whole(body)) == [
        ToolCall("c", "f", {"a": 1}),
        Text("t"),
        Data({"type": "refusal", "text": "r"}),
        Finish("completed"),
    ]
