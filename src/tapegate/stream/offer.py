"""What a request tells a model beside the conversation: the tools that it is offered, and its system prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tapegate.model.trace import Json, Offer
from tapegate.stream.content import Headers, decode_body

_SYSTEM_ROLES = ("system", "developer")


def offer(index: int, headers: Headers, body: bytes) -> Offer | None:
    """The offer of a request to a model, which stands at `index` of its recording; None for a body that is none."""
    try:
        request = json.loads(decode_body(headers, body))
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict):
        return None
    return Offer(index, dict(_tools(request)), "\n\n".join(_system(request)))


def _tools(request: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    """Each tool's name and the schema of its arguments, whatever the provider calls them."""
    bedrock = request.get("toolConfig")
    listed = bedrock.get("tools") if isinstance(bedrock, dict) else request.get("tools")
    for tool in listed if isinstance(listed, list) else ():
        if not isinstance(tool, dict):
            continue
        several = tool.get("functionDeclarations") or tool.get("function_declarations")  # Gemini
        held = several if isinstance(several, list) else [tool.get("function") or tool.get("toolSpec") or tool]
        for one in held:
            if isinstance(one, dict) and isinstance(one.get("name"), str):
                yield one["name"], _schema(one)


def _schema(tool: Mapping[str, Any]) -> Json:
    for key in ("parameters", "input_schema", "parametersJsonSchema", "inputSchema"):
        found = tool.get(key)
        if isinstance(found, dict):
            inner = found.get("json") if key == "inputSchema" else None
            return _lowered(inner if isinstance(inner, dict) else found)
    return {}  # a tool without parameters


def _lowered(schema: Json) -> Json:
    """Gemini writes the types of OpenAPI, `STRING`; JSON Schema has them in lower case."""
    if isinstance(schema, dict):
        lowered = {key: _lowered(value) for key, value in schema.items()}
        kind = lowered.get("type")
        if isinstance(kind, str) and kind.isupper():
            lowered["type"] = [kind.lower(), "null"] if lowered.get("nullable") is True else kind.lower()
        return lowered
    return [_lowered(one) for one in schema] if isinstance(schema, list) else schema


def _system(request: Mapping[str, Any]) -> Iterator[str]:
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        yield from _texts(request.get(key))
    for key in ("messages", "input"):
        turns = request.get(key)
        for turn in turns if isinstance(turns, list) else ():
            if isinstance(turn, dict) and turn.get("role") in _SYSTEM_ROLES:
                yield from _texts(turn.get("content"))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from _texts(value.get("text", value.get("parts")))
