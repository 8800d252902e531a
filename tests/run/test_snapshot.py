"""A trial's database, read as it stands."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tapegate.model.database import Database
from tapegate.run import snapshot as room
from tapegate.run.snapshot import snapshot


@pytest.fixture
def built(tmp_path: Path):
    """Builds a database from SQL."""

    def build(sql: str, name: str = "db.sqlite3") -> Path:
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(sql)
        return path

    return build


def test_rows_are_known_by_their_key(built):
    """The primary key, whichever columns it has; the row id where there is none."""
    found = snapshot(
        built(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO a VALUES (10, 'x'), (9, NULL);"
            "CREATE TABLE b (x TEXT, y TEXT, z BLOB, PRIMARY KEY (y, x)); INSERT INTO b VALUES ('1', '2', x'00');"
            "CREATE TABLE c (n REAL); INSERT INTO c VALUES (1.5), (1.5);"
            "CREATE TABLE d (k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO d VALUES ('q');"
        )
    )
    assert found.fault == ""
    assert found.tables["a"].rows == {(9,): (9, None), (10,): (10, "x")}
    assert list(found.tables["a"].rows) == [(9,), (10,)]
    assert found.tables["b"].rows == {("2", "1"): ("1", "2", b"\x00")}
    assert found.tables["c"].rows == {(1,): (1.5,), (2,): (1.5,)}
    assert found.tables["d"].rows == {("q",): ("q",)}


def test_what_sqlite_keeps_for_itself_is_left_out(built):
    """Sequences, indexes, views, shadow tables; a virtual table counts by its own columns."""
    found = snapshot(
        built(
            "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT); INSERT INTO a (t) VALUES ('x');"
            "CREATE INDEX i ON a (t); CREATE VIEW v AS SELECT * FROM a;"
            "CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('moss');"
        )
    )
    assert sorted(found.tables) == ["a", "f"]
    assert found.tables["f"].columns == ("body",)
    assert list(found.tables["f"].rows.values()) == [("moss",)]


def test_what_a_trial_did_is_the_difference(built):
    """Rows added, changed and removed, in tables that were there, that are new and that are gone."""
    before = snapshot(
        built(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT); INSERT INTO a VALUES (1,'x'),(2,'y');"
            "CREATE TABLE old (id INTEGER PRIMARY KEY); INSERT INTO old VALUES (1);",
            "1",
        )
    )
    after = snapshot(
        built(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT); INSERT INTO a VALUES (2,'z'),(3,'w');"
            "CREATE TABLE new (id INTEGER PRIMARY KEY); INSERT INTO new VALUES (7);",
            "2",
        )
    )
    trial = Database(before, after)
    assert (trial.added("a"), trial.removed("a")) == ([{"id": 3, "t": "w"}], [{"id": 1, "t": "x"}])
    assert trial.changed("a") == [{"id": 2, "t": "z"}]
    assert (trial.added("new"), trial.removed("old"), trial.added("none")) == ([{"id": 7}], [{"id": 1}], [])
    assert trial.touched() == ["a", "new", "old"]


def test_a_database_that_cannot_be_read_says_why(tmp_path, built, monkeypatch):
    """None, none any more, one with too many rows: a fact, no crash of the harness."""
    assert snapshot(tmp_path / "none").fault == "there is no database"
    (tmp_path / "torn").write_bytes(b"SQLite format 3\0" + b"\xff" * 2000)
    assert snapshot(tmp_path / "torn").fault
    (tmp_path / "text").write_text("hello " * 500)
    assert snapshot(tmp_path / "text").fault == "file is not a database"
    monkeypatch.setattr(room, "ROWS", 1)
    assert snapshot(built("CREATE TABLE a (x); INSERT INTO a VALUES (1), (2);")).fault == "it has more than 1 rows"


def test_nothing_that_the_subject_left_is_run(built, monkeypatch):
    """A generated column and a view without end are not looked at; a table that takes too long is given up."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    found = snapshot(
        built(f"CREATE TABLE a (x, y AS (length(x)) STORED); INSERT INTO a VALUES ('ab'); CREATE VIEW v AS {endless};")
    )
    assert found.tables["a"].columns == ("x",)
    monkeypatch.setattr(room, "STEPS", 50)
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 500) SELECT x FROM n"
    assert snapshot(built(f"CREATE TABLE b (x); INSERT INTO b {numbers};", "many")).fault == "reading it takes too long"


def test_text_that_is_no_text_is_kept_apart(built):
    """Bytes that are no UTF-8 in a text column stay what they are."""
    found = snapshot(built("CREATE TABLE a (x TEXT); INSERT INTO a VALUES (CAST(x'ff61' AS TEXT));"))
    ((value,),) = found.tables["a"].rows.values()
    assert value == "\udcffa"


def test_names_are_quoted(built):
    """Whatever a table or a column is called."""
    found = snapshot(
        built('CREATE TABLE "a ""b; DROP" ("sel""ect" TEXT PRIMARY KEY); INSERT INTO "a ""b; DROP" VALUES (1);')
    )
    assert found.tables['a "b; DROP'].columns == ('sel"ect',)
