"""Recorded exchanges read as provider calls: usage, model and finish reason of each API, streamed or not."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

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
    """Embeddings have input tokens and a model; output tokens are absent, not 0."""
    reply = {"object": "list", "data": [], "model": "embed-1", "usage": {"prompt_tokens": 8, "total_tokens": 8}}
    assert _read("openai", "/v1/embeddings", reply, asked={"model": "embed"}) == ProviderCall(
        "embed", "embed-1", usage=Usage(8)
    )


def test_azure_names_the_model_in_the_path():
    """A deployment is the requested model where the body names none."""
    call = _read("openai", "/openai/deployments/my%20gpt/chat/completions?api-version=1", CHAT)
    assert call is not None
    assert call.requested_model == "my gpt"


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
