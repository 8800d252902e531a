"""Embeddings of OpenAI, Mistral and Gemini: no text, but a model and the tokens it read, where the provider says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapegate.model.trace import Json, Usage
from tapegate.stream.facts import Facts, count
from tapegate.stream.frame import BadFrame, take
from tapegate.stream.openai_chat import usage_of
from tapegate.stream.order import Step


class Embeddings:
    """Reads one answer."""

    def __init__(self) -> None:
        self.facts = Facts()

    def read(self, event: str, frame: dict[str, Json]) -> Iterator[Step]:
        """Embeddings are never streamed. Raises `BadFrame`."""
        raise BadFrame("embeddings are not streamed")

    def whole(self, body: dict[str, Json]) -> Iterator[Step]:
        """No event. Raises `BadFrame`."""
        self.facts.model = take(body, str, "model")
        usage = take(body, dict, "usage")
        self.facts.usage = _usage(usage) if usage is not None else None
        return iter(())


def _usage(usage: dict[str, Json]) -> Usage:
    """Nothing is written: where the provider says the total, what was read leaves none of it."""
    found, total = usage_of(usage), count(usage, "total_tokens")
    if found.output_tokens is None and total is not None and total == found.input_tokens:
        return replace(found, output_tokens=0)
    return found
