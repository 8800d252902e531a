"""Whether a normaliser hides what a model is told."""

from __future__ import annotations

import json

import pytest

from tapegate.model.normaliser import Normaliser
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.hiding import hiding

QUIET = Chunks(started_us=0, sizes=(), at_us=(), ended_us=10)
OPENAI = {
    "model": "m-1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?", "id": "x1"}]},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": '{"q": "a"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "Nothing."},
    ],
    "tools": [{"type": "function", "function": {"name": "search", "description": "Looks."}}],
    "prompt_cache_key": "k",
    "user": "u",
}
ANTHROPIC = {
    "model": "m-1",
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Nothing."}]}],
    "metadata": {"user_id": "u"},
}
GEMINI = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [{"role": "user", "parts": [{"text": "What is it?"}]}],
    "cachedContent": "c",
}


def hides(body: bytes, path: str, service: str = "model") -> bool:
    """Whether the normaliser is found in a recording of one request."""
    request = Request("POST", "https://model.example/v1/chat", {}, body)
    answered = Interaction("model", request, Response(200, "OK", {}, b""), QUIET)
    provenance = Provenance("tapegate 0", "2026-01-01T00:00:00Z", "none", "linux", "rules", "scripted", "rules")
    made = Cassette("RET-01@P1", 1, provenance, AgentStream("text", b"", QUIET), (answered,))
    return hiding(made, [Normaliser(service=service, path=path, reason="it moves")]) == {0}


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        *((OPENAI, path) for path in ("messages[*].content", "messages[0].content", "messages[*]", "messages", "*")),
        *((OPENAI, path) for path in ("messages[*].*", "messages[1].content[*].text", "messages[3].content")),
        *((OPENAI, path) for path in ("messages[*].tool_calls[*].function.arguments", "tools", "model")),
        *((OPENAI, path) for path in ("tools[*].function.description", "tools[*].function.name")),
        *((ANTHROPIC, path) for path in ("system", "system[*].text", "messages[*].content[*].content")),
        *((GEMINI, path) for path in ("systemInstruction", "systemInstruction.parts[*].text", "contents[*].parts")),
        ({"model": "e", "input": "moss"}, "input"),
        ({"model": "e", "input": ["moss", "fern"]}, "input[*]"),
        ({"model": "c", "prompt": "Once"}, "prompt"),
    ],
)
def test_what_a_model_reads_is_not_volatile(request_, path):
    """Its name, prompts, messages, results and arguments of tools, and tools on offer, whichever the provider."""
    assert hides(json.dumps(request_).encode(), path)


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        *((OPENAI, path) for path in ("messages[*].tool_call_id", "messages[*].tool_calls[*].id", "user")),
        *((OPENAI, path) for path in ("prompt_cache_key", "messages[*].content[*].id", "messages[*].name")),
        *((ANTHROPIC, path) for path in ("metadata.user_id", "system[*].cache_control", "metadata")),
        *((ANTHROPIC, path) for path in ("messages[*].content[*].tool_use_id",)),
        (GEMINI, "cachedContent"),
        ({"query": "moss", "page": 1}, "query"),
    ],
)
def test_ids_and_marks_are(request_, path):
    """What names a call, a user or a cache says nothing to a model; what no model is asked is not looked at."""
    assert not hides(json.dumps(request_).encode(), path)


@pytest.mark.parametrize("body", [b"", b"x", b"[1]", b'{"model": 1', b'{"model": 1, "model": 2}', b"[" * 9999])
def test_a_body_of_any_kind_is_read(body):
    """What is no unambiguous JSON object is matched by its bytes, and no normaliser reaches it."""
    assert not hides(body, "*")


def test_a_rule_of_another_service_hides_nothing():
    """It is not applied there."""
    assert not hides(json.dumps(OPENAI).encode(), "messages", service="search")
