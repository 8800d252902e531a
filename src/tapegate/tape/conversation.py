"""A model request taken apart into what people change: system prompt, tools, parameters, conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tapegate.tape.canonical import load

PROMPT_ROLES = frozenset({"system", "developer"})
CONVERSATION_KEYS = ("messages", "input", "contents")
PROMPT_KEYS = ("system", "instructions", "systemInstruction", "system_instruction")
TOOL_KEYS = ("tools", "functions", "toolConfig")


@dataclass(frozen=True, slots=True)
class Conversation:
    """The parts of a request body to a model, whatever the provider calls them."""

    prompt: Mapping[str, Any] = field(default_factory=dict)
    """System prompt by the JSON path at which each piece stands."""
    tools: Mapping[str, Any] = field(default_factory=dict)
    """Tool definitions by key."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that is not conversation, by key."""
    messages: tuple[tuple[str, Any], ...] = ()
    """The turns that are not system prompt, each with its JSON path."""

    @classmethod
    def read(cls, body: bytes) -> Conversation | None:
        """The conversation in `body`; None when it is no model request."""
        return cls.of(load(body))

    @classmethod
    def of(cls, document: Any) -> Conversation | None:
        """The conversation in a body that was read; None when it is no model request."""
        if not isinstance(document, dict):
            return None
        turns_key = next((key for key in CONVERSATION_KEYS if _is_talk(key, document)), None)
        if turns_key is None:
            return None
        turns = document[turns_key]
        prompt: dict[str, Any] = {key: document[key] for key in PROMPT_KEYS if key in document}
        messages: list[tuple[str, Any]] = []
        for number, message in enumerate([turns] if isinstance(turns, str) else turns):
            path = f"{turns_key}[{number}]"
            if isinstance(message, dict) and message.get("role") in PROMPT_ROLES:
                prompt[f"{path}.content"] = message.get("content")
            else:
                messages.append((path, message))
        known = {turns_key, *PROMPT_KEYS, *TOOL_KEYS}
        return cls(
            prompt=prompt,
            tools={key: document[key] for key in TOOL_KEYS if key in document},
            parameters={key: value for key, value in document.items() if key not in known},
            messages=tuple(messages),
        )

    def common_turns(self, other: Conversation) -> int:
        """How many turns both begin with."""
        count = 0
        for (_, mine), (_, theirs) in zip(self.messages, other.messages, strict=False):
            if mine != theirs:
                break
            count += 1
        return count


def _is_talk(key: str, document: Mapping[str, Any]) -> bool:
    """Whether turns stand under `key`. Embeddings have an `input` too, of texts; Responses may have one text for it."""
    turns = document.get(key)
    if key != "input":
        return isinstance(turns, list)
    if isinstance(turns, str):
        return any(name in document for name in (*PROMPT_KEYS, *TOOL_KEYS))
    return isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns)
