"""OpenAI Chat Completions: the chunks of a stream, and the body of a whole answer.

Servers that speak it (Azure, Mistral, Groq, vLLM, llama.cpp, OpenRouter) differ in what they leave out and add:
chunks without choices, content as a list of parts, `reasoning` or `reasoning_content`, usage under `x_groq`. What an
answer must have is its `choices`, and a stream a `finish_reason` in the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Usage, Violation
from tapegate.stream.calls import Calls, Draft
from tapegate.stream.envelope import failure_message
from tapegate.stream.facts import Facts, count
from tapegate.stream.frame import BadFrame, need, objects, take
from tapegate.stream.order import Step


class OpenAIChat:
    """Reads one answer; its first choice is the answer, and another one a violation."""

    name = "openai_chat"

    def __init__(self) -> None:
        self.facts = Facts()
        self._calls = Calls()
        self._drafts: dict[int, Draft] = {}
        self._reason: str | None = None
        self._second = False

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one chunk. Raises `BadFrame`."""
        if event == "error" or frame.get("error") is not None:
            yield Failure(failure_message(frame))
            return
        self._note(frame)
        for choice in objects(need(frame, list, "choices")):
            if take(choice, int, "index"):
                yield Data({"choice": choice})
                if not self._second:
                    self._second = True
                    yield Violation("protocol_violation", "a second choice: a stream answers once")
                continue
            delta = take(choice, dict, "delta") or {}
            yield from _content(delta)
            yield from _completion(choice)
            for position, call in enumerate(objects(take(delta, list, "tool_calls"))):
                self._draft(call, position)
            function = take(delta, dict, "function_call")
            if function:
                self._draft({"function": function}, 0)
            reason = take(choice, str, "finish_reason")
            # OpenRouter says the reason once more beside the usage; that is no second finish.
            if reason is not None and not (reason == self._reason and frame.get("usage")):
                yield from self._finish(reason)

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """The events of a whole answer. Raises `BadFrame`."""
        self._note(body)
        for choice in objects(need(body, list, "choices"))[:1]:
            message = take(choice, dict, "message") or {}
            yield from _content(message)
            yield from _completion(choice)
            function = take(message, dict, "function_call")
            calls = objects(take(message, list, "tool_calls")) + ([{"function": function}] if function else [])
            for position, call in enumerate(calls):
                self._draft({**call, "index": position}, position)
            yield from self._finish(take(choice, str, "finish_reason") or "unknown")

    def _note(self, frame: dict[str, Json]) -> None:
        self.facts.model = take(frame, str, "model") or self.facts.model
        self.facts.version = take(frame, str, "system_fingerprint") or self.facts.version
        groq = take(frame, dict, "x_groq") or {}
        usage = take(frame, dict, "usage") or take(groq, dict, "usage")
        if usage is not None:
            self.facts.usage = usage_of(usage)

    def _draft(self, call: dict[str, Json], position: int) -> None:
        index = take(call, int, "index")
        index = position if index is None else index
        draft = self._drafts.setdefault(index, Draft())
        draft.call_id = draft.call_id or take(call, str, "id") or ""
        custom = take(call, dict, "custom")
        draft.free = draft.free or custom is not None
        function = custom or take(call, dict, "function") or {}
        draft.name = draft.name or take(function, str, "name") or ""
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # Mistral and Ollama may send the object itself
            draft.value = arguments
        else:
            draft.pieces.append(take(function, str, "arguments", "input") or "")

    def _finish(self, reason: str) -> Iterator[Step]:
        for index in sorted(self._drafts):
            yield from self._drafts[index].made(self._calls)
        self._drafts.clear()
        self._reason = reason
        yield Finish(reason)


def usage_of(usage: dict[str, Json]) -> Usage:
    """Tokens of an OpenAI `usage` object, Chat or Responses: input holds the cached ones, output the reasoning."""
    read = take(usage, dict, "prompt_tokens_details", "input_tokens_details") or {}
    written = take(usage, dict, "completion_tokens_details", "output_tokens_details") or {}
    return Usage(
        input_tokens=count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=count(usage, "completion_tokens", "output_tokens"),
        cached_tokens=count(read, "cached_tokens"),
        reasoning_tokens=count(written, "reasoning_tokens"),
        cache_write_tokens=count(read, "cache_write_tokens"),
    )


def _completion(choice: dict[str, Json]) -> Iterator[Step]:
    """The text of the older completions, which stands in the choice itself."""
    text = take(choice, str, "text")
    if text is not None:
        yield Text(text)


def _content(message: dict[str, Json]) -> Iterator[Step]:
    for key in ("reasoning_content", "reasoning", "refusal"):
        said = message.get(key)
        if isinstance(said, str) and said:
            yield Data({"type": "refusal" if key == "refusal" else "reasoning", "text": said})
    content = message.get("content")
    if isinstance(content, str):
        yield Text(content)
    elif isinstance(content, list):
        for part in objects(content):
            text = take(part, str, "text")
            yield Text(text) if text is not None else Data(part)
    elif content is not None:
        raise BadFrame("field 'content' must be a string or a list of parts")
