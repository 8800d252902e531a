"""What a recording says of the models it asked: for pins, so that a change of any of it shows in a diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tapegate.tape.canonical import Number, load
from tapegate.tape.cassette import Cassette, Response
from tapegate.tape.coding import Undecodable, decoded
from tapegate.tape.conversation import Conversation

STREAMING = frozenset({"stream", "stream_options"})
"""How an answer travels, not what is asked."""
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
    """The interactions whose request is a JSON object that names a model, in order."""
    found = []
    for interaction in cassette.interactions:
        document = load(interaction.request.body)
        model = _text(document, "model")
        if model is None:
            continue
        asked = Conversation.read(interaction.request.body) or Conversation(
            parameters={key: value for key, value in document.items() if key not in ("input", "prompt")}
        )
        found.append(
            Chat(
                model=model,
                resolved=_first(interaction.response, "model"),
                fingerprint=_first(interaction.response, "system_fingerprint"),
                prompt=asked.prompt,
                tools=asked.tools,
                parameters={key: value for key, value in asked.parameters.items() if key not in STREAMING},
            )
        )
    return tuple(found)


def _first(response: Response, field: str) -> str | None:
    """The first non-empty text under `field` in a JSON answer, or in the events of a streamed one."""
    for document in _documents(response, field):
        for holder in (document, *(document.get(envelope) for envelope in ENVELOPES)):
            value = _text(holder, field)
            if value:
                return value
    return None


def _text(holder: Any, field: str) -> str | None:
    """The text under `field`; None for anything else, a number included."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def _documents(response: Response, field: str) -> Iterator[dict[str, Any]]:
    try:
        body = decoded(response.headers, response.body, whole=False)
    except Undecodable:
        body = None
    rows = [body] if body and body.lstrip()[:1] == b"{" else (body or b"").splitlines()
    for row in rows:
        if field.encode() in row:
            document = load(row.removeprefix(b"data:").strip())
            if isinstance(document, dict):
                yield document
