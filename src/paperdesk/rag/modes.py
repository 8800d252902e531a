"""The passages for a question, found in one of four ways.

naive    the passages whose vectors are nearest to the question's
local    of the papers that the question's terms lead to in the graph, the nearest passages
global   of each theme of the library, the passage that stands for it; for questions about the whole
hybrid   all three, merged by rank
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from paperdesk.library import Library
from paperdesk.rag.bridge import Bridge
from paperdesk.rag.chunks import Chunk, chunks
from paperdesk.rag.embedder import likeness
from paperdesk.rag.graph import PaperGraph
from paperdesk.rag.response import Response
from paperdesk.rag.terms import terms

Mode = Literal["naive", "local", "global", "hybrid"]
MODES: tuple[Mode, ...] = get_args(Mode)

CONTEXTS = 4
"""So many passages are found."""
THEMES = 3
RANK_OFFSET = 10

Ranking = list[tuple[Chunk, float]]


class Finder:
    """Finds passages in one library."""

    def __init__(self, library: Library, bridge: Bridge) -> None:
        papers = [paper for entry in library.overview() if (paper := library.read(entry.id)) is not None]
        self._bridge = bridge
        self._graph = PaperGraph(papers)
        self._chunks = [chunk for paper in papers for chunk in chunks(paper)]

    async def contexts(self, mode: Mode, response: Response) -> list[Chunk]:
        """The passages for `response.query`, the best first, told in `response` as well."""
        vectors = await self._bridge.vectors([response.query, *(chunk.text for chunk in self._chunks)])
        near = {chunk.id: likeness(vectors.of[0], of) for chunk, of in zip(self._chunks, vectors.of[1:], strict=True)}
        ranking = self._ranking(mode, response.query, near)[:CONTEXTS]
        response.embedding = {"model": vectors.model, "fallback": vectors.fallback}
        response.topics = self._topics(mode, response.query)
        response.contexts = [
            {"id": chunk.id, "paper_id": chunk.paper_id, "title": chunk.title, "text": chunk.text, "score": score}
            for chunk, score in ranking
        ]
        return [chunk for chunk, _ in ranking]

    def _ranking(self, mode: Mode, query: str, near: dict[str, float]) -> Ranking:
        match mode:
            case "naive":
                return _ranked((chunk, near[chunk.id]) for chunk in self._chunks)
            case "local":
                return self._local(query, near)
            case "global":
                return self._global(near)
            case "hybrid":
                return _merged([self._ranking(one, query, near) for one in ("naive", "local", "global")])

    def _local(self, query: str, near: dict[str, float]) -> Ranking:
        papers = self._graph.near(query)
        most = max(papers.values(), default=1.0)
        return _ranked(
            (chunk, round(papers[chunk.paper_id] / most * near[chunk.id], 4))
            for chunk in self._chunks
            if chunk.paper_id in papers
        )

    def _global(self, near: dict[str, float]) -> Ranking:
        """The best passage of each theme, then the second-best of each, as long as there are any."""
        columns = [
            sorted(
                ((chunk, near[chunk.id]) for chunk in self._chunks if chunk.paper_id in theme.papers),
                key=lambda found: (-found[1], found[0].id),
            )
            for theme in self._graph.themes()
        ]
        columns.sort(key=lambda column: -column[0][1] if column else 0.0)
        rows = [[column[row] for column in columns if row < len(column)] for row in range(CONTEXTS)]
        return [found for row in rows for found in row]

    def _topics(self, mode: Mode, query: str) -> list[str]:
        themes = self._graph.themes()
        if mode == "global":
            return [term for theme in themes[:THEMES] for term in theme.terms[:3]]
        known = {term for theme in themes for term in theme.terms}
        return [term for term in dict.fromkeys(terms(query)) if term in known]


def _ranked(found: Iterable[tuple[Chunk, float]]) -> Ranking:
    return sorted(((chunk, score) for chunk, score in found if score > 0), key=lambda one: (-one[1], one[0].id))


def _merged(rankings: Sequence[Ranking]) -> Ranking:
    """By reciprocal rank: what stands high in several rankings comes first (Cormack et al., 2009)."""
    scores: dict[Chunk, float] = {}
    for ranking in rankings:
        for rank, (chunk, _) in enumerate(ranking[: 2 * CONTEXTS], 1):
            scores[chunk] = round(scores.get(chunk, 0.0) + 1 / (RANK_OFFSET + rank), 4)
    return _ranked(scores.items())
