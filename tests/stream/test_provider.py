"""Recorded exchanges read as provider calls: usage, model and finish reason of each API, streamed or not."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.model.trace import ToolCall, Usage
from tapegate.stream import content
from tapegate.stream.provider import ProviderCall, read_call

JSON = {"Content-Type": ["application/json"]}
SSE = {"content-type": ["text/event-stream; charset=utf-8"]}


def _read(protocol, path, reply, *, asked=None, headers=None, status=200, method="POST"):
    body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return read_call(
        protocol,
        method,
        path,
        status,
        request_headers=JSON,
        request_body=json.dumps(asked or {}).encode(),
        response_headers=headers or JSON,
        response_body=body,
    )


CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "tide-1-2025-01-01",
    "system_fingerprint": "fp_9",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 20,
        "completion_tokens": 7,
        "total_tokens": 27,
        "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 5},
    },
}


def test_openai_chat_whole():
    """A Chat Completions answer gives model, fingerprint, tokens, finish and text."""
    call = _read("openai", "/v1/chat/completions?api-version=1", CHAT, asked={"model": "tide-1"})
    assert call == ProviderCall("tide-1", "tide-1-2025-01-01", "fp_9", Usage(20, 7, 16, 5), "stop", "Hello")


def test_openai_chat_streamed(sample):
    """A stream gives the same facts, its usage from the chunk after the finish."""
    call = _read("openai", "/chat/completions", sample("openai_chat"), asked={"model": "tide-1"}, headers=SSE)
    calls = (ToolCall("call_a", "search_local", {"query": "tides"}), ToolCall("call_b", "now", {}))
    assert call == ProviderCall("tide-1", "tide-1", "fp_1", Usage(30, 12, 8, 4), "tool_calls", "See 🌊 ", calls, True)


def test_openai_embeddings():
    """Embeddings have input tokens and a model; a total that is all read leaves no output, and without one it is
    absent, not 0."""
    for told, usage in (({"prompt_tokens": 8, "total_tokens": 8}, Usage(8, 0)), ({"prompt_tokens": 8}, Usage(8))):
        reply = {"object": "list", "data": [], "model": "embed-1", "usage": told}
        found = _read("openai", "/v1/embeddings", reply, asked={"model": "embed"})
        assert found == ProviderCall("embed", "embed-1", usage=usage)


def test_azure_names_the_model_in_the_path():
    """A deployment is the requested model where the body names none."""
    call = _read("openai", "/openai/deployments/my%20gpt/chat/completions?api-version=1", CHAT)
    assert call is not None
    assert call.requested_model == "my gpt"


RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "model": "tide-1-2025-01-01",
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
        }
    ],
    "usage": {
        "input_tokens": 50,
        "input_tokens_details": {"cached_tokens": 32},
        "output_tokens": 21,
        "output_tokens_details": {"reasoning_tokens": 9},
        "total_tokens": 71,
    },
}
MESSAGES = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "tide-sonnet-20250101",
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 100,
        "output_tokens": 42,
        "service_tier": "standard",
    },
}
GENERATED = {
    "candidates": [{"content": {"parts": [{"text": "Hello"}], "role": "model"}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {
        "promptTokenCount": 12,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 7,
        "totalTokenCount": 39,
    },
    "modelVersion": "tide-flash-001",
}
MISTRAL = {
    "id": "m1",
    "object": "chat.completion",
    "model": "tide-small-2501",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "total_tokens": 16, "completion_tokens": 5},
}
CONVERSED = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 9, "outputTokens": 4, "totalTokens": 113, "cacheReadInputTokens": 100},
    "metrics": {"latencyMs": 500},
}
DATED = "tide-1-2025-01-01"


@pytest.mark.parametrize(
    ("protocol", "path", "reply", "model", "usage", "finish"),
    [
        ("openai", "/v1/responses", RESPONSES, DATED, Usage(50, 21, 32, 9), "completed"),
        ("anthropic", "/v1/messages", MESSAGES, "tide-sonnet-20250101", Usage(115, 42, 100, None, 5), "end_turn"),
        (
            "gemini",
            "/v1beta/models/tide-flash:generateContent",
            GENERATED,
            "tide-flash-001",
            Usage(12, 27, None, 7),
            "STOP",
        ),
        ("mistral", "/v1/chat/completions", MISTRAL, "tide-small-2501", Usage(11, 5), "stop"),
        ("bedrock", "/model/tide.pro-v1%3A0/converse", CONVERSED, None, Usage(109, 4, 100), "end_turn"),
    ],
)
def test_whole_answers_of_each_provider(protocol, path, reply, model, usage, finish):
    """Each provider's answer gives model, tokens, finish and text, in one meaning for all."""
    call = _read(protocol, path, reply)
    assert (call.model, call.usage, call.finish_reason, call.text) == (model, usage, finish, "Hello")
    assert not call.streamed


CALL = ToolCall("call_1", "search_local", {"query": "tides"})


@pytest.mark.parametrize(
    ("protocol", "path", "dialect", "model", "usage", "finish", "last_call"),
    [
        ("openai", "/responses", "openai_responses", DATED, Usage(50, 21, 32, 9), "completed", CALL),
        (
            "anthropic",
            "/messages",
            "anthropic",
            "tide-sonnet-20250101",
            Usage(115, 42, 100, None, 5),
            "tool_use",
            ToolCall("toolu_1", "now", {}),
        ),
        (
            "gemini",
            "/v1beta/models/tide-flash:streamGenerateContent?alt=sse",
            "gemini",
            "tide-flash-001",
            Usage(15, 27, 4, 7),
            "STOP",
            ToolCall("fc_9", "now", {}),
        ),
    ],
)
def test_streamed_answers_of_each_provider(sample, protocol, path, dialect, model, usage, finish, last_call):
    """A stream gives the same facts: running totals count once, the last ones said."""
    call = _read(protocol, path, sample(dialect), headers=SSE)
    assert (call.model, call.usage, call.finish_reason) == (model, usage, finish)
    assert (call.text, call.tool_calls[-1], call.streamed) == ("See 🌊 the paper.", last_call, True)


def test_gemini_streams_a_json_list_too():
    """Without `alt=sse` the frames are the items of a list."""
    first = {**GENERATED, "candidates": [{"content": {"parts": [{"text": "Well. "}]}}], "usageMetadata": {}}
    call = _read("gemini", "/v1beta/models/tide-flash:streamGenerateContent", [first, GENERATED])
    assert (call.requested_model, call.text, call.streamed) == ("tide-flash", "Well. Hello", True)
    assert call.usage == Usage(12, 27, None, 7)


def test_bedrock_streams_binary_events(aws):
    """ConverseStream: text and calls from its blocks, usage from its metadata; the model stands in the path."""
    body = aws(
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "hm"}}}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "See 🌊"}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        (
            "contentBlockStart",
            {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "call_1", "name": "search_local"}}},
        ),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"query":'}}}),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '"tides"}'}}}),
        ("contentBlockStop", {"contentBlockIndex": 2}),
        ("messageStop", {"stopReason": "tool_use"}),
        ("metadata", {"usage": {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13}, "metrics": {"latencyMs": 5}}),
    )
    headers = {"Content-Type": ["application/vnd.amazon.eventstream"]}
    call = _read("bedrock", "/model/tide.pro-v1%3A0/converse-stream", body, headers=headers)
    expected = ProviderCall("tide.pro-v1:0", None, None, Usage(9, 4), "tool_use", "See 🌊", (CALL,), True)
    assert call == expected
    cut = _read("bedrock", "/model/tide.pro-v1%3A0/converse-stream", body[:-20], headers=headers)
    assert cut == replace(expected, usage=None)


def test_a_whole_converse_answer_has_its_calls():
    """Tool use and reasoning stand in the content blocks."""
    blocks = [
        {"reasoningContent": {"reasoningText": {"text": "hm"}}},
        {"toolUse": {"toolUseId": "call_1", "name": "search_local", "input": {"query": "tides"}}},
    ]
    call = _read("bedrock", "/model/m/converse", {**CONVERSED, "output": {"message": {"content": blocks}}})
    assert (call.text, call.tool_calls) == ("", (CALL,))


def test_anthropic_on_vertex():
    """Vertex serves Anthropic's answers under a path of its own."""
    call = _read("anthropic", "/v1/projects/p/locations/l/publishers/anthropic/models/tide-sonnet:rawPredict", MESSAGES)
    assert (call.requested_model, call.model) == ("tide-sonnet", "tide-sonnet-20250101")


def test_gemini_embeddings_say_nothing_of_tokens():
    """A provider that names neither model nor tokens leaves both absent."""
    call = _read("gemini", "/v1beta/models/tide-embed:embedContent", {"embedding": {"values": [0.5]}})
    assert call == ProviderCall("tide-embed")


def test_absent_usage_is_none(sample):
    """No usage in the answer is None; a part that is missing, odd or negative is None as well."""
    without = {key: value for key, value in CHAT.items() if key != "usage"}
    assert None is _read("openai", "/chat/completions", without).usage
    odd = {**CHAT, "usage": {"prompt_tokens": True, "completion_tokens": -1, "prompt_tokens_details": None}}
    assert Usage() == _read("openai", "/chat/completions", odd).usage


@pytest.mark.parametrize(
    ("protocol", "method", "path"),
    [
        ("http", "POST", "/chat/completions"),
        ("openai", "GET", "/chat/completions"),
        ("openai", "POST", "/v1/files"),
        ("openai", "POST", "/chat/completionss"),
        ("unheard-of", "POST", "/chat/completions"),
        ("anthropic", "POST", "/v1/messages/count_tokens"),
        ("gemini", "POST", "/v1beta/models/m:countTokens"),
        ("bedrock", "POST", "/model/m/invoke"),
    ],
)
def test_other_exchanges_are_no_provider_call(protocol, method, path):
    """Another route, another method, another protocol: no provider call."""
    assert None is _read(protocol, path, CHAT, method=method)


def test_an_error_status_is_a_call_without_an_answer():
    """A refused call names what was asked for and nothing else."""
    reply = {"error": {"message": "slow down"}}
    assert _read("openai", "/chat/completions", reply, asked={"model": "m"}, status=429) == ProviderCall("m")


def _raw_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", _raw_deflate)],
)
def test_encoded_bodies_are_decoded(encoding, encode):
    """gzip, and deflate in both its forms, are undone on both sides."""
    headers = {**JSON, "Content-Encoding": [encoding]}
    body = encode(json.dumps(CHAT).encode())
    call = _read("openai", "/chat/completions", body, headers=headers)
    assert Usage(20, 7, 16, 5) == call.usage


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"content-encoding": ["gzip"]}, b"{}"),
        ({"content-encoding": ["br"]}, b"x"),
        (JSON, b"not json"),
        (JSON, b"3"),
        (JSON, b"\xff"),
        (JSON, b'{"choices": 3}'),
        (SSE, b"data: {\n\n"),
        (SSE, b'data: {"choices": 3}\n\ndata: []\n\n'),
    ],
)
def test_an_unreadable_answer_is_a_call_without_facts(headers, body):
    """What cannot be read leaves the facts absent and never raises."""
    call = _read("openai", "/chat/completions", body, headers=headers)
    assert call == ProviderCall(streamed=headers is SSE)


def test_a_body_that_unpacks_without_end_is_not_unpacked(monkeypatch):
    """A gzip bomb is refused at the limit."""
    monkeypatch.setattr(content, "DECODED_LIMIT", 1000)
    headers = {"content-encoding": ["gzip"]}
    with pytest.raises(content.Undecodable, match="more than 1000 bytes"):
        content.decode_body(headers, gzip.compress(b"a" * 100_000))
    assert content.decode_body(headers, gzip.compress(b"a" * 900)) == b"a" * 900


ROUTES = [
    ("openai", "/chat/completions", CHAT),
    ("openai", "/responses", RESPONSES),
    ("openai", "/embeddings", {"data": [], "model": "m", "usage": {"prompt_tokens": 1}}),
    ("anthropic", "/messages", MESSAGES),
    ("gemini", "/models/m:generateContent", GENERATED),
    ("mistral", "/chat/completions", MISTRAL),
    ("bedrock", "/model/m/converse", CONVERSED),
]


@pytest.mark.parametrize(("protocol", "path", "reply"), ROUTES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_answer_raises(protocol, path, reply, data):
    """An answer with any part of it replaced by anything else gives a call, and never an exception."""
    text = json.dumps(reply)
    spots = [found.span() for found in re.finditer(r'"[^"]*"|\d+|\[|\{', text)]
    start, end = data.draw(st.sampled_from(spots))
    junk = data.draw(
        st.sampled_from(["null", "3", "-1", '"x"', "[]", "{}", "[{}]", "[3]", "true", "1e999", '"\\ud800"', ""])
    )
    kind = data.draw(st.sampled_from([JSON, SSE, {"content-type": ["application/vnd.amazon.eventstream"]}, {}]))
    body = (text[:start] + junk + text[end:]).encode()
    body = b"data: " + body + b"\n\n" if kind is SSE else body
    assert _read(protocol, path, body, headers=kind) is not None


@settings(max_examples=100, deadline=None)
@given(request=st.binary(max_size=30), response=st.binary(max_size=60), kind=st.sampled_from([JSON, SSE]))
def test_no_bytes_raise(request, response, kind):
    """Any bytes on either side give a call."""
    call = read_call(
        "openai",
        "POST",
        "/responses",
        200,
        request_headers={"content-encoding": ["gzip"]},
        request_body=request,
        response_headers=kind,
        response_body=response,
    )
    assert call is not None
