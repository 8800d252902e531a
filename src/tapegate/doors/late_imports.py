"""What HTTP clients and SDKs import, and build, only when they are first used.

A child that is forked for one trial would do so each time: 100 ms of the openai SDK's first request, where the request
itself takes one (measured). A worker that has imported the agent imports these for it, where the agent has the client.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, get_args

LATE: dict[str, tuple[str, ...]] = {
    "httpx": ("httpcore", "anyio._backends._asyncio"),
    "httpx2": ("httpcore2", "truststore", "anyio._backends._asyncio"),
    "openai": (
        "openai.resources.chat.chat",
        "openai.resources.chat.completions.completions",
        "openai.lib.streaming.chat",
        "openai.resources.embeddings",
    ),
    "tornado": ("tornado.simple_httpclient", "vcr.stubs.tornado_stubs"),
    "anthropic": ("anthropic.resources.messages", "anthropic.lib.streaming"),
}
"""By client, all that are known: modules of libraries, never of an agent, whose import does nothing but define
things."""

BUILT: dict[str, tuple[str, ...]] = {
    "openai": ("openai.types.chat:ChatCompletion", "openai.types.chat:ChatCompletionChunk")
}
"""By client: what its answers are read into, whose schemas pydantic builds at the first answer (6 ms, measured)."""

ASKED: dict[str, tuple[str, ...]] = {
    "openai": (
        "openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming",
        "openai.types.chat.completion_create_params:CompletionCreateParamsStreaming",
        "openai.types.embedding_create_params:EmbeddingCreateParams",
    )
}
"""By client: what its requests are made of, whose type hints it resolves at the first request (6 ms, measured)."""


def catch_up() -> None:
    """Do it for every client that is loaded. What a version of a client does not have, or otherwise, is left out."""
    for client in LATE:
        if client in sys.modules:
            for prepare in (_import, _build_answers, _resolve_requests):
                # A library may change any of this. Then its first request takes longer: that is all it is for.
                with suppress(Exception):
                    prepare(client)


def _import(client: str) -> None:
    for module in LATE[client]:
        with suppress(ImportError):
            importlib.import_module(module)


def _build_answers(client: str) -> None:
    built: set[Any] = set()
    for model in BUILT.get(client, ()):
        _build(_found(model), built)


def _resolve_requests(client: str) -> None:
    if resolve := _found(f"{client}._utils._transform:get_type_hints"):
        resolved: set[Any] = set()
        for kind in ASKED.get(client, ()):
            _resolve(_found(kind), resolve, resolved)


def _found(name: str) -> Any:
    module, _, part = name.partition(":")
    with suppress(ImportError):
        return getattr(importlib.import_module(module), part, None)
    return None


def _build(hint: Any, built: set[Any]) -> None:
    """Build the schemas of all models that stand in a type hint, and those of their fields."""
    for part in get_args(hint):
        _build(part, built)
    if hint not in built and hasattr(hint, "model_rebuild") and hasattr(hint, "model_fields"):
        built.add(hint)
        hint.model_rebuild()
        for field in hint.model_fields.values():
            _build(field.annotation, built)


def _resolve(hint: Any, resolve: Callable[..., Mapping[str, Any]], resolved: set[Any]) -> None:
    """Let the client resolve, as it does itself, and keep the hints of all typed dictionaries that stand in a hint."""
    for part in get_args(hint):
        _resolve(part, resolve, resolved)
    if hasattr(hint, "__required_keys__") and hint not in resolved:
        resolved.add(hint)
        for part in resolve(hint, include_extras=True).values():
            _resolve(part, resolve, resolved)
