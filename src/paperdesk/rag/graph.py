"""The library as a graph: papers, the terms that carry them, and edges between them, heavier for rarer terms.

Papers that share terms are near each other; communities of such papers are the library's themes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import networkx as nx

from paperdesk.paper import Paper
from paperdesk.rag.terms import terms

TERMS_OF_A_PAPER = 16
HOP = 0.25
"""What a paper passes on to the papers that it shares terms with."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A community of the graph."""

    papers: tuple[str, ...]
    """Ids."""
    terms: tuple[str, ...]
    """What its papers are about, what they share first."""


class PaperGraph:
    """The graph over some papers. The same papers make the same graph."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        counts = {paper.id: Counter(terms(f"{paper.title} {paper.topic} {paper.prose}")) for paper in papers}
        spread = Counter(term for found in counts.values() for term in found)
        self._graph = nx.Graph()
        for paper_id in sorted(counts):
            self._graph.add_node(("paper", paper_id))
            weights = {
                term: round((1 + math.log(count)) * math.log(1 + len(counts) / spread[term]), 4)
                for term, count in counts[paper_id].items()
                if not term[0].isdigit()
            }
            heaviest = sorted(weights, key=lambda term: (-weights[term], term))
            # A term that another paper holds too binds the library together, however light it is.
            shared = [term for term in heaviest if spread[term] > 1]
            for term in dict.fromkeys([*heaviest[:TERMS_OF_A_PAPER], *shared[:TERMS_OF_A_PAPER]]):
                self._graph.add_edge(("paper", paper_id), ("term", term), weight=weights[term])

    def near(self, query: str) -> dict[str, float]:
        """Papers that the terms of `query` lead to, directly or through one other paper, and how strongly."""
        reached: dict[str, float] = defaultdict(float)
        for node in (("term", term) for term in dict.fromkeys(terms(query))):
            if node in self._graph:
                for (_, paper_id), edge in self._graph[node].items():
                    reached[paper_id] += edge["weight"]
        near = defaultdict(float, reached)
        for paper_id, weight in reached.items():
            for neighbour, share in self._neighbours(paper_id).items():
                near[neighbour] += HOP * weight * share
        return {paper_id: round(weight, 4) for paper_id, weight in near.items()}

    def themes(self) -> list[Theme]:
        """Papers that have more in common with each other than with the rest, the largest theme first."""
        papers = [name for kind, name in self._graph if kind == "paper"]
        alike = nx.Graph()
        alike.add_nodes_from(papers)
        for paper_id in papers:
            for other, share in self._neighbours(paper_id).items():
                so_far = alike.get_edge_data(paper_id, other, {"weight": 0.0})["weight"]
                alike.add_edge(paper_id, other, weight=so_far + share)
        by_modularity = nx.community.greedy_modularity_communities  # which cannot do without any edge
        found = by_modularity(alike, weight="weight") if alike.size() else [{paper_id} for paper_id in papers]
        themes = [Theme(tuple(sorted(ids)), self._binding(ids)) for ids in found]
        return sorted(themes, key=lambda theme: (-len(theme.papers), theme.papers))

    def _binding(self, papers: Iterable[str]) -> tuple[str, ...]:
        """The terms of some papers: what more of them hold comes first, then what is heavier."""
        holders: Counter[str] = Counter()
        weights: dict[str, float] = defaultdict(float)
        for paper_id in papers:
            for (_, term), edge in self._graph[("paper", paper_id)].items():
                holders[term] += 1
                weights[term] += edge["weight"]
        return tuple(sorted(holders, key=lambda term: (-holders[term], -round(weights[term], 4), term)))

    def _neighbours(self, paper_id: str) -> dict[str, float]:
        """Papers that share terms with this one, and which part of its weight the shared terms have."""
        edges = self._graph[("paper", paper_id)]
        whole = sum(edge["weight"] for edge in edges.values())
        shares: dict[str, float] = defaultdict(float)
        for term, edge in edges.items():
            for _, other in self._graph[term]:
                if other != paper_id:
                    shares[other] += edge["weight"] / whole
        return shares
