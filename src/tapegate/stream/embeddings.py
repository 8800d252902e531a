"""Embeddings of OpenAI, Mistral and Gemini: no text, but a model and the tokens it read, where the provider says so."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.model.trace import Json
from tapegate.stream.facts import Facts
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
        self.facts.usage = usage_of(usage) if usage is not None else None
        return iter(())
