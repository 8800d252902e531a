"""Workspaces: a fresh folder with the task's database and fixtures, gone at the end."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tapegate.errors import LoadError
from tapegate.run.workspace import scratch, workspace


def rows(database) -> list[tuple]:
    """What the table holds."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT * FROM t ORDER BY 1").fetchall()


@pytest.fixture
def shelves(kit):
    """A kit with snapshots and fixtures of every kind."""
    for name in ("snapshots", "fixtures"):
        (kit.root / "evals" / name).mkdir()
    (kit.root / "evals/snapshots/dump.sql").write_text("CREATE TABLE t (x);\r\nINSERT INTO t VALUES ('één');\n")
    with closing(sqlite3.connect(kit.root / "evals/snapshots/file.sqlite3")) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    (kit.root / "evals/fixtures/more.sql").write_text("INSERT INTO t VALUES ('more');")
    (kit.root / "evals/fixtures/paper.txt").write_bytes(b"text\r\n\xff")
    return kit


def place(kit, **setup):
    """The workspace of the task with that setup."""
    kit.task("T-1", setup=setup)
    suite = kit.suite()
    return workspace(suite, suite.task("T-1@A1"))


def test_a_snapshot_is_built_and_fixtures_are_applied_to_it(shelves):
    """SQL is run in order on a database of the trial's own; files are copied byte by byte."""
    with place(shelves, db_snapshot="dump", fixtures=["more", "paper"]) as here:
        assert rows(here.database) == [("more",), ("één",)]
        assert (here.folder / "fixtures" / "paper.txt").read_bytes() == b"text\r\n\xff"
        assert sorted(path.name for path in here.folder.iterdir()) == ["db.sqlite3", "fixtures"]
        assert here.folder == here.folder.resolve()


def test_a_database_file_is_copied(shelves):
    """And changed in the copy only."""
    with place(shelves, db_snapshot="file", fixtures=["more"]) as here:
        assert rows(here.database) == [("more",)]
    assert rows(shelves.root / "evals/snapshots/file.sqlite3") == []


def test_a_task_without_setup_has_an_empty_folder(shelves):
    """`{db}` names a file that is not there: an agent may make its own."""
    with place(shelves) as here:
        assert list(here.folder.iterdir()) == []
        assert here.database == here.folder / "db.sqlite3"


def test_two_trials_share_nothing(shelves):
    """What one writes, the other does not see."""
    with place(shelves, db_snapshot="dump") as one, place(shelves, db_snapshot="dump") as other:
        assert one.folder != other.folder
        with closing(sqlite3.connect(one.database)) as connection, connection:
            connection.execute("DELETE FROM t")
        assert rows(other.database) == [("één",)]


def test_it_is_gone_at_the_end_whatever_the_subject_left(shelves):
    """Files, folders that nobody may enter, and the harness's own error in between."""

    def leave(folder):
        (folder / "deep" / "er").mkdir(parents=True)
        (folder / "link").symlink_to(shelves.root)
        (folder / "deep").chmod(0)
        raise ZeroDivisionError(folder)

    with pytest.raises(ZeroDivisionError) as caught, place(shelves, fixtures=["paper"]) as here:
        leave(here.folder)
    assert not caught.value.args[0].exists()
    assert (shelves.root / "evals").is_dir()
    with scratch() as empty:
        assert list(empty.folder.iterdir()) == []
    assert not empty.folder.exists()


@pytest.mark.parametrize(
    ("file", "data", "setup", "says"),
    [
        ("snapshots/dump.sql", b"CREATE TABLE t (", {"db_snapshot": "dump"}, "'dump.sql', which T-1@A1.*incomplete"),
        ("snapshots/dump.sql", b"\xff", {"db_snapshot": "dump"}, "'dump.sql'.*invalid start byte"),
        ("snapshots/file.sqlite3", b"no database" * 99, {"db_snapshot": "file"}, "'file.sqlite3'.*not a database"),
        (
            "fixtures/more.sql",
            b"INSERT INTO u VALUES (1)",
            {"db_snapshot": "dump", "fixtures": ["more"]},
            "no such table: u",
        ),
    ],
)
def test_a_database_that_does_not_build_is_bad_input(shelves, file, data, setup, says):
    """Exit 2 names the file, the task and what SQLite says, at the task's `setup`."""
    (shelves.root / "evals" / file).write_bytes(data)
    with pytest.raises(LoadError, match=says) as caught, place(shelves, **setup):
        pass
    (problem,) = caught.value.problems
    assert (problem.code, problem.file) == ("bad_snapshot", "evals/s/T-1@A1.yaml")
    assert problem.line is not None
    assert problem.line > 1


def test_a_fixture_that_cannot_be_copied_is_bad_input(shelves, monkeypatch):
    """A file that went away or may not be read is told with its name."""
    opening = place(shelves, fixtures=["paper"])
    (shelves.root / "evals/fixtures/paper.txt").unlink()
    with (
        pytest.raises(LoadError, match=r"'paper.txt', which T-1@A1 is set up with, cannot be copied: No such"),
        opening,
    ):
        pass
