"""What tools told a model: the tool results that a request to it holds, whatever the provider calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tapegate.model.trace import Json
from tapegate.stream.content import Headers, decode_body
from tapegate.stream.order import joined_surrogates

_MARKS = (b'"tool"', b'"function"', b"tool_result", b"function_call_output", b"functionResponse", b"toolResult")
"""A request without any of these holds no tool result, and is not parsed."""
_TURNS = ("messages", "input", "contents")


def given(headers: Headers, body: bytes) -> Iterator[str]:
    """The text of each tool result in a request body, in its order; none where it is no request to a model."""
    if not any(mark in body for mark in _MARKS):
        return
    try:
        request = json.loads(decode_body(headers, body))
    except (ValueError, RecursionError):
        return
    if not isinstance(request, dict):
        return
    for key in _TURNS:
        turns = request.get(key)
        for turn in turns if isinstance(turns, list) else ():
            if isinstance(turn, dict):
                # A JavaScript client may cut a string inside an emoji; what stands alone has no UTF-8 form.
                yield from (joined_surrogates(_text(result))[0] for result in _results(turn))


def _results(turn: dict[str, Json]) -> Iterator[Json]:
    if turn.get("role") in ("tool", "function"):  # OpenAI Chat, Mistral
        yield turn.get("content")
    elif turn.get("type") == "function_call_output":  # OpenAI Responses
        yield turn.get("output")
    for key in ("content", "parts"):
        parts = turn.get(key)
        for part in parts if isinstance(parts, list) else ():
            if not isinstance(part, dict):
                continue
            if part.get("type") == "tool_result":  # Anthropic
                yield part.get("content")
            for name, field in (("functionResponse", "response"), ("toolResult", "content")):  # Gemini, Bedrock
                if isinstance(part.get(name), dict):
                    yield part[name].get(field)


def _text(content: Json) -> str:
    """A result as one text: text parts joined, anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(_inner(part)) for part in content)
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _inner(part: Json) -> Json:
    if isinstance(part, dict):
        for key in ("text", "json"):
            if key in part:
                return part[key]
    return part
