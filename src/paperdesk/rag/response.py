"""What every query of the graph answers, in whichever mode, and whatever went wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from paperdesk.rag import embedder


@dataclass(slots=True)
class Response:
    """The one shape."""

    mode: str
    query: str
    answer: str = ""
    citations: list[dict[str, str]] = field(default_factory=list)
    """The papers that the answer links: `id`, `title`, `url`."""
    contexts: list[dict[str, Any]] = field(default_factory=list)
    """The passages it was made from, the best first: `id`, `paper_id`, `title`, `text`, `score`."""
    topics: list[str] = field(default_factory=list)
    """Terms of the question that the library knows; in mode `global` the terms of its themes."""
    embedding: dict[str, str | None] = field(default_factory=lambda: {"model": embedder.MODEL, "fallback": None})
    """Which `model` the vectors are of, and why another one could not be used (`fallback`)."""
    error: dict[str, str] | None = None
    """`code` and `message` where there is no whole answer."""

    def shown(self) -> dict[str, Any]:
        """As JSON: the same keys in every mode, and on every error."""
        return {name: getattr(self, name) for name in self.__slots__}
