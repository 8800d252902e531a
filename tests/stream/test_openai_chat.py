"""OpenAI Chat Completions: chunks to events, and whole answers."""

from __future__ import annotations

import json

from tapegate.model.trace import Data, Failure, Finish, Text, ToolCall, Violation
from tapegate.stream.openai_chat import OpenAIChat


def _sse(*frames):
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames)


def _chunk(delta, finish_reason=None, index=0):
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": index, "delta": delta, "finish_reason": finish_reason}],
    }


def test_a_stream_reads_as_text_calls_and_a_finish(read, sample):
    """Text comes delta by delta; calls, gathered from their pieces by index, come before the finish."""
    assert [
        Text("See 🌊 "),
        ToolCall("call_a", "search_local", {"query": "tides"}),
        ToolCall("call_b", "now", {}),
        Finish("tool_calls"),
    ] == read("openai_chat", sample("openai_chat"))


def test_arguments_that_are_no_json_are_a_call_all_the_same(read):
    """A model that writes broken arguments still called the tool: the call stays, with a violation."""
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a": '}}
    events = read("openai_chat", _sse(_chunk({"tool_calls": [call]}), _chunk({}, "tool_calls")))
    assert isinstance(events[0], Violation)
    assert [ToolCall("c", "f", {}), Finish("tool_calls")] == events[1:]


def test_an_emoji_whose_halves_come_in_two_deltas_is_whole(read):
    """Two halves of a surrogate pair in neighbouring deltas are one character; one alone is `invalid_utf8`."""
    first, second = (
        b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % half for half in (rb"a\ud83d", rb"\ude00b")
    )
    end = _sse(_chunk({}, "stop"))
    assert [Text("a"), Text("😀b"), Finish("stop")] == read("openai_chat", first + second + end)
    alone = read("openai_chat", first + end)
    assert [type(event).__name__ for event in alone] == ["Text", "Violation", "Finish"]
    assert alone[1].code == "invalid_utf8"


def test_an_error_frame_is_a_failure_and_ends_the_stream(read):
    """An error in the stream is the agent's failure; nothing is missing after it."""
    assert [Failure("overloaded")] == read("openai_chat", _sse({"error": {"message": "overloaded", "code": 529}}))
    assert [Failure("no")] == read("openai_chat", b'event: error\ndata: {"message":"no"}\n\n')


def test_reasoning_and_refusal_are_data_and_not_what_the_user_sees(read):
    """What a provider marks as reasoning is in the trace, apart from the answer."""
    events = read("openai_chat", _sse(_chunk({"reasoning_content": "hm"}), _chunk({"content": "ok"}, "stop")))
    assert [Data({"type": "reasoning", "text": "hm"}), Text("ok"), Finish("stop")] == events


def test_a_second_choice_is_a_violation(read, codes):
    """A stream answers once: another choice never becomes part of the text."""
    events = read("openai_chat", _sse(_chunk({"content": "x"}, index=1), _chunk({"content": "y"}, "stop")))
    assert codes(events) == ["protocol_violation"]
    assert [Text("y")] == [event for event in events if isinstance(event, Text)]


def test_a_whole_answer_reads_like_its_stream():
    """An answer in one piece gives the same kinds of events, and its facts."""
    reader = OpenAIChat()
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    message = {"role": "assistant", "content": "t", "tool_calls": [call]}
    body = {
        "model": "m-1",
        "system_fingerprint": None,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    assert [Text("t"), ToolCall("c", "f", {"a": 1}), Finish("stop")] == list(reader.whole(body))
    assert (reader.facts.model, reader.facts.version, reader.facts.usage) == ("m-1", None, None)


def test_a_reason_said_again_beside_the_usage_is_no_second_finish(read, codes):
    """OpenRouter repeats the reason in the chunk with the usage; anywhere else it is a second finish (STR-07)."""
    again = {**_chunk({"content": ""}, "stop"), "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    assert read("openai_chat", _sse(_chunk({"content": "a"}, "stop"), again)) == [Text("a"), Finish("stop")]
    assert codes(read("openai_chat", _sse(_chunk({}, "stop"), _chunk({}, "stop")))) == ["protocol_violation"]
    assert codes(read("openai_chat", _sse(_chunk({}, "stop"), {**again, **_chunk({}, "length")}))) == [
        "protocol_violation"
    ]


def test_older_spellings_are_read(read):
    """The older completions hold their text in the choice, the older calls are one `function_call`."""
    older = {"object": "text_completion", "choices": [{"index": 0, "text": "a", "finish_reason": "stop"}]}
    assert read("openai_chat", _sse(older)) == [Text("a"), Finish("stop")]
    frames = [_chunk({"function_call": part}) for part in ({"name": "f", "arguments": ""}, {"arguments": "{}"})]
    events = read("openai_chat", _sse(*frames, _chunk({}, "function_call")))
    assert events == [ToolCall("", "f", {}), Finish("function_call")]


def test_content_in_parts_and_arguments_as_an_object(read):
    """Mistral sends thinking and text as parts, and some servers the arguments as the object itself."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "ok"}]
    call = {"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}
    assert read("openai_chat", _sse(_chunk({"content": parts}), _chunk({"tool_calls": [call]}, "tool_calls"))) == [
        Data(parts[0]),
        Text("ok"),
        ToolCall("c", "f", {"a": 1}),
        Finish("tool_calls"),
    ]


def test_a_custom_tool_is_called_with_free_text(read):
    """A custom tool's input is no JSON; it is the argument `input`."""
    call = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "f", "input": "{free"}}
    events = read("openai_chat", _sse(_chunk({"tool_calls": [call]}, "tool_calls")))
    assert events == [ToolCall("c", "f", {"input": "{free"}), Finish("tool_calls")]
