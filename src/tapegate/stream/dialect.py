"""The dialects that a stream can be read in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from tapegate.errors import BadInput
from tapegate.model.problem import Problem
from tapegate.stream.ai_sdk_data import AiSdkData
from tapegate.stream.ai_sdk_ui import AiSdkUi
from tapegate.stream.anthropic import Anthropic
from tapegate.stream.framed import LineParser, SseParser
from tapegate.stream.gemini import Gemini
from tapegate.stream.mixed import Mixed
from tapegate.stream.ndjson import Ndjson
from tapegate.stream.openai_chat import OpenAIChat
from tapegate.stream.openai_responses import OpenAIResponses
from tapegate.stream.parser import Parser
from tapegate.stream.tally import Tally
from tapegate.stream.text import PlainText

__all__ = ["DIALECTS", "Parser", "parser"]

DIALECTS: Mapping[str, Callable[[], Parser]] = {
    "ai_sdk_data": lambda: LineParser(AiSdkData()),
    "ai_sdk_ui": lambda: SseParser(AiSdkUi()),
    "anthropic": lambda: SseParser(Anthropic()),
    "gemini": lambda: SseParser(Gemini()),
    "mixed": lambda: LineParser(Mixed()),
    "ndjson": lambda: LineParser(Ndjson()),
    "openai_chat": lambda: SseParser(OpenAIChat()),
    "openai_responses": lambda: SseParser(OpenAIResponses()),
    "text": PlainText,
}
"""Every dialect there is."""


def parser(dialect: str) -> Parser:
    """A new parser. Raises `BadInput` (`unknown_dialect`) for a name that `DIALECTS` does not hold."""
    make = DIALECTS.get(dialect)
    if make is None:
        near = get_close_matches(dialect, DIALECTS, n=1)
        fix = f"did you mean {near[0]!r}?" if near else None
        known = ", ".join(sorted(DIALECTS))
        raise BadInput(Problem("unknown_dialect", f"no stream dialect {dialect!r}; known are {known}", fix=fix))
    return Tally(make())
