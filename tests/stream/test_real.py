"""Real streams and answers of providers, from the recordings beside the project."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest
import yaml

from tapegate.model.trace import Finish, Text
from tapegate.stream.provider import read_call

DIALECTS = {
    r"/completions": "openai_chat",
    r"/responses": "openai_responses",
    r"/messages": "anthropic",
    r":streamGenerateContent": "gemini",
}
UNLIKE = {
    "completion_stream_multiple_choices.yaml": ["protocol_violation"],
    "test_async_chat_completion_multiple_choices_streaming.yaml": ["protocol_violation"],
    "test_writer_streaming_completions_with_events_with_no_content.yaml": ["malformed_frame", "truncated"],
}
"""Streams that are no single answer of the dialect: two of several choices, one of a format of its own."""


class _Loader(yaml.CSafeLoader):
    """Reads the older dialects' Python tags as the data below them; never as objects."""


def _untagged(loader: Any, tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    value = loader.construct_sequence(node, True) if isinstance(node, yaml.SequenceNode) else None
    return loader.construct_mapping(node, True) if value is None else value[0] if len(value) == 1 else value


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _untagged)


def _interactions(folder):
    for file in sorted(folder.rglob("*.yaml")):
        try:
            document = yaml.load(file.read_bytes(), _Loader)
        except yaml.YAMLError:
            continue  # reading every dialect of cassette is the import's part, not this one's
        for interaction in document.get("interactions", ()) if isinstance(document, dict) else ():
            body = interaction.get("response", {}).get("body") if isinstance(interaction, dict) else None
            content = body.get("string") if isinstance(body, dict) else None
            if content:
                yield file.name, interaction, content.encode() if isinstance(content, str) else content


def _headers(message):
    headers = message.get("headers") or {}
    return {str(k): [str(x) for x in v] if isinstance(v, list) else [str(v)] for k, v in headers.items()}


@pytest.fixture(scope="module")
def streams(shared):
    """Name, dialect and bytes of every recorded stream of a dialect that we read."""
    found = []
    for name, interaction, body in _interactions(shared / "real-cassettes"):
        path = re.split("[?#]", interaction["request"]["uri"])[0]
        dialect = next((dialect for end, dialect in DIALECTS.items() if path.endswith(end)), None)
        plain = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
        if dialect and plain.startswith((b"data:", b"event:", b": ")):
            found.append((name, dialect, plain))
    return found


def test_real_streams_read_without_a_violation(streams, read, codes):
    """Every recorded stream of one answer reads whole: no violation, one finish, its text."""
    by_dialect = dict.fromkeys(DIALECTS.values(), 0)
    for name, dialect, body in streams:
        events = read(dialect, body)
        expected = UNLIKE.get(name, [])
        assert sorted(set(codes(events))) == expected, name
        assert expected or sum(isinstance(event, Finish) for event in events) == 1, name
        by_dialect[dialect] += 1
    assert by_dialect["openai_chat"] >= 75
    assert by_dialect["anthropic"] >= 35
    assert by_dialect["openai_responses"] >= 30
    assert by_dialect["gemini"] >= 10


def test_real_streams_do_not_depend_on_how_they_are_cut(streams, read):
    """Recorded streams in small and in odd chunks give the events of the whole."""
    for name, dialect, body in streams:
        expected = read(dialect, body)
        for size in (7, 1021):
            assert expected == read(dialect, *(body[at : at + size] for at in range(0, len(body), size))), name


def test_a_real_model_reads_whole_at_every_split(shared, read, codes, split):
    """llama.cpp's stream of a real model: text, finish, no violation, at every 3rd byte."""
    body = (shared / "streams" / "llamacpp_chat.sse").read_bytes()
    events = read("openai_chat", body)
    assert codes(events) == []
    assert events[-1] == Finish("length")
    text = "".join(event.text for event in events if isinstance(event, Text))
    assert text == "Hello there! I'm here to help with any kind of math or science project"
    for chunks in split(body, 3):
        assert events == read("openai_chat", *chunks)


PROTOCOLS = {"anthropic.com": "anthropic", "googleapis.com": "gemini", "mistral.ai": "mistral"} | {
    "bedrock-runtime": "bedrock",
    "openai": "openai",
    "localhost": "openai",
}


def test_real_answers_give_their_usage(shared):
    """Wherever an answer names its usage, the call has it; it has a finish and a requested model."""
    seen = 0
    for name, interaction, body in _interactions(shared / "real-cassettes"):
        asked, replied = interaction["request"], interaction["response"]
        protocol = next((known for part, known in PROTOCOLS.items() if part in asked["uri"]), "http")
        status = replied.get("status", {}).get("code")
        headers = _headers(replied)
        if not body.startswith(b"\x1f\x8b"):  # some recorders decode the body and leave the header
            headers = {key: value for key, value in headers.items() if key.lower() != "content-encoding"}
        request = asked.get("body") or ""
        call = read_call(
            protocol,
            asked["method"],
            asked["uri"],
            status,
            request_headers=_headers(asked),
            request_body=request if isinstance(request, bytes) else str(request).encode(),
            response_headers=headers,
            response_body=body,
        )
        plain = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
        if call is None or status != 200 or not re.search(rb'"usage(Metadata)?": ?\{', plain):
            continue
        seen += 1
        assert call.usage is not None, name
        assert call.usage.input_tokens, name
        assert call.requested_model or not request, name
        assert call.model or protocol == "bedrock", name
        assert call.finish_reason or "embedding" in asked["uri"], name
    assert seen >= 170
