"""Bedrock Converse and ConverseStream: the events of a stream, and the body of a whole answer.

Source: docs.aws.amazon.com/bedrock, "Converse", "ConverseStream" and "TokenUsage". The answer does not name its model:
the path of the request does.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Usage
from tapegate.stream.calls import Calls, Draft
from tapegate.stream.envelope import failure_message
from tapegate.stream.facts import Facts, count, total
from tapegate.stream.frame import need, objects, take
from tapegate.stream.order import Step


class Converse:
    """Reads one answer."""

    def __init__(self) -> None:
        self.facts = Facts()
        self._calls = Calls()
        self._open: dict[int, Draft] = {}

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one frame. Raises `BadFrame`."""
        if event.endswith("Exception"):
            yield Failure(failure_message(frame))
        elif event == "contentBlockStart":
            use = take(need(frame, dict, "start"), dict, "toolUse")
            if use is not None:
                draft = Draft(need(use, str, "toolUseId"), need(use, str, "name"))
                self._open[need(frame, int, "contentBlockIndex")] = draft
        elif event == "contentBlockDelta":
            delta = need(frame, dict, "delta")
            use = take(delta, dict, "toolUse")
            draft = self._open.get(need(frame, int, "contentBlockIndex"), Draft())
            draft.pieces.append(take(use or {}, str, "input") or "")
            yield from _spoken(delta)
        elif event == "contentBlockStop":
            stopped = self._open.pop(need(frame, int, "contentBlockIndex"), None)
            if stopped is not None:
                yield from stopped.made(self._calls)
        elif event == "messageStop":
            yield Finish(need(frame, str, "stopReason"))
        elif event == "metadata":
            self._count(frame)

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """The events of a whole answer. Raises `BadFrame`."""
        self._count(body)
        message = take(take(body, dict, "output") or {}, dict, "message") or {}
        for block in objects(take(message, list, "content")):
            yield from _spoken(block)
            use = take(block, dict, "toolUse")
            if use is not None:
                given = take(use, dict, "input") or {}
                yield from Draft(need(use, str, "toolUseId"), need(use, str, "name"), value=given).made(self._calls)
        yield Finish(take(body, str, "stopReason") or "unknown")

    def _count(self, frame: dict[str, Json]) -> None:
        usage = take(frame, dict, "usage")
        if usage is not None:
            self.facts.usage = usage_of(usage)


def usage_of(usage: dict[str, Json]) -> Usage:
    """Tokens of a `TokenUsage`. It counts cached input apart; here input is all that the model read."""
    fresh = count(usage, "inputTokens")
    cached = count(usage, "cacheReadInputTokens")
    written = count(usage, "cacheWriteInputTokens")
    return Usage(
        input_tokens=None if fresh is None else total(fresh, cached, written),
        output_tokens=count(usage, "outputTokens"),
        cached_tokens=cached,
        cache_write_tokens=written,
    )


def _spoken(block: dict[str, Json]) -> Iterator[Step]:
    text = take(block, str, "text")
    if text is not None:
        yield Text(text)
    reasoning = take(block, dict, "reasoningContent") or {}
    thought = take(take(reasoning, dict, "reasoningText") or reasoning, str, "text")
    if thought is not None:
        yield Data({"type": "reasoning", "text": thought})
