"""Which dialect a frame plainly belongs to, so that a stream of two can be told from a bad frame.

Only marks that one dialect alone uses count; `{"type": "error"}` belongs to several and so to none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tapegate.model.trace import Json
from tapegate.stream.frame import BadFrame

_ANTHROPIC = re.compile(r"message_(start|delta|stop)|content_block_(start|delta|stop)|ping")
_AI_SDK_UI = re.compile(
    r"(start|finish)-step|(text|reasoning)-(start|delta|end)|tool-input-(start|delta|available|error)"
    r"|tool-output-(available|error|denied)|tool-approval-request|source-(url|document)|message-metadata"
)
_AI_SDK_DATA_LINE = re.compile(r'[1-9a-ce-k]:["{\[]')
_MIXED_LINE = re.compile(r'(0:"|d:\{)')
_SSE_LINE = re.compile(r"(event|id|retry):|data: ?[\[{]")


def dialect_of(frame: Mapping[str, Json]) -> str | None:
    """The dialect that a JSON object is a frame of; None where it carries no mark of one."""
    kind = frame.get("type")
    if isinstance(kind, str):
        if kind.startswith("response."):
            return "openai_responses"
        if _ANTHROPIC.fullmatch(kind):
            return "anthropic"
        return "ai_sdk_ui" if _AI_SDK_UI.fullmatch(kind) else None
    if frame.get("object") == "chat.completion.chunk" or isinstance(frame.get("choices"), list):
        return "openai_chat"
    return "gemini" if isinstance(frame.get("candidates"), list) else None


def refuse_foreign(frame: Mapping[str, Json], own: str) -> None:
    """Raises `BadFrame` where a JSON object is plainly a frame of another dialect than `own`."""
    other = dialect_of(frame)
    if other not in (None, own):
        raise BadFrame(f"a frame of {other!r} in a stream of {own!r}", "mixed_format")


def stray_line(line: str, own: str, expected: str) -> BadFrame:
    """The error of a line that `own` does not know: another dialect's, or nobody's."""
    marks = {
        "ai_sdk_data": _AI_SDK_DATA_LINE.match(line),
        "mixed": _MIXED_LINE.match(line),
        "server-sent events": _SSE_LINE.match(line),
        "ndjson": line.startswith("{") and line.endswith("}"),
    }
    other = next((name for name, mark in marks.items() if mark and name != own), None)
    if other is None:
        return BadFrame(f"{line[:60]!r} is no frame of {own!r}; expected {expected}")
    return BadFrame(f"a frame of {other!r} in a stream of {own!r}", "mixed_format")
