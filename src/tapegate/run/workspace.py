"""The folder a trial runs in: a copy of its database snapshot and fixtures, and nothing of any other trial."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tapegate.errors import LoadError
from tapegate.load.suite import Suite
from tapegate.model.task import Task

DATABASE = "db.sqlite3"
FIXTURES = "fixtures"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where one trial runs."""

    folder: Path
    """Its working directory, private to it."""
    database: Path
    """`{db}`: the task's snapshot with its SQL fixtures applied; absent where the task names no snapshot."""


@contextmanager
def workspace(suite: Suite, task: Task) -> Iterator[Workspace]:
    """A fresh workspace for one trial of `task`, removed at the end.

    Raises LoadError `bad_snapshot` when the snapshot or an SQL fixture does not build, `bad_fixture` when a file cannot
    be copied.
    """
    with scratch() as place:
        snapshot = suite.snapshot_of(task)
        if snapshot is not None:
            _build(snapshot, place.database, task)
        for fixture in suite.fixtures_of(task):
            if fixture.suffix == ".sql":
                _build(fixture, place.database, task)
            else:
                _copy(fixture, place.folder / FIXTURES / fixture.name, task)
        yield place


@contextmanager
def scratch() -> Iterator[Workspace]:
    """An empty workspace, removed at the end."""
    with TemporaryDirectory(prefix="tapegate-", ignore_cleanup_errors=True) as name:
        # Symlinks are resolved so that a subject sees one spelling of its own folder on every system.
        folder = Path(name).resolve()
        yield Workspace(folder, folder / DATABASE)


def _build(source: Path, database: Path, task: Task) -> None:
    try:
        if source.suffix == ".sql":
            if database.exists():
                _execute(source.read_text("utf-8"), database)
            else:
                database.write_bytes(_built(source.read_text("utf-8")))
            return
        shutil.copyfile(source, database)
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema")
    except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        fix = f"run `sqlite3 :memory: < {source.name}` and mend what it says"
        raise LoadError.of(
            "bad_snapshot",
            f"{source.name!r}, which {task.key} is set up with, does not build: {said}",
            file=task.source.file,
            line=task.source.line("setup"),
            fix=fix if source.suffix == ".sql" else "put a SQLite database there, or name its `.sql` dump",
        ) from error


@lru_cache(maxsize=16)
def _built(script: str) -> bytes:
    """The database that a script makes: running one takes longer than most trials, and many begin with the same."""
    with TemporaryDirectory(prefix="tapegate-") as name:
        database = Path(name, DATABASE)
        _execute(script, database)
        return database.read_bytes()


def _execute(script: str, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")  # nobody needs it after a power cut, and waiting takes 70 ms
        connection.executescript(script)


def _copy(source: Path, target: Path, task: Task) -> None:
    try:
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise LoadError.of(
            "bad_fixture",
            f"{source.name!r}, which {task.key} is set up with, cannot be copied: {error.strerror}",
            file=task.source.file,
            line=task.source.line("setup"),
            fix="make it a file that can be read",
        ) from error
