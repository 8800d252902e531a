"""The retriever: passages of the library that share words with a query, as far as the critic lets them through."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from dataclasses import dataclass

from paperdesk import database, errand, stream
from paperdesk.library import Library
from paperdesk.provider import Provider
from paperdesk.rag.chunks import Chunk, chunks
from paperdesk.rag.critic import Critic, Judged, Pair
from paperdesk.rag.terms import coverage
from paperdesk.settings import Settings

CANDIDATES = 6
"""So many passages are judged, each in a request of its own."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages that were judged, the best first."""

    kept: tuple[tuple[Chunk, Judged], ...]
    """At the threshold or above."""
    dropped: tuple[tuple[Chunk, Judged], ...]


class Retriever:
    """Finds passages in one library."""

    def __init__(self, library: Library, critic: Critic, threshold: int) -> None:
        self._library = library
        self._critic = critic
        self._threshold = threshold

    async def retrieve(self, query: str) -> Retrieved:
        """The passages for `query`: nothing below the threshold is kept, also where nothing else is there."""
        found = {chunk.id: chunk for chunk in self.candidates(query)}
        judged = await self._critic.ranked([Pair(chunk.id, query, chunk.text) for chunk in found.values()])
        ranked = [(found[one.pair.id], one) for one in judged]
        return Retrieved(
            tuple(both for both in ranked if both[1].score >= self._threshold),
            tuple(both for both in ranked if both[1].score < self._threshold),
        )

    def candidates(self, query: str) -> list[Chunk]:
        """What is worth judging: of the papers that a search finds, the passages with most of the query's words."""
        papers = [self._library.read(hit.id) for hit in self._library.search(query)]
        found = [chunk for paper in papers if paper is not None for chunk in chunks(paper)]
        shares = {chunk.id: coverage(query, chunk.text) for chunk in found}
        return sorted((chunk for chunk in found if shares[chunk.id]), key=lambda chunk: -shares[chunk.id])[:CANDIDATES]


def find(message: str) -> Iterator[str]:
    """Retrieve for the query `message` as the environment says, line by line.

    The answer's text is JSON: `query`, `threshold`, `passages` (id, title, url, text, score, reason, origin) and the
    `dropped` ones (id, score, reason, origin).
    """
    return errand.lines(lambda settings, provider: _found(settings, provider, message))


async def _found(settings: Settings, provider: Provider, query: str) -> AsyncGenerator[str, None]:
    with closing(database.connect(settings.database)) as connection:
        retriever = Retriever(Library(connection), Critic(provider), settings.critic_threshold)
        yield stream.tool_call("call_1", "retrieve", {"query": query})
        retrieved = await retriever.retrieve(query)
        ids = [chunk.id for chunk, _ in retrieved.kept]
        yield stream.tool_result(
            "call_1", "retrieve", ok=True, content={"kept": ids, "dropped": len(retrieved.dropped)}
        )
        passages = [
            {**judged.shown(), "title": chunk.title, "url": f"/paper/{chunk.paper_id}", "text": chunk.text}
            for chunk, judged in retrieved.kept
        ]
        shown = {
            "query": query,
            "threshold": settings.critic_threshold,
            "passages": passages,
            "dropped": [judged.shown() for _, judged in retrieved.dropped],
        }
        yield stream.text(json.dumps(shown, ensure_ascii=False, indent=1))
        yield stream.finish("stop")
