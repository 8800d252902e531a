"""JSON objects that say by their `type` what they are: the frames of `mixed` and of `ndjson`.

    text         text                        the answer, piece by piece
    tool_call    id, name, args              also tool-call
    tool_result  id, name, ok, content       also tool-result
    finish       reason                      the answer is complete
    error        message                     the agent failed
    session and any other                    kept as data

Spellings that are read as the same field: `name`, `tool`, `tool_name`, `toolName`; `id`, `call_id`, `tool_call_id`,
`toolCallId`; `args`, `arguments`, `input` (an object, or its JSON text); `content`, `result`, `output`; `reason`,
`finish_reason`, `finishReason`; `text`, `delta`, `content` of a text. A result without `ok` is ok unless it says
`is_error`, `isError` or a non-null `error`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Violation
from tapegate.stream.calls import Calls, arguments_of
from tapegate.stream.frame import BadFrame, need, take, word
from tapegate.stream.order import Step

TOOL_TYPES = ("tool_call", "tool_result")

_NAME = ("name", "tool", "tool_name", "toolName")
_ID = ("id", "call_id", "tool_call_id", "toolCallId")
_ARGS = ("args", "arguments", "input")
_CONTENT = ("content", "result", "output")


class Envelopes:
    """Reads the envelopes of one stream."""

    def __init__(self) -> None:
        self._calls = Calls()

    def read(self, frame: dict[str, Json]) -> Iterator[Step]:
        """The events of one envelope. Raises `BadFrame`."""
        kind = kind_of(frame)
        if kind == "text":
            yield Text(need(frame, str, "text", "delta", "content"))
        elif kind == "tool_call":
            yield from self._call(frame)
        elif kind == "tool_result":
            yield from self._result(frame)
        elif kind == "finish":
            yield Finish(take(frame, str, "reason", "finish_reason", "finishReason") or "unknown")
        elif kind == "error":
            yield Failure(failure_message(frame))
        else:
            yield Data(frame)

    def _call(self, frame: dict[str, Json]) -> Iterator[Step]:
        name = need(frame, str, *_NAME)
        call_id = take(frame, str, *_ID)
        if call_id is None:
            yield Violation("malformed_frame", f"a call of {name!r} without an id")
        found = next((frame[key] for key in _ARGS if frame.get(key) is not None), None)
        if isinstance(found, str):
            arguments, fault = arguments_of(found)
        elif isinstance(found, dict):
            arguments, fault = found, None
        else:
            arguments, fault = {}, Violation("malformed_frame", f"args of {name!r}: {word(found)}, expected an object")
        if fault:
            yield fault
        yield from self._calls.call(call_id or "", name, arguments)

    def _result(self, frame: dict[str, Json]) -> Iterator[Step]:
        call_id = need(frame, str, *_ID)
        ok = take(frame, bool, "ok")
        if ok is None:
            ok = not (take(frame, bool, "is_error", "isError") or frame.get("error") is not None)
        content = next((frame[key] for key in _CONTENT if key in frame), frame.get("error"))
        yield from self._calls.result(call_id, take(frame, str, *_NAME), ok, content)


def kind_of(frame: dict[str, Json]) -> str:
    """The envelope's type, hyphens read as underscores. Raises `BadFrame`."""
    return need(frame, str, "type").replace("-", "_")


def failure_message(frame: dict[str, Json]) -> str:
    """What an error frame says: `message`, `error` or `errorText`, a string or an object with a `message`."""
    for key in ("message", "error", "errorText", "detail"):
        said = frame.get(key)
        if isinstance(said, dict):
            said = said.get("message")
        if isinstance(said, str) and said:
            return said
    raise BadFrame(f"an error that says nothing; it has {sorted(frame)!r}"[:300])
