"""The library's search and reading."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperdesk import database
from paperdesk.library import Library
from paperdesk.paper import Paper, bundled


def test_finds_the_paper(library: Library) -> None:
    """The paper that holds most of the query's words comes first, with the words it holds and a snippet."""
    best = library.search("how do snails settle on kelp ropes")[0]
    assert best.id == "p-kelp-06"
    assert {"snails", "kelp", "ropes"} <= set(best.matched)
    assert "kelp" in best.snippet.lower()


def test_every_paper_is_found_by_its_title(library: Library) -> None:
    """A search for a title returns its paper first."""
    assert [library.search(paper.title)[0].id for paper in bundled()] == [paper.id for paper in bundled()]


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", '"', "'", "*", "kelp*", "kelp AND", "NEAR(kelp ropes, 2)", "title:kelp", "-kelp", "(kelp", "kelp OR",
        "^kelp", "{kelp}", 'kelp" OR "x', "'; DROP TABLE papers; --", "\x00", "kelp\x00rope", "🙂", "_", "a" * 5000,
        "kelp " * 500, "%", "\\",
    ],
)  # fmt: skip
def test_hostile_queries(library: Library, query: str) -> None:
    """Quotes, operators and other syntax mean nothing; what words there are, are looked for."""
    hits = library.search(query)
    assert ("p-kelp-06" in [hit.id for hit in hits]) == ("kelp" in query)
    assert len(library.overview()) == 12


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=60))
def test_any_query(library: Library, query: str) -> None:
    """No text makes the search fail."""
    assert len(library.search(query)) <= 5


def test_nothing_found(library: Library) -> None:
    """Words that no paper holds find nothing."""
    assert library.search("zymurgy quokka") == ()


def test_private_notes_cannot_be_found(library: Library) -> None:
    """A word that stands in a private note only finds nothing, and no snippet shows one."""
    assert library.search("BW-77 grant draft forward") == ()
    assert library.search("HB shelf") == ()


def test_read(library: Library) -> None:
    """A paper is returned whole; an id that is not there returns nothing."""
    paper = library.read("p-peat-11")
    assert paper is not None
    assert paper in tuple(bundled())
    assert library.read("p-none-99") is None
    assert library.read("' OR 1=1 --") is None


def test_add_replaces() -> None:
    """Adding a paper under a known id replaces it, in the index too."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(database.schema())
    library = Library(connection)
    library.add([Paper("p-1", "Old", "L", 2000, "t", "ancient words")])
    library.add([Paper("p-1", "New", "L", 2001, "t", "fresh words")])
    assert library.search("ancient") == ()
    assert [hit.title for hit in library.search("fresh words")] == ["New"]
    assert [entry.year for entry in library.overview()] == [2001]
