"""What an agent's own stream sends to the user beside the text of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tapegate.model.trace import Data, Failure, Json, ToolCall, ToolResult, Trace


def sent(trace: Trace) -> Iterator[tuple[str, str]]:
    """Each text with a word on the event that carries it: arguments and results of tools, data, messages of failure.

    Every string at any depth, keys too, by itself: none of them goes on in another. Results are those that the agent
    streams, never those that only its model was given.
    """
    value: Json
    for place, event in enumerate(trace.events, 1):
        match event:
            case ToolCall(name=name, arguments=arguments):
                which, value = f"the arguments of {name!r}", arguments
            case ToolResult(name=name, content=content):
                which, value = f"the result of {name!r}", content
            case Data(payload=payload):
                which, value = "data", payload
            case Failure(message=message):
                which, value = "a failure", message
            case _:
                continue
        for text in dict.fromkeys(_texts(value)):
            yield f"event {place} ({which}): ", text


def _texts(value: Json) -> Iterator[str]:
    open_ = [value]  # a stack, not recursion: a payload may be nested at will
    while open_:
        one = open_.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            open_ += reversed([part for pair in one.items() for part in pair])
        elif isinstance(one, list | tuple):
            open_ += reversed(one)
