"""One turn: ask the model, run the tools it calls, ask again, until it answers."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from openai.types.chat import ChatCompletionMessageParam

from paperdesk import stream
from paperdesk.answer import Answer
from paperdesk.provider import Call, Completion, Provider, ProviderError
from paperdesk.tools import Toolbox


class Turn:
    """The conversation with the model about one message of the user."""

    def __init__(
        self, provider: Provider, toolbox: Toolbox, messages: list[ChatCompletionMessageParam], rounds: int
    ) -> None:
        self._provider = provider
        self._toolbox = toolbox
        self._messages = messages
        self._rounds = rounds
        self._calls = 0
        self.answer = Answer()
        self.finish_reason = "stop"
        """Why the model stopped: `stop`, or `length` or `content_filter` where the answer is cut."""

    async def run(self) -> AsyncGenerator[str, None]:
        """The lines of the answer: text, tool calls, tool results. Raises `ProviderError`."""
        for rounds_left in range(self._rounds, -1, -1):
            completion = Completion()
            pieces = self._provider.complete(
                completion, self._messages, self._toolbox.params(), may_call=rounds_left > 0
            )
            async with aclosing(pieces):
                async for piece in pieces:
                    if shown := self.answer.add(piece):
                        yield stream.text(shown)
            calls = [completion.calls[index] for index in sorted(completion.calls)]
            if not calls or not rounds_left:
                break
            self.answer.pause()
            self._messages.append(_said(completion.content, calls))
            for call in calls:  # in the model's order, one after the other: the trace of a turn is the same each time
                async with aclosing(self._call(call)) as lines:
                    async for line in lines:
                        yield line
        if not self.answer.text:
            raise ProviderError("The model's answer holds nothing to show. Please ask in other words.")
        if completion.finish_reason in ("length", "content_filter"):
            self.finish_reason = completion.finish_reason

    async def _call(self, call: Call) -> AsyncGenerator[str, None]:
        self._calls += 1
        call_id, name, arguments = f"call_{self._calls}", self._toolbox.name(call.name), call.parsed()
        yield stream.tool_call(call_id, name, arguments or {})
        outcome = await self._toolbox.run(call.name, arguments)
        yield stream.tool_result(call_id, name, ok=outcome.ok, content=outcome.shown)
        given = json.dumps(outcome.given, ensure_ascii=False, separators=(",", ":"))
        self._messages.append({"role": "tool", "tool_call_id": call.id, "content": given})


def _said(content: str, calls: list[Call]) -> ChatCompletionMessageParam:
    """The model's message, given back to it as it was: its hidden thoughts belong to the turn."""
    return {
        "role": "assistant",
        "content": content or None,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
            for call in calls
        ],
    }
