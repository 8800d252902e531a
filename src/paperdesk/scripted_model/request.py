"""A request without tools, as the rules read it: what is asked, in which form the answer is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadRequest(ValueError):
    """A request that is no chat completion."""


@dataclass(frozen=True, slots=True)
class Request:
    """A Chat Completions request."""

    system: str
    """All system messages in one piece."""
    question: str
    """The user's last message."""
    form: Mapping[str, Any] | None
    """The JSON Schema that the answer shall keep to; an empty one where any JSON object will do."""
    tools: bool
    """Whether tools are offered."""
    seed: int

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Request:
        """Read a Chat Completions request. Raises `BadRequest`."""
        try:
            messages = request["messages"]
            said = [text(message) for message in messages if message["role"] == "user"]
            system = [text(message) for message in messages if message["role"] in ("system", "developer")]
            wanted = request.get("response_format") or {"type": "text"}
            form = None
            if wanted["type"] == "json_schema":
                form = dict(wanted["json_schema"]["schema"])
            elif wanted["type"] == "json_object":
                form = {}
            return cls("\n\n".join(system), said[-1], form, bool(request.get("tools")), int(request.get("seed") or 0))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise BadRequest(f"no chat completion request: {error!r}") from error


def text(message: Mapping[str, Any]) -> str:
    """The text of a message, whatever parts it has."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if part.get("type") == "text")
