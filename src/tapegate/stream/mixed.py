"""The standard's mix of frames, one a line.

    0:"text"                    a JSON string: a piece of the answer
    d:{"type": "tool_call"}     tool trace: `tool_call` and `tool_result`
    data:{"type": "session"}    an envelope: `session`, `finish`, `error`, any other

Lines end in LF, CR or CRLF. A space after the colon, blank lines, comment lines (`: ping`) and `data: [DONE]`
after the finish are allowed. Tool frames are also read under `data:`; a `d:` object with a `finishReason` and no
type is a finish, as AI SDK servers send it. The fields are those of `Envelopes`.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapegate.model.trace import Finish, Json, Text
from tapegate.stream.envelope import TOOL_TYPES, Envelopes, kind_of
from tapegate.stream.foreign import refuse_foreign, stray_line
from tapegate.stream.frame import BadFrame, need, read_json, read_object, word
from tapegate.stream.order import Done, Step


class Mixed:
    """Says what a line of the mix means."""

    name = "mixed"

    def __init__(self) -> None:
        self._envelopes = Envelopes()

    def read(self, line: str) -> Iterable[Step]:
        """The events of one line. Raises `BadFrame`."""
        prefix, colon, rest = line.partition(":")
        if not prefix and colon:
            return ()
        match prefix:
            case "0":
                text = read_json(rest)
                if not isinstance(text, str):
                    raise BadFrame(f"frame '0:' holds {word(text)}, expected a string")
                return [Text(text)]
            case "d":
                return self._tool(read_object(rest))
            case "data" if rest.strip() == "[DONE]":
                return [Done()]
            case "data":
                frame = read_object(rest)
                refuse_foreign(frame, self.name)
                return self._envelopes.read(frame)
        raise stray_line(line, self.name, "'0:', 'd:' or 'data:'")

    def _tool(self, frame: dict[str, Json]) -> Iterable[Step]:
        if "type" not in frame and "finishReason" in frame:
            return [Finish(need(frame, str, "finishReason"))]
        if kind_of(frame) not in TOOL_TYPES:
            raise BadFrame(f"frame 'd:' of type {frame['type']!r}, expected one of {', '.join(TOOL_TYPES)}")
        return self._envelopes.read(frame)
