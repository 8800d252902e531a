"""The papers on the desk: listing, full-text search, reading."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from paperdesk.paper import Paper
from paperdesk.sessions import now

MAX_TERMS = 16
SNIPPET_WORDS = 24

_SEARCH = """
SELECT papers.id, papers.title, papers.year,
       snippet(papers_fts, 3, '', '', ' … ', ?) AS snippet
FROM papers_fts JOIN papers ON papers.id = papers_fts.id
WHERE papers_fts MATCH ?
ORDER BY bm25(papers_fts, 0.0, 4.0, 2.0, 1.0), papers.id
LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that holds words of a query."""

    id: str
    title: str
    year: int
    snippet: str
    """A few words around the best match; never from a private note."""
    matched: tuple[str, ...]
    """The words of the query that the paper holds, in the order of the query."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the library's overview."""

    id: str
    title: str
    authors: str
    year: int
    topic: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What ingestion made of a paper."""

    summary: str
    key_findings: tuple[str, ...]
    origin: Literal["model", "fallback"]
    """`fallback`: the model's answer could not be used."""


class Library:
    """The papers of one database."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], str] = now) -> None:
        self._db = connection
        self._clock = clock

    def add(self, papers: Iterable[Paper], summary: Summary | None = None) -> None:
        """Put papers into the library and its index, replacing those with the same id; all of it or nothing.

        `summary` is the one of each of them.
        """
        with self._db:
            for paper in papers:
                self._db.execute("DELETE FROM papers_fts WHERE id = ?", (paper.id,))
                self._db.execute(
                    "INSERT OR REPLACE INTO papers (id, title, authors, year, topic, body, source_path)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (paper.id, paper.title, paper.authors, paper.year, paper.topic, paper.body, paper.source_path),
                )
                self._db.execute(
                    "INSERT INTO papers_fts (id, title, topic, body) VALUES (?, ?, ?, ?)",
                    (paper.id, paper.title, paper.topic, paper.prose),
                )
                if summary is not None:
                    self._db.execute(
                        "INSERT INTO summaries (paper_id, summary, key_findings, origin, created_at)"
                        " VALUES (?, ?, ?, ?, ?)",
                        (paper.id, summary.summary, _json(summary.key_findings), summary.origin, self._clock()),
                    )

    def summary(self, paper_id: str) -> Summary | None:
        """What ingestion made of this paper; None for a paper that was not ingested."""
        row = self._db.execute(
            "SELECT summary, key_findings, origin FROM summaries WHERE paper_id = ?", (paper_id,)
        ).fetchone()
        return Summary(row[0], tuple(json.loads(row[1])), row[2]) if row else None

    def overview(self) -> tuple[Entry, ...]:
        """Every paper in one line, by id."""
        rows = self._db.execute("SELECT id, title, authors, year, topic FROM papers ORDER BY id")
        return tuple(Entry(*row) for row in rows)

    def read(self, paper_id: str) -> Paper | None:
        """The paper with this id; None when there is none."""
        row = self._db.execute(
            "SELECT id, title, authors, year, topic, body, source_path FROM papers WHERE id = ?", (paper_id,)
        ).fetchone()
        return Paper(*row) if row else None

    def search(self, query: str, limit: int = 5) -> tuple[Hit, ...]:
        """Papers that hold any word of `query`, best first; operators and quotes in it mean nothing."""
        terms = _terms(query)
        if not terms:
            return ()
        holders = {term: self._holders(term) for term in terms}
        rows = self._db.execute(_SEARCH, (SNIPPET_WORDS, " OR ".join(f'"{term}"' for term in terms), limit))
        return tuple(
            Hit(
                id=paper_id,
                title=title,
                year=year,
                snippet=" ".join(snippet.split()),
                matched=tuple(term for term in terms if paper_id in holders[term]),
            )
            for paper_id, title, year, snippet in rows
        )

    def _holders(self, term: str) -> frozenset[str]:
        rows = self._db.execute("SELECT id FROM papers_fts WHERE papers_fts MATCH ?", (f'"{term}"',))
        return frozenset(row[0] for row in rows)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _terms(query: str) -> tuple[str, ...]:
    """The words of a query, without what FTS5 would read as syntax."""
    return tuple(dict.fromkeys(re.findall(r"\w+", query.lower().replace("_", " "))))[:MAX_TERMS]
