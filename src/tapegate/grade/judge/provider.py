"""The judge's requests in the words of its provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from tapegate.errors import UsageError
from tapegate.model.config import Judge
from tapegate.model.service import Service
from tapegate.run.metadata import DEFAULTS
from tapegate.subject.environment import mark

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "accuracy_score": {"type": "integer", "enum": [0, 1, 2]},
        "faithfulness_score": {"type": "integer", "enum": [0, 1, 2]},
        "rationale": {"type": "string"},
    },
    "required": ["accuracy_score", "faithfulness_score", "rationale"],
    "additionalProperties": False,
}
"""The output schema of rubric §2.1, for providers that can hold a model to one; its words are counted by the parser."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the judge's service."""

    path: str
    """As it follows the service's address."""
    headers: Mapping[str, str]
    body: bytes


def parameters(judge: Judge) -> dict[str, int | float]:
    """The generation parameters of every request: the rubric's defaults, and what the config overrides."""
    declared = judge.generation.model_dump(exclude_none=True)
    return {**DEFAULTS, **declared}


def overridden(judge: Judge) -> tuple[str, ...]:
    """The parameters that are not the rubric's defaults."""
    return tuple(name for name, value in parameters(judge).items() if value != DEFAULTS[name])


def call(judge: Judge, service: Service, prompt: str) -> Call:
    """The request that puts `prompt` to the judge. The same prompt gives the same bytes.

    The key is the mark that the gateway replaces while it records. Raises UsageError `unsupported_judge` for a protocol
    that the judge does not speak.
    """
    build = _BUILDERS.get(service.protocol)
    if build is None:
        raise UsageError.of(
            "unsupported_judge",
            f"the judge's service speaks {service.protocol!r}; a judge speaks {', '.join(sorted(_BUILDERS))}",
            fix="point `judge.service` at another service",
        )
    path, headers, body = build(judge, service, prompt, mark(service.key_env) if service.key_env else None)
    return Call(path, {"content-type": "application/json", **headers}, json.dumps(body, ensure_ascii=False).encode())


Built = tuple[str, dict[str, str], dict[str, Any]]


def _openai(judge: Judge, _: Service, prompt: str, key: str | None) -> Built:
    body: dict[str, Any] = {
        "model": judge.model,
        "messages": [{"role": "user", "content": prompt}],
        **parameters(judge),
    }
    if judge.json_schema:
        named = {"name": "evaluation", "strict": True, "schema": SCHEMA}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return "/chat/completions", _bearer(key), body


def _mistral(judge: Judge, service: Service, prompt: str, key: str | None) -> Built:
    path, headers, body = _openai(judge, service, prompt, key)
    body["random_seed"] = body.pop("seed")
    return path, headers, body


def _anthropic(judge: Judge, service: Service, prompt: str, key: str | None) -> Built:
    asked = parameters(judge)
    body = {
        "model": judge.model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": asked["max_tokens"],
        "temperature": asked["temperature"],
    }
    # It knows no seed, and newer models take temperature or top_p, not both.
    if "top_p" in overridden(judge):
        body["top_p"] = asked["top_p"]
    versioned = urlsplit(service.address).path.rstrip("/").endswith("/v1")
    headers = {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
    return "/messages" if versioned else "/v1/messages", headers, body


def _gemini(judge: Judge, service: Service, prompt: str, key: str | None) -> Built:
    asked = parameters(judge)
    generation: dict[str, Any] = {
        "temperature": asked["temperature"],
        "topP": asked["top_p"],
        "maxOutputTokens": asked["max_tokens"],
        "seed": asked["seed"],
    }
    if judge.json_schema:
        generation |= {"responseMimeType": "application/json"}
    versioned = urlsplit(service.address).path.rstrip("/").endswith(("/v1", "/v1beta"))
    path = f"{'' if versioned else '/v1beta'}/models/{quote(judge.model, safe='')}:generateContent"
    body = {"contents": [{"role": "user", "parts": [{"text": prompt}]}], "generationConfig": generation}
    return path, {"x-goog-api-key": key} if key else {}, body


def _bedrock(judge: Judge, _: Service, prompt: str, key: str | None) -> Built:
    asked = parameters(judge)
    inference: dict[str, Any] = {"maxTokens": asked["max_tokens"], "temperature": asked["temperature"]}
    # As at Anthropic: no seed, and newer models take temperature or top_p.
    if "top_p" in overridden(judge):
        inference["topP"] = asked["top_p"]
    body = {"messages": [{"role": "user", "content": [{"text": prompt}]}], "inferenceConfig": inference}
    return f"/model/{quote(judge.model, safe='')}/converse", _bearer(key), body


def _bearer(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


_BUILDERS: Mapping[str, Callable[[Judge, Service, str, str | None], Built]] = {
    "openai": _openai,
    "mistral": _mistral,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
}
