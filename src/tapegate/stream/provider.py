"""A recorded HTTP exchange, read as a call of a model provider."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from tapegate.model.trace import Event, Finish, Text, ToolCall, Usage
from tapegate.stream.answer import Answer, Reader
from tapegate.stream.anthropic import Anthropic
from tapegate.stream.bedrock import Converse
from tapegate.stream.content import Headers, Undecodable, decode_body
from tapegate.stream.embeddings import Embeddings
from tapegate.stream.facts import Facts
from tapegate.stream.gemini import Gemini
from tapegate.stream.openai_chat import OpenAIChat
from tapegate.stream.openai_responses import OpenAIResponses
from tapegate.stream.order import Order


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """What a request asked of a model and what came back. None is what neither side said."""

    requested_model: str | None = None
    """The model that the request names: a floating alias, a deployment."""
    model: str | None = None
    """The model that the provider says it used."""
    version: str | None = None
    """Its resolved version or build fingerprint, where the provider names one beside the model."""
    usage: Usage | None = None
    finish_reason: str | None = None
    """In the provider's own words."""
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    streamed: bool = False


_ROUTES: Mapping[str, Mapping[str, type[Reader]]] = {
    "openai": {
        r"(/deployments/(?P<model>[^/]+))?/(chat/)?completions": OpenAIChat,
        r"(/deployments/(?P<model>[^/]+))?/embeddings": Embeddings,
        r"/responses": OpenAIResponses,
    },
    "anthropic": {
        r"/messages": Anthropic,
        r"/models/(?P<model>[^/:]+):(streamR|r)awPredict": Anthropic,  # on Vertex
    },
    "gemini": {
        r"/models/(?P<model>[^/:]+):(streamG|g)enerateContent": Gemini,
        r"/models/(?P<model>[^/:]+):(embedContent|batchEmbedContents)": Embeddings,
    },
    "mistral": {
        r"/(chat|fim|agents)/completions": OpenAIChat,
        r"/embeddings": Embeddings,
    },
    "bedrock": {
        r"/model/(?P<model>[^/]+)/converse(-stream)?": Converse,
    },
}
"""By protocol: the end of a path, and who reads its answers."""


def read_call(
    protocol: str,
    method: str,
    path: str,
    status: int,
    *,
    request_headers: Headers,
    request_body: bytes,
    response_headers: Headers,
    response_body: bytes,
) -> ProviderCall | None:
    """The provider call that an exchange is; None where it is none (another route, `http`).

    `protocol` is the service's. Never raises: of a body that cannot be read, what was read before the fault counts.
    """
    if method != "POST":
        return None
    path = re.split("[?#]", path, maxsplit=1)[0]
    routes = ((re.search(ending + r"\Z", path), kind) for ending, kind in _ROUTES.get(protocol, {}).items())
    route, kind = next(((found, kind) for found, kind in routes if found), (None, None))
    if route is None or kind is None:
        return None
    requested = _asked_model(request_headers, request_body) or _path_model(route)
    refused = ProviderCall(requested_model=requested)
    if not 200 <= status < 300:
        return refused
    try:
        answer = Answer(response_headers, response_body)
    except Undecodable:
        return refused
    reading = kind()
    events = list(Order().admit(answer.steps(reading)))
    return _call(requested, reading.facts, events, answer.streamed)


def _call(requested: str | None, facts: Facts, events: list[Event], streamed: bool) -> ProviderCall:
    return ProviderCall(
        requested_model=requested,
        model=facts.model,
        version=facts.version,
        usage=facts.usage,
        finish_reason=next((event.reason for event in events if isinstance(event, Finish)), None),
        text="".join(event.text for event in events if isinstance(event, Text)),
        tool_calls=tuple(event for event in events if isinstance(event, ToolCall)),
        streamed=streamed,
    )


def _asked_model(headers: Headers, body: bytes) -> str | None:
    try:
        asked = json.loads(decode_body(headers, body))
    except (ValueError, RecursionError):
        return None
    model = asked.get("model") if isinstance(asked, dict) else None
    return model if isinstance(model, str) else None


def _path_model(route: re.Match[str]) -> str | None:
    """Azure, Gemini and Bedrock name the model in the path."""
    named = route.groupdict().get("model")
    return unquote(named) if named else None
