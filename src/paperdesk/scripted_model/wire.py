"""A reply as a provider sends it: ids, usage, and the pieces of a stream.

Nothing here depends on clock or chance: ids, piece lengths and pauses come from the sha256 of the request.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

from paperdesk.scripted_model.reply import Reply

MODEL = "scripted-librarian-2026-11-01"
FINGERPRINT = "scripted-rules-1"
CREATED = 1_793_491_200
"""2026-11-01T00:00:00Z, when these rules were last dated: an answer says what made it, not when."""
BYTES_A_TOKEN = 4


class Completion:
    """A reply to one request."""

    def __init__(self, request: Mapping[str, Any], reply: Reply) -> None:
        self._request = request
        canonical = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._digest = hashlib.sha256(canonical.encode("utf-8", "replace")).digest()
        limit = request.get("max_completion_tokens") or request.get("max_tokens") or 4096
        self._content = reply.content[: int(limit) * BYTES_A_TOKEN]
        self._cut = len(self._content) < len(reply.content)
        self._calls = () if self._cut else reply.calls

    @property
    def usage(self) -> dict[str, int]:
        """Tokens by rule: one for each four bytes begun, of messages and tools, and of content and calls."""
        asked = json.dumps([self._request.get("messages"), self._request.get("tools")], ensure_ascii=False)
        said = self._content + "".join(
            call["function"]["name"] + call["function"]["arguments"] for call in self._tool_calls()
        )
        prompt, completion = tokens(asked), tokens(said)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def whole(self) -> dict[str, Any]:
        """As one JSON object."""
        message: dict[str, Any] = {"role": "assistant", "content": self._content or None}
        if self._calls:
            message["tool_calls"] = self._tool_calls()
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish_reason}
        return self._head("chat.completion") | {"choices": [choice], "usage": self.usage}

    def chunks(self) -> Iterator[dict[str, Any]]:
        """As the JSON objects of a stream: a few tokens in each."""
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in self._pieces(self._content):
            yield self._chunk({"content": piece})
        for index, call in enumerate(self._tool_calls()):
            function = {"name": call["function"]["name"], "arguments": ""}
            yield self._chunk({"tool_calls": [{"index": index, **call, "function": function}]})
            for piece in self._pieces(call["function"]["arguments"]):
                yield self._chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield self._chunk({}, self._finish_reason)
        if (self._request.get("stream_options") or {}).get("include_usage"):
            yield self._head("chat.completion.chunk") | {"choices": [], "usage": self.usage}

    def pauses_ms(self) -> Iterator[int]:
        """How long to wait before each chunk: 5 to 15 ms."""
        for byte in cycle(self._digest):
            yield 5 + byte % 11

    @property
    def _finish_reason(self) -> str:
        return "length" if self._cut else "tool_calls" if self._calls else "stop"

    def _tool_calls(self) -> list[dict[str, Any]]:
        return [
            {
                "id": f"call_{hashlib.sha256(self._digest + bytes([index])).hexdigest()[:24]}",
                "type": "function",
                "function": {
                    "name": call.tool,
                    "arguments": json.dumps({call.argument: call.value}, ensure_ascii=False, separators=(",", ":")),
                },
            }
            for index, call in enumerate(self._calls)
        ]

    def _pieces(self, text: str) -> Iterator[str]:
        """`text` in pieces of 3 to 14 characters, cut anywhere: also inside words and tags, as tokens are."""
        at = 0
        for byte in cycle(self._digest):
            if at >= len(text):
                return
            yield text[at : at + 3 + byte % 12]
            at += 3 + byte % 12

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._head("chat.completion.chunk") | {"choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self._digest.hex()[:24]}",
            "object": kind,
            "created": CREATED,
            "model": MODEL,
            "system_fingerprint": FINGERPRINT,
        }


def tokens(text: str) -> int:
    """How many tokens a text has, by rule."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
