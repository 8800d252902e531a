"""What a request offers a model, and what it tells it in confidence."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tapegate.stream.offer import offer

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
GEMINI = {"type": "OBJECT", "properties": {"q": {"type": "STRING", "nullable": True}}}

REQUESTS: dict[str, dict[str, Any]] = {
    "openai chat": {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "tools": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
    },
    "openai chat, parts and developer": {
        "messages": [{"role": "developer", "content": [{"type": "text", "text": "Be brief."}]}],
        "tools": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
    },
    "openai responses": {
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "Hello"}],
        "tools": [{"type": "function", "name": "search", "parameters": SCHEMA}],
    },
    "anthropic": {"system": "Be brief.", "tools": [{"name": "search", "input_schema": SCHEMA}]},
    "anthropic, parts": {
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [{"name": "search", "input_schema": SCHEMA}],
    },
    "bedrock": {
        "system": [{"text": "Be brief."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": SCHEMA}}}]},
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "search", "parametersJsonSchema": SCHEMA}]}],
    },
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_tools_and_prompt_are_read_whatever_the_provider_calls_them(request_):
    """Each tool with the schema of its arguments, the system prompt as one text."""
    found = offer(2, {}, json.dumps(request_).encode())
    assert found is not None
    assert (found.index, found.tools, found.system) == (2, {"search": SCHEMA}, "Be brief.")


def test_types_of_openapi_become_those_of_json_schema():
    """Gemini writes `STRING` and `nullable`."""
    body = {"tools": [{"functionDeclarations": [{"name": "search", "parameters": GEMINI}]}]}
    found = offer(0, {}, json.dumps(body).encode())
    assert found is not None
    assert found.tools["search"] == {
        "type": "object",
        "properties": {"q": {"type": ["string", "null"], "nullable": True}},
    }


def test_a_compressed_request_is_read():
    """As it is told to be."""
    body = gzip.compress(json.dumps(REQUESTS["anthropic"]).encode())
    found = offer(0, {"Content-Encoding": ("gzip",)}, body)
    assert found is not None
    assert found.system == "Be brief."


@pytest.mark.parametrize("body", [b"", b"[]", b"x", b"\xff", b'{"tools": 3, "messages": {"role": "system"}}'])
def test_a_body_that_offers_nothing_is_no_trouble(body):
    """What is no JSON object offers nothing; odd parts of one are passed over."""
    found = offer(0, {}, body)
    assert found is None or (found.tools, found.system) == ({}, "")
