"""Gemini: frames to events, and whole answers."""

from __future__ import annotations

import json

import pytest

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, ToolResult, Usage
from tapegate.stream.gemini import Gemini, usage_of


def _sse(*frames):
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\r\n\r\n" for frame in frames)


def _frame(*parts, **fields):
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **fields}]}


def test_a_stream_reads_in_its_order(read, sample):
    """Thoughts are data; text, code the model ran and calls are events; calls without an id are numbered."""
    assert read("gemini", sample("gemini")) == [
        Data({"type": "reasoning", "text": "first the library"}),
        Text("See 🌊 "),
        ToolCall("call_1", "code_execution", {"language": "PYTHON", "code": "print(1)"}),
        ToolResult("call_1", "code_execution", True, "1\n"),
        ToolCall("call_2", "search_local", {"query": "tides"}),
        ToolCall("fc_9", "now", {}),
        Text("the paper."),
        Finish("STOP"),
    ]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, Failure("busy")),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, Failure("the prompt was blocked: SAFETY")),
    ],
)
def test_refusals_of_the_service_are_failures(read, frame, expected):
    """An error and a blocked prompt end the stream."""
    assert read("gemini", _sse(frame)) == [expected]


def test_media_stays_as_data(read):
    """A part that is neither text nor a call is kept."""
    part = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert read("gemini", _sse(_frame(part, finishReason="STOP"))) == [Data(part), Finish("STOP")]


def test_a_second_candidate_is_a_violation(read, codes):
    """A stream answers once."""
    other = {"candidates": [{"index": 1, "content": {"parts": [{"text": "x"}]}}] * 2}
    events = read("gemini", _sse(other, _frame({"text": "y"}, finishReason="STOP")))
    assert codes(events) == ["protocol_violation"]
    assert [event.text for event in events if isinstance(event, Text)] == ["y"]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({}, "malformed_frame"),
        ({"candidates": 3}, "malformed_frame"),
        (_frame({"functionCall": {"args": {}}}), "malformed_frame"),
        (_frame({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}), "protocol_violation"),
        ({"choices": []}, "mixed_format"),
    ],
)
def test_other_frames_are_violations(read, codes, frame, code):
    """Wrong shapes, results without a call, frames of others."""
    assert codes(read("gemini", _sse(frame, _frame(finishReason="STOP")))) == [code]


def test_a_whole_answer_has_the_shape_of_a_frame():
    """`generateContent` answers with one frame."""
    reader = Gemini()
    body = {**_frame({"text": "t"}, finishReason="MAX_TOKENS"), "modelVersion": "tide-flash-001"}
    assert list(reader.whole(body)) == [Text("t"), Finish("MAX_TOKENS")]
    assert reader.facts.model == "tide-flash-001"
    assert reader.facts.usage is None


def test_output_holds_the_thoughts():
    """Gemini counts thoughts and tool prompts apart; ours is all that was read and written. Absent stays absent."""
    said = {"promptTokenCount": 12, "candidatesTokenCount": 20, "thoughtsTokenCount": 7, "toolUsePromptTokenCount": 3}
    assert usage_of({**said, "cachedContentTokenCount": 4}) == Usage(15, 27, 4, 7)
    assert usage_of({"promptTokenCount": 12}) == Usage(12)
    assert usage_of({}) == Usage()
