"""Anthropic Messages: the events of a stream, and the body of a whole answer.

Source: docs.anthropic.com, "Streaming messages". New event types may come at any time, it says, and a reader must bear
them: they are kept as data.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Usage, Violation
from tapegate.stream.calls import Calls, Draft
from tapegate.stream.envelope import failure_message
from tapegate.stream.facts import Facts, count, total
from tapegate.stream.frame import need, objects, take
from tapegate.stream.order import Step


class Anthropic:
    """Reads one answer."""

    name = "anthropic"

    def __init__(self) -> None:
        self.facts = Facts()
        self._calls = Calls()
        self._usage: dict[str, Json] = {}
        self._started = False
        self._open: dict[int, Draft | None] = {}
        self._reason: str | None = None

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one frame. Raises `BadFrame`."""
        kind = need(frame, str, "type")
        if event not in ("message", kind):
            yield Violation("protocol_violation", f"a frame of type {kind[:60]!r} sent as event {event[:60]!r}")
        if kind == "ping":
            return
        if kind == "error":
            yield Failure(failure_message(frame))
        elif kind == "message_start":
            if self._started:
                yield Violation("protocol_violation", "a second message_start")
            self._started = True
            self._note(need(frame, dict, "message"))
        elif kind in ("content_block_start", "content_block_delta", "content_block_stop"):
            yield from self._block(kind, need(frame, int, "index"), frame)
        elif kind == "message_delta":
            self._reason = take(take(frame, dict, "delta") or {}, str, "stop_reason") or self._reason
            self._count(frame)
        elif kind == "message_stop":
            if not self._started or self._open:
                fault = f"before the content blocks {sorted(self._open)!r} ended" if self._open else "before its start"
                yield Violation("protocol_violation", f"message_stop {fault}")
            yield Finish(self._reason or "unknown")
        else:
            yield Data(frame)

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """The events of a whole answer. Raises `BadFrame`."""
        self._note(body)
        for block in objects(need(body, list, "content")):
            kind = need(block, str, "type")
            if kind == "text":
                yield Text(need(block, str, "text"))
            elif kind.endswith("tool_use"):
                draft = Draft(need(block, str, "id"), need(block, str, "name"), value=take(block, dict, "input") or {})
                yield from draft.made(self._calls)
            else:
                yield from self._other(kind, block)
        yield Finish(take(body, str, "stop_reason") or "unknown")

    def _note(self, message: dict[str, Json]) -> None:
        self.facts.model = take(message, str, "model") or self.facts.model
        self._count(message)

    def _count(self, frame: dict[str, Json]) -> None:
        # The counts of a later frame are running totals; one it does not repeat stays.
        said = take(frame, dict, "usage")
        if said is not None:
            self._usage.update({key: value for key, value in said.items() if value is not None})
            self.facts.usage = usage_of(self._usage)

    def _block(self, kind: str, index: int, frame: dict[str, Json]) -> Iterator[Step]:
        if (index in self._open) == (kind == "content_block_start"):
            state = "open already" if index in self._open else "not open"
            yield Violation("protocol_violation", f"{kind} of block {index}, which is {state}")
        if kind == "content_block_start":
            yield from self._start(index, need(frame, dict, "content_block"))
        elif kind == "content_block_delta":
            yield from self._delta(self._open.get(index), need(frame, dict, "delta"))
        else:
            draft = self._open.pop(index, None)
            if draft is not None:
                yield from draft.made(self._calls)

    def _start(self, index: int, block: dict[str, Json]) -> Iterator[Step]:
        kind = need(block, str, "type")
        self._open[index] = None
        if kind.endswith("tool_use"):
            given = take(block, dict, "input") or None  # `{}` stands for "follows in pieces"
            self._open[index] = Draft(need(block, str, "id"), need(block, str, "name"), value=given)
        elif kind == "text":
            yield Text(take(block, str, "text") or "")
        else:
            yield from self._other(kind, block)

    def _delta(self, draft: Draft | None, delta: dict[str, Json]) -> Iterator[Step]:
        kind = need(delta, str, "type")
        if kind == "text_delta":
            yield Text(need(delta, str, "text"))
        elif kind == "thinking_delta":
            yield Data({"type": "reasoning", "text": need(delta, str, "thinking")})
        elif kind == "input_json_delta":
            if draft is not None:
                draft.pieces.append(need(delta, str, "partial_json"))
                draft.value = None
        elif kind != "signature_delta":
            yield Data(delta)

    def _other(self, kind: str, block: dict[str, Json]) -> Iterator[Step]:
        if kind.endswith("tool_result"):
            content = block.get("content")
            inner = content.get("type") if isinstance(content, dict) else None
            failed = take(block, bool, "is_error") or (isinstance(inner, str) and inner.endswith("_error"))
            yield from self._calls.result(need(block, str, "tool_use_id"), None, ok=not failed, content=content)
        elif kind == "thinking":
            text = take(block, str, "thinking")
            if text:
                yield Data({"type": "reasoning", "text": text})
        else:
            yield Data(block)


def usage_of(usage: dict[str, Json]) -> Usage:
    """Tokens of an Anthropic `usage` object. It counts cached input apart; here input is all that the model read."""
    fresh = count(usage, "input_tokens")
    cached = count(usage, "cache_read_input_tokens")
    written = count(usage, "cache_creation_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else total(fresh, cached, written),
        output_tokens=count(usage, "output_tokens"),
        cached_tokens=cached,
        cache_write_tokens=written,
    )
