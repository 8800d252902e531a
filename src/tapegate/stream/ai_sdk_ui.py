"""The UI message stream of Vercel's AI SDK 5 and 6: server-sent events, `[DONE]` after the last.

Source: vercel/ai, `packages/ai/src/ui-message-stream/ui-message-chunks.ts`. Its own client fails on any other type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, ToolCall, Violation
from tapegate.stream.calls import Calls
from tapegate.stream.frame import BadFrame, need, take
from tapegate.stream.order import Step

_PART = re.compile(r"(text|reasoning)-(start|delta|end)")
_DATA = re.compile(
    r"start|(start|finish)-step|message-metadata|source-(url|document)|file|tool-approval-request|data-.+", re.DOTALL
)


class AiSdkUi:
    """Says what a frame means."""

    name = "ai_sdk_ui"

    def __init__(self) -> None:
        self._calls = Calls()
        self._open: set[tuple[str, str]] = set()

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one frame. Raises `BadFrame`."""
        kind = need(frame, str, "type")
        part = _PART.fullmatch(kind)
        if part:
            yield from self._part(part[1], part[2], frame)
        elif kind == "finish":
            yield from self._calls.unmade()
            yield Finish(take(frame, str, "finishReason") or "unknown")
        elif kind == "error":
            yield Failure(need(frame, str, "errorText"))
        elif kind == "abort":
            reason = take(frame, str, "reason")
            yield Failure(f"aborted: {reason}" if reason else "aborted")
        elif _DATA.fullmatch(kind):
            yield Data(frame)
        elif kind.startswith("tool-"):
            yield from self._tool(kind, frame)
        else:
            raise BadFrame(f"a frame of type {kind[:60]!r}, which {self.name!r} does not have")

    def _part(self, channel: str, step: str, frame: dict[str, Json]) -> Iterator[Step]:
        key = (channel, need(frame, str, "id"))
        if (key in self._open) == (step == "start"):
            fault = "starts twice" if step == "start" else f"was not started, and has a {channel}-{step}"
            yield Violation("protocol_violation", f"{channel} part {key[1]!r} {fault}")
        if step == "start":
            self._open.add(key)
        elif step == "end":
            self._open.discard(key)
        elif channel == "text":
            yield Text(need(frame, str, "delta"))
        else:
            yield Data({"type": "reasoning", "text": need(frame, str, "delta")})

    def _tool(self, kind: str, frame: dict[str, Json]) -> Iterator[Step]:
        call_id = need(frame, str, "toolCallId")
        if kind == "tool-input-start":
            self._calls.begin(call_id, need(frame, str, "toolName"))
        elif kind == "tool-input-delta":
            need(frame, str, "inputTextDelta")
            if not self._calls.begun(call_id):
                yield Violation("protocol_violation", f"input for the call {call_id!r}, which was not begun")
        elif kind == "tool-input-available":
            yield from self._call(call_id, frame)
        elif kind == "tool-input-error":
            # The model called the tool with input that its schema refuses; the call's result is an error of its own.
            yield Data(frame)
            yield from (step for step in self._call(call_id, frame) if isinstance(step, ToolCall))
        elif kind == "tool-output-available":
            if take(frame, bool, "preliminary"):
                yield Data(frame)
            else:
                yield from self._calls.result(call_id, None, ok=True, content=frame.get("output"))
        elif kind == "tool-output-error":
            yield from self._calls.result(call_id, None, ok=False, content=need(frame, str, "errorText"))
        elif kind == "tool-output-denied":
            yield from self._calls.result(call_id, None, ok=False, content=None)
        else:
            raise BadFrame(f"a frame of type {kind[:60]!r}, which {self.name!r} does not have")

    def _call(self, call_id: str, frame: dict[str, Json]) -> Iterator[Step]:
        given = frame.get("input")
        if given is not None and not isinstance(given, dict):
            yield Violation("malformed_frame", f"input of the call {call_id!r} is no object")
        yield from self._calls.call(call_id, need(frame, str, "toolName"), given if isinstance(given, dict) else {})
