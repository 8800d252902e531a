"""Gemini `generateContent` and `streamGenerateContent`: every frame of a stream is a whole answer's shape.

Source: ai.google.dev/api/generate-content. Calls carry no id unless the model gives one; then they are numbered,
`call_1`, `call_2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Usage, Violation
from tapegate.stream.calls import Calls
from tapegate.stream.envelope import failure_message
from tapegate.stream.facts import Facts, count, total
from tapegate.stream.frame import BadFrame, need, objects, take
from tapegate.stream.order import Step


class Gemini:
    """Reads one answer; its first candidate is the answer, and another one a violation."""

    name = "gemini"

    def __init__(self) -> None:
        self.facts = Facts()
        self._calls = Calls()
        self._made = 0
        self._code = ""
        self._second = False

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one frame. Raises `BadFrame`."""
        if "error" in frame:
            yield Failure(failure_message(frame))
            return
        if not frame.keys() & {"candidates", "promptFeedback", "usageMetadata"}:
            raise BadFrame(f"expected candidates, promptFeedback or usageMetadata; it has {sorted(frame)!r}"[:300])
        self.facts.model = take(frame, str, "modelVersion") or self.facts.model
        usage = take(frame, dict, "usageMetadata")
        if usage is not None:
            self.facts.usage = usage_of(usage)
        blocked = take(take(frame, dict, "promptFeedback") or {}, str, "blockReason")
        if blocked:
            yield Failure(f"the prompt was blocked: {blocked}")
        for candidate in objects(take(frame, list, "candidates")):
            yield from self._candidate(candidate)

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """The events of a whole answer. Raises `BadFrame`."""
        return self.read("message", body)

    def _candidate(self, candidate: dict[str, Json]) -> Iterator[Step]:
        if take(candidate, int, "index"):
            yield Data({"candidate": candidate})
            if not self._second:
                self._second = True
                yield Violation("protocol_violation", "a second candidate: a stream answers once")
            return
        content = take(candidate, dict, "content") or {}
        for part in objects(take(content, list, "parts")):
            yield from self._part(part)
        reason = take(candidate, str, "finishReason")
        if reason is not None:
            yield Finish(reason)

    def _part(self, part: dict[str, Json]) -> Iterator[Step]:
        text = take(part, str, "text")
        if text is not None:
            yield Data({"type": "reasoning", "text": text}) if take(part, bool, "thought") else Text(text)
        elif "functionCall" in part:
            call = need(part, dict, "functionCall")
            yield from self._calls.call(self._id(call), need(call, str, "name"), take(call, dict, "args") or {})
        elif "executableCode" in part:
            code = need(part, dict, "executableCode")
            self._code = self._id(code)
            yield from self._calls.call(self._code, "code_execution", code)
        elif "codeExecutionResult" in part:
            result = need(part, dict, "codeExecutionResult")
            ok = take(result, str, "outcome") == "OUTCOME_OK"
            call_id = take(result, str, "id") or self._code
            yield from self._calls.result(call_id, None, ok=ok, content=result.get("output"))
        elif part.keys() - {"thoughtSignature"}:
            yield Data(part)

    def _id(self, call: dict[str, Json]) -> str:
        self._made += 1
        return take(call, str, "id") or f"call_{self._made}"


def usage_of(usage: dict[str, Json]) -> Usage:
    """Tokens of a `usageMetadata`. It counts thoughts apart; here output is all that the model wrote."""
    prompt = count(usage, "promptTokenCount")
    thoughts = count(usage, "thoughtsTokenCount")
    answer = count(usage, "candidatesTokenCount")
    return Usage(
        input_tokens=None if prompt is None else total(prompt, count(usage, "toolUsePromptTokenCount")),
        output_tokens=None if answer is None and thoughts is None else total(answer, thoughts),
        cached_tokens=count(usage, "cachedContentTokenCount"),
        reasoning_tokens=thoughts,
    )
