"""What a recording says of the models it asked: for pins, so that a change of any of it shows in a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tapegate.tape.canonical import Number, load
from tapegate.tape.cassette import Cassette, Response
from tapegate.tape.coding import Undecodable, decoded
from tapegate.tape.conversation import Conversation
from tapegate.tape.secrets.framing import frames_of

STREAMING = frozenset({"stream", "stream_options"})
"""How an answer travels, not what is asked."""
_MODEL_IN_PATH = re.compile(
    r"/models/([^/:]+):(?:streamG|g)enerateContent\Z|/models/([^/:]+):(?:embedContent|batchEmbedContents)\Z"
    r"|/models/([^/:]+):(?:streamR|r)awPredict\Z|/model/([^/]+)/converse(?:-stream)?\Z"
    r"|/deployments/([^/]+)/(?:chat/completions|completions|embeddings|responses)\Z"
)
"""Gemini, Anthropic on Vertex, Bedrock and Azure name the model in the path."""
ENVELOPES = ("response", "message")
"""Where OpenAI Responses and Anthropic streams put the object that names the model."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One request to a model, and what answered it."""

    model: str
    """As the request names it."""
    resolved: str | None
    """As the response names it."""
    fingerprint: str | None
    """The build that the response names."""
    prompt: Mapping[str, Any]
    tools: Mapping[str, Any]
    parameters: Mapping[str, Any]


def chats(cassette: Cassette) -> tuple[Chat, ...]:
    """The interactions whose request is a JSON object and names a model, there or in its path, in order."""
    found = []
    for interaction in cassette.interactions:
        document = load(interaction.request.body)
        model = _text(document, "model") or _in_path(interaction.request.uri, document)
        if model is None:
            continue
        asked = Conversation.of(document) or Conversation(
            parameters={key: value for key, value in document.items() if key not in ("input", "prompt")}
        )
        answer = _content(interaction.response)
        found.append(
            Chat(
                model=model,
                resolved=_first(answer, "model") or _first(answer, "modelVersion"),
                fingerprint=_first(answer, "system_fingerprint"),
                prompt=asked.prompt,
                tools=asked.tools,
                parameters={key: value for key, value in asked.parameters.items() if key not in STREAMING},
            )
        )
    return tuple(found)


def _in_path(uri: str, document: Any) -> str | None:
    found = _MODEL_IN_PATH.search(uri.partition("?")[0]) if isinstance(document, dict) else None
    return unquote(found[found.lastindex or 0]) if found is not None else None


def _content(response: Response) -> bytes:
    """The body without its content-encoding; empty where it cannot be undone."""
    try:
        return decoded(response.headers, response.body, whole=False) or b""
    except Undecodable:
        return b""


def _first(answer: bytes, field: str) -> str | None:
    """The first non-empty text under `field` in a JSON answer, or in the events of a streamed one."""
    for document in _documents(answer, field.encode()):
        for holder in (document, *(document.get(envelope) for envelope in ENVELOPES)):
            value = _text(holder, field)
            if value:
                return value
    return None


def _text(holder: Any, field: str) -> str | None:
    """The text under `field`; None for anything else, a number included."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def _documents(answer: bytes, field: bytes) -> Iterator[dict[str, Any]]:
    if field not in answer:
        return
    if answer.lstrip()[:1] == b"[":
        yield from (frame for frame in frames_of(answer) if isinstance(frame, dict))
        return
    rows = [answer] if answer.lstrip()[:1] == b"{" else answer.splitlines()
    for row in rows:
        if field in row:
            document = load(row.removeprefix(b"data:").strip())
            if isinstance(document, dict):
                yield document
