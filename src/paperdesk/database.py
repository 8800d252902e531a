"""The SQLite file behind Paperdesk: opening it, building it, and writing it out as SQL."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from paperdesk.library import Library
from paperdesk.paper import bundled

SAMPLE_PREFERENCES = {
    "answer_length": "Give at most three findings.",
    "answer_style": "Plain sentences, with numbers and units as the paper states them.",
}
_FIRST = {"papers": "id", "papers_fts": "id", "preferences": "key", "sessions": "rowid", "messages": "id"}
_GAINED = {"preference_summaries": "id", "summaries": "paper_id"}
"""Tables, and what their rows are written out by; `embeddings`, which can be asked for again, are not."""


class DatabaseError(Exception):
    """A library file that cannot be used."""


def schema() -> str:
    """The statements that make an empty library."""
    return f"{_statements('schema.sql')}\n{_statements('schema_2.sql')}"


def _statements(name: str) -> str:
    return files("paperdesk").joinpath(name).read_text(encoding="utf-8")


def connect(path: Path) -> sqlite3.Connection:
    """Open the library at `path`; build it from the bundled papers when there is none.

    A library of an earlier version gains the tables that it lacks. Raises `DatabaseError` when the file is no library
    of Paperdesk or cannot be opened.
    """
    try:
        if not path.exists():
            build(path)
        connection = sqlite3.connect(path, timeout=10)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            if names.issuperset(_FIRST) and not names.issuperset({*_GAINED, "embeddings"}):
                connection.executescript(_statements("schema_2.sql"))
        except sqlite3.Error:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error  # an OSError's own text holds the whole path
        raise DatabaseError(f"the library {path.name!r} cannot be opened: {reason}") from error
    if missing := sorted(set(_FIRST) - names):
        connection.close()
        raise DatabaseError(f"{path.name!r} is no Paperdesk library: it lacks {', '.join(missing)}")
    return connection


def build(path: Path) -> None:
    """Make a library of the bundled papers at `path`, whole or not at all; an existing file stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".paperdesk-", dir=path.parent) as folder:
        draft = Path(folder) / "library"
        connection = sqlite3.connect(draft)
        try:
            connection.executescript(schema())
            Library(connection).add(bundled())
            with connection:
                connection.executemany("INSERT INTO preferences VALUES (?, ?)", sorted(SAMPLE_PREFERENCES.items()))
        finally:
            connection.close()
        try:
            os.link(draft, path)  # fails where a second process was faster, and keeps what that one built
        except FileExistsError:
            return


def preferences(connection: sqlite3.Connection) -> dict[str, str]:
    """What the user prefers, by key."""
    return dict(connection.execute("SELECT key, value FROM preferences ORDER BY key").fetchall())


def export(connection: sqlite3.Connection) -> Iterator[str]:
    """The database as SQL text that `sqlite3.Connection.executescript` builds again; the same for the same content."""
    yield "-- A Paperdesk library, written by `paperdesk export-sql`."
    yield schema().rstrip()
    for table, order in (_FIRST | _GAINED).items():
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
        for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):  # noqa: S608 - our own names
            yield f"INSERT INTO {table} ({columns}) VALUES ({', '.join(map(_literal, row))});"  # noqa: S608 - quoted


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"
