"""What a recording says of the models it asked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tapegate.tape.cassette import Cassette
from tapegate.tape.chat import chats


def test_a_streamed_chat_is_taken_apart(example: Cassette) -> None:
    """Model asked for, model that answered, prompt, tools and parameters; the search call is no chat."""
    (chat,) = chats(example)
    assert (chat.model, chat.resolved, chat.fingerprint) == ("scripted-1", "scripted-1-2026", "fp_7")
    assert chat.prompt == {"messages[0].content": "Read local papers first."}
    assert chat.tools == {"tools": [{"type": "function", "function": {"name": "search_local"}}]}
    assert chat.parameters == {"model": "scripted-1", "temperature": "0"}


@pytest.mark.parametrize(
    ("answer", "resolved", "fingerprint"),
    [
        (b'{"model": "m-1", "system_fingerprint": null}', "m-1", None),
        (b'\n {"model": "m-1", "system_fingerprint": "fp"}', "m-1", "fp"),
        (b'data: {"model": ""}\n\ndata: {"model": "m-2"}\n\n', "m-2", None),
        (b'event: x\r\ndata:{"type":"x","response":{"model":"m-3"}}\r\n\r\n', "m-3", None),
        (b'data: {"type":"message_start","message":{"model":"m-4"}}\n\n', "m-4", None),
        (b'data: {"model": "torn', None, None),
        (b'{"model": 4}', None, None),
        (b'["model"]', None, None),
        (b"", None, None),
    ],
)
def test_the_model_that_answered_is_the_first_one_named(
    answer: bytes, resolved: str | None, fingerprint: str | None, with_answer: Callable[..., Cassette]
) -> None:
    """In one JSON object, in the events of a stream, or nowhere."""
    (chat,) = chats(with_answer(answer))
    assert (chat.resolved, chat.fingerprint) == (resolved, fingerprint)


def test_a_compressed_answer_is_read(with_answer: Callable[..., Cassette]) -> None:
    """gzip is undone; a body that cannot be decoded names no model."""
    packed = gzip.compress(b'{"model": "m-5"}')
    headers = {"content-encoding": ("gzip",)}
    assert chats(with_answer(packed, headers))[0].resolved == "m-5"
    assert chats(with_answer(b"not gzip", headers))[0].resolved is None


@pytest.mark.parametrize("body", [b"", b"hello", b"[1]", b'{"query": "x"}', b'{"model": 3, "messages": []}', b"\xff"])
def test_a_request_that_names_no_model_is_no_chat(body: bytes, example: Cassette) -> None:
    """A search service is not mistaken for a model."""
    first = example.interactions[0]
    other = replace(first, request=replace(first.request, body=body))
    assert chats(replace(example, interactions=(other,))) == ()


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1beta/models/gemini-2.5-flash:generateContent", "gemini-2.5-flash"),
        ("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "gemini-2.5-flash"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@1:streamRawPredict", "claude-x@1"),
        ("/model/anthropic.claude-x-v2%3A0/converse", "anthropic.claude-x-v2:0"),
        ("/model/m/converse-stream", "m"),
        ("/openai/deployments/ours/chat/completions?api-version=1", "ours"),
    ],
)
def test_a_model_that_stands_in_the_path_is_pinned_too(example: Cassette, path: str, model: str) -> None:
    """With prompt, tools and parameters, and the version that a Gemini answer names, however it is framed."""
    first = example.interactions[0]
    body = json.dumps(
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [{"functionDeclarations": [{"name": "find"}]}],
            "generationConfig": {"temperature": 0},
        }
    ).encode()
    request = replace(first.request, uri=f"https://model.example{path}", body=body)
    version = {"modelVersion": "g-002", "candidates": []}
    for answer in (
        json.dumps(version),
        f"data: {json.dumps(version)}\r\n\r\n",
        json.dumps([version, version], indent=2),
    ):
        response = replace(first.response, body=answer.encode())
        (chat,) = chats(replace(example, interactions=(replace(first, request=request, response=response),)))
        assert (chat.model, chat.resolved) == (model, "g-002")
        assert chat.prompt == {"systemInstruction": {"parts": [{"text": "Be brief."}]}}
        assert list(chat.tools) == ["tools"]
        assert list(chat.parameters) == ["generationConfig"]
    other = replace(first, request=replace(request, uri="https://model.example/v1beta/models/gemini:countTokens"))
    assert chats(replace(example, interactions=(other,))) == ()


def test_a_response_of_one_text_is_a_conversation(example: Cassette) -> None:
    """`input` may be a text beside `instructions`: these are the prompt, and what is asked is no parameter."""
    first = example.interactions[0]
    body = json.dumps({"model": "m-1", "instructions": "Be brief.", "input": "Hi", "store": False}).encode()
    (chat,) = chats(replace(example, interactions=(replace(first, request=replace(first.request, body=body)),)))
    assert chat.prompt == {"instructions": "Be brief."}
    assert chat.parameters == {"model": "m-1", "store": False}


def test_an_embedding_names_its_model(example: Cassette) -> None:
    """Its input is no parameter: pins do not change with what is embedded."""
    first = example.interactions[0]
    body = json.dumps({"model": "embed-1", "input": "text", "dimensions": 8}).encode()
    (chat,) = chats(replace(example, interactions=(replace(first, request=replace(first.request, body=body)),)))
    assert (chat.model, dict(chat.prompt)) == ("embed-1", {})
    assert chat.parameters == {"model": "embed-1", "dimensions": "8"}
