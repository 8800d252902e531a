"""OpenAI Responses: the events of a stream, and the body of a whole answer.

Source: platform.openai.com/docs/api-reference/responses-streaming. Besides text and calls it tells each item's progress
several times over; what repeats is not an event of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Violation
from tapegate.stream.calls import Calls, Draft
from tapegate.stream.envelope import failure_message
from tapegate.stream.facts import Facts
from tapegate.stream.frame import BadFrame, need, objects, take
from tapegate.stream.openai_chat import usage_of
from tapegate.stream.order import Step

_REASONING = ("response.reasoning_text.delta", "response.reasoning_summary_text.delta")
_LAST = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


class OpenAIResponses:
    """Reads one answer."""

    name = "openai_responses"

    def __init__(self) -> None:
        self.facts = Facts()
        self._calls = Calls()

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one frame. Raises `BadFrame`."""
        kind = need(frame, str, "type")
        if event not in ("message", kind):
            yield Violation("protocol_violation", f"a frame of type {kind[:60]!r} sent as event {event[:60]!r}")
        if kind == "response.output_text.delta":
            yield Text(need(frame, str, "delta"))
        elif kind in _REASONING:
            yield Data({"type": "reasoning", "text": need(frame, str, "delta")})
        elif kind == "response.refusal.delta":
            yield Data({"type": "refusal", "text": need(frame, str, "delta")})
        elif kind == "response.output_text.annotation.added":
            yield Data({"type": "annotation", "annotation": frame.get("annotation")})
        elif kind == "response.output_item.done":
            yield from self._call(need(frame, dict, "item"))
        elif kind in _LAST:
            response = need(frame, dict, "response")
            self._note(response)
            yield self._end({**response, "status": kind.removeprefix("response.")})
        elif kind == "error":
            yield Failure(failure_message(frame))
        elif kind.startswith("response."):
            self._note(take(frame, dict, "response") or {})
        elif kind != "keepalive":
            raise BadFrame(f"a frame of type {kind[:60]!r}, which {self.name!r} does not have")

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """The events of a whole answer. Raises `BadFrame`."""
        self._note(body)
        for item in objects(need(body, list, "output")):
            for part in objects(take(item, list, "content")):
                kind = take(part, str, "type")
                if kind == "output_text":
                    yield Text(need(part, str, "text"))
                elif kind == "refusal":
                    yield Data({"type": "refusal", "text": need(part, str, "refusal")})
            yield from self._call(item)
        yield self._end(body)

    def _note(self, response: dict[str, Json]) -> None:
        self.facts.model = take(response, str, "model") or self.facts.model
        usage = take(response, dict, "usage")
        if usage is not None:
            self.facts.usage = usage_of(usage)

    def _end(self, response: dict[str, Json]) -> Step:
        status = take(response, str, "status") or "unknown"
        if status in ("failed", "cancelled"):
            return Failure(failure_message(response) if take(response, dict, "error") else status)
        why = take(take(response, dict, "incomplete_details") or {}, str, "reason")
        return Finish(why or status if status == "incomplete" else status)

    def _call(self, item: dict[str, Json]) -> Iterator[Step]:
        """A function call of the model, or one of the provider's own tools that it ran itself."""
        kind = need(item, str, "type")
        if not kind.endswith("_call"):
            return
        call_id = take(item, str, "call_id", "id") or ""
        name = take(item, str, "name") or kind.removesuffix("_call")
        text = item.get("arguments")
        if isinstance(text, str):
            yield from Draft(call_id, name, [text]).made(self._calls)
        else:
            given = text or item.get("action")
            named = {key: item[key] for key in ("input", "code", "queries") if item.get(key) is not None}
            yield from self._calls.call(call_id, name, given if isinstance(given, dict) else named)
        if kind == "mcp_call":
            failed = item.get("error")
            yield from self._calls.result(call_id, name, ok=failed is None, content=failed or item.get("output"))
