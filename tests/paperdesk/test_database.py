"""The library file: built, opened, written out as SQL; and the snapshots of the evals."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from paperdesk import database
from paperdesk.database import DatabaseError
from paperdesk.library import Library
from paperdesk.paper import bundled
from paperdesk.sessions import Sessions

EVALS = Path(__file__).parents[2] / "evals"
BASELINE = EVALS / "snapshots" / "baseline_v1.sql"
QUERIES = ("salinity pulses", "moss wall night", "snow fence height", "raking light ink", "cost euros", "percent")


def from_sql(*scripts: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for script in scripts:
        connection.executescript(script)
    return connection


def test_built_when_absent(tmp_path: Path) -> None:
    """Opening a library that does not exist builds it from the bundled papers, its folder too."""
    path = tmp_path / "new" / "desk.sqlite3"
    with closing(database.connect(path)) as connection:
        assert len(Library(connection).overview()) == len(list(bundled()))
        assert database.preferences(connection) == database.SAMPLE_PREFERENCES
    assert [file.name for file in path.parent.iterdir()] == ["desk.sqlite3"]


def test_an_existing_library_stays(library_path: Path) -> None:
    """Building never touches a library that is there."""
    with closing(database.connect(library_path)) as connection:
        Sessions(connection).create()
    database.build(library_path)
    with closing(database.connect(library_path)) as connection:
        assert len(Sessions(connection).all()) == 1


def test_built_by_many_at_once(tmp_path: Path) -> None:
    """Many openers of an absent library all get the same one."""
    path = tmp_path / "desk.sqlite3"
    made: list[str] = []

    def open_it() -> None:
        with closing(database.connect(path)) as connection:
            made.append(Sessions(connection).create())

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [f"s{number}" for number in range(1, 9)]


@pytest.mark.parametrize("content", [b"not a database at all, only some text", b"SQLite format 3\x00 torn", b""])
def test_no_library(tmp_path: Path, content: bytes) -> None:
    """A file that is no library is refused by name, without its folder, and stays as it is."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(DatabaseError, match=r"'notes\.txt'") as caught:
        database.connect(path)
    assert str(tmp_path) not in str(caught.value)
    assert path.read_bytes() == content


def test_an_earlier_library_gains_what_it_lacks(library_path: Path) -> None:
    """A library of the first version opens, keeps what is in it, and has the new tables."""
    with closing(sqlite3.connect(library_path)) as connection:
        for table in ("preference_summaries", "summaries", "embeddings"):
            connection.execute(f"DROP TABLE {table}")
    with closing(database.connect(library_path)) as first, closing(database.connect(library_path)) as second:
        assert len(Library(first).overview()) == 12
        assert second.execute("SELECT count(*) FROM summaries").fetchone() == (0,)


def test_export_is_deterministic_and_builds_again(library_path: Path) -> None:
    """The SQL of a library, with sessions and odd texts in it, builds one with the same SQL."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection, now=lambda: "2026-01-01T00:00:00+00:00")
        sessions.add(sessions.create(), "user", "it's a 'quote';\n-- and a line 🙂")
        script = "\n".join(database.export(connection))
        assert script == "\n".join(database.export(connection))
    with closing(from_sql(script)) as again:
        assert "\n".join(database.export(again)) == script
        assert Sessions(again).messages("s1")[0].content == "it's a 'quote';\n-- and a line 🙂"


def test_baseline_is_the_bundled_library(library_path: Path) -> None:
    """The evals' snapshot is what `paperdesk export-sql` prints of a new library."""
    with closing(database.connect(library_path)) as connection:
        assert BASELINE.read_text(encoding="utf-8") == "\n".join(database.export(connection)) + "\n"


def test_baseline_searches_alike(library: Library) -> None:
    """A library built from the snapshot answers every search as the original does."""
    with closing(from_sql(BASELINE.read_text(encoding="utf-8"))) as connection:
        assert [Library(connection).search(query) for query in QUERIES] == [library.search(query) for query in QUERIES]


def test_fixtures_apply() -> None:
    """The fixtures add one paper to the snapshot, also to its index, and exchange the preferences."""
    scripts = [BASELINE, *(EVALS / "fixtures" / f"{name}.sql" for name in ("paper_fixture_001", "preferences_brief"))]
    with closing(from_sql(*(script.read_text(encoding="utf-8") for script in scripts))) as connection:
        library = Library(connection)
        assert len(library.overview()) == 13
        added = library.read("p-clay-13")
        assert added is not None
        assert library.search("clay jar vaccine")[0].id == "p-clay-13"
        assert library.search("potter partner K-17")[0].matched == ("potter",)
        indexed = connection.execute("SELECT body FROM papers_fts WHERE id = 'p-clay-13'").fetchone()[0]
        assert indexed == added.prose
        assert set(database.preferences(connection)) == {"answer_opening", "answer_style"}
