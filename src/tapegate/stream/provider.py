"""A recorded HTTP exchange, read as a call of a model provider."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from tapegate.model.trace import Event, Finish, Json, Text, ToolCall, Usage
from tapegate.stream.content import Headers, Undecodable, decode_body, header
from tapegate.stream.facts import Facts
from tapegate.stream.frame import BadFrame, read_json, take
from tapegate.stream.openai_chat import OpenAIChat
from tapegate.stream.openai_embeddings import OpenAIEmbeddings
from tapegate.stream.order import Order, Step
from tapegate.stream.sse import Message, Sse


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


class Reader(Protocol):
    """Reads one answer of one provider API, in pieces or whole."""

    facts: Facts

    def read(self, event: str, frame: dict[str, Json]) -> Iterable[Step]:
        """The events of one frame of a streamed answer. Raises `BadFrame`."""

    def whole(self, body: dict[str, Json]) -> Iterable[Step]:
        """The events of an answer in one piece. Raises `BadFrame`."""


_OPENAI: dict[str, type[Reader]] = {
    "/chat/completions": OpenAIChat,
    "/completions": OpenAIChat,
    "/embeddings": OpenAIEmbeddings,
}


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
    path = path.partition("?")[0]
    kind = next((_OPENAI[tail] for tail in _OPENAI if path.endswith(tail)), None) if protocol == "openai" else None
    if kind is None or method != "POST":
        return None
    asked = _object(request_headers, request_body)
    requested = _text(asked, "model") or _deployment(path)
    if not 200 <= status < 300:
        return ProviderCall(requested_model=requested)
    reader = kind()
    try:
        body = decode_body(response_headers, response_body)
    except Undecodable:
        return ProviderCall(requested_model=requested)
    streamed = _is_stream(response_headers, body)
    events = list(Order().admit(_streamed(reader, body) if streamed else _whole(reader, body)))
    return _call(requested, reader.facts, events, streamed)


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


def _is_stream(headers: Headers, body: bytes) -> bool:
    kind = header(headers, "content-type").lower()
    return "event-stream" in kind or (not kind and body.startswith((b"data:", b"event:")))


def _streamed(reader: Reader, body: bytes) -> Iterator[Step]:
    sse = Sse(limit=max(len(body), 1))
    for item in sse.feed(body):
        if isinstance(item, Message) and item.data.strip() != "[DONE]":
            try:
                frame = read_json(item.data)
                if isinstance(frame, dict):
                    yield from reader.read(item.event, frame)
            except BadFrame:
                continue


def _whole(reader: Reader, body: bytes) -> Iterator[Step]:
    try:
        value = read_json(body.decode())
        if isinstance(value, dict):
            yield from reader.whole(value)
    except (BadFrame, UnicodeDecodeError):
        return


def _object(headers: Headers, body: bytes) -> dict[str, Json]:
    try:
        value = json.loads(decode_body(headers, body))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(frame: dict[str, Json], name: str) -> str | None:
    try:
        return take(frame, str, name)
    except BadFrame:
        return None


def _deployment(path: str) -> str | None:
    """Azure names the model in the path: `/openai/deployments/{name}/chat/completions`."""
    _, found, rest = path.partition("/deployments/")
    return unquote(rest.split("/")[0]) if found else None
