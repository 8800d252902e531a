"""The data stream of Vercel's AI SDK 3.4 to 4: one frame a line, `<code>:<JSON>`.

    0 text            2 data             3 error              8 message annotations
    9 tool call       a tool result      b tool call begins   c piece of its arguments
    d finish          e finish of a step f start of a step    g reasoning
    h source          i redacted reasoning                    j reasoning signature     k file

Source: vercel/ai 4.3, `packages/ui-utils/src/data-stream-parts.ts`. Its own client fails on any other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tapegate.model.trace import Data, Failure, Finish, Json, Text, Violation
from tapegate.stream.calls import Calls
from tapegate.stream.envelope import TOOL_TYPES
from tapegate.stream.foreign import stray_line
from tapegate.stream.frame import BadFrame, need, read_json, word
from tapegate.stream.order import Step

_KINDS: Mapping[str, type] = {
    **dict.fromkeys("03g", str),
    **dict.fromkeys("28", list),
    **dict.fromkeys("9abcdefhijk", dict),
}
_DATA = {
    "2": "data",
    "8": "message_annotations",
    "e": "finish_step",
    "f": "start_step",
    "g": "reasoning",
    "h": "source",
    "i": "redacted_reasoning",
    "j": "reasoning_signature",
    "k": "file",
}


class AiSdkData:
    """Says what a line means."""

    name = "ai_sdk_data"

    def __init__(self) -> None:
        self._calls = Calls()

    def read(self, line: str) -> Iterator[Step]:
        """The events of one line. Raises `BadFrame`."""
        code, _, rest = line.partition(":")
        kind = _KINDS.get(code)
        if kind is None:
            raise stray_line(line, self.name, f"one of the codes {' '.join(sorted(_KINDS))} and a colon")
        value = read_json(rest)
        sound = isinstance(value, kind)
        if not sound:
            raise BadFrame(f"frame '{code}:' holds {word(value)}, expected {word(kind())}")
        if code == "0":
            yield Text(value)
        elif code == "3":
            yield Failure(value)
        elif code in _DATA:
            yield Data({"type": _DATA[code], "value": value})
        else:
            yield from self._object(code, value)

    def _object(self, code: str, value: dict[str, Json]) -> Iterator[Step]:
        if code == "d":
            if value.get("type") in TOOL_TYPES:
                raise BadFrame(f"a frame of 'mixed' in a stream of {self.name!r}", "mixed_format")
            yield from self._calls.unmade()
            yield Finish(need(value, str, "finishReason"))
            return
        call_id = need(value, str, "toolCallId")
        if code == "9":
            yield from self._calls.call(call_id, need(value, str, "toolName"), need(value, dict, "args"))
        elif code == "a":
            if "result" not in value:
                raise BadFrame("field 'result' is missing")
            yield from self._calls.result(call_id, None, ok=True, content=value["result"])
        elif code == "b":
            self._calls.begin(call_id, need(value, str, "toolName"))
        elif not self._calls.begun(call_id):
            yield Violation("protocol_violation", f"arguments for the call {call_id!r}, which was not begun")
