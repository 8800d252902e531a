"""A trial's database, read as it stands: every row of every table, and nothing of SQLite's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tapegate.model.database import Cell, Snapshot, Table

ROWS = 200_000
"""Rows that a snapshot may have, all tables together: beyond that it is no fixture of a test."""
STEPS = 50_000_000
"""Instructions of SQLite's machine: a schema that the subject left must not keep the harness busy without end."""


class _TooLarge(Exception):
    """More rows than a snapshot may have."""


def snapshot(database: Path) -> Snapshot:
    """What the file holds; a database that cannot be read says why, in words that are the same on every machine."""
    if not database.is_file():
        return Snapshot({}, "there is no database")
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            # What the subject left may hold triggers, views and generated columns of its own: none of them is run.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.set_progress_handler(lambda: 1, STEPS)
            connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            connection.execute("BEGIN")
            return Snapshot(dict(_tables(connection)))
    except _TooLarge:
        return Snapshot({}, f"it has more than {ROWS:,} rows")
    except sqlite3.OperationalError as error:
        return Snapshot({}, "reading it takes too long" if "interrupt" in str(error) else _said(error))
    except sqlite3.DatabaseError as error:
        return Snapshot({}, _said(error))


def _tables(connection: sqlite3.Connection) -> Iterator[tuple[str, Table]]:
    left = ROWS
    found = connection.execute("PRAGMA table_list").fetchall()
    names = sorted(name for schema, name, kind, *_ in found if schema == "main" and kind in ("table", "virtual"))
    for name in names:
        if name.startswith("sqlite_"):
            continue
        table = _table(connection, name, left)
        left -= len(table.rows)
        yield name, table


def _table(connection: sqlite3.Connection, name: str, left: int) -> Table:
    quoted = '"' + name.replace('"', '""') + '"'
    info = connection.execute(f"PRAGMA table_xinfo({quoted})").fetchall()
    # Hidden columns of virtual tables (1) are none; generated ones (2, 3) would run what the subject left.
    columns = [column for _, column, _, _, _, _, hidden in info if hidden == 0]
    listed = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    keys = [column for *_, column in sorted((place, column) for _, column, _, _, _, place, _ in info if place)]
    try:
        rows = connection.execute(f"SELECT rowid, {listed} FROM {quoted} LIMIT {left + 1}").fetchall()  # noqa: S608
    except sqlite3.OperationalError:  # WITHOUT ROWID: then it has a primary key
        rows = connection.execute(f"SELECT NULL, {listed} FROM {quoted} LIMIT {left + 1}").fetchall()  # noqa: S608
    if len(rows) > left:
        raise _TooLarge
    places = [columns.index(key) for key in keys]
    identified = {(tuple(row[1:][place] for place in places) if places else (row[0],)): row[1:] for row in rows}
    if len(identified) != len(rows):  # NULLs in a key are not unique in SQLite
        identified = {(row[0],): row[1:] for row in rows}
    return Table(tuple(columns), dict(sorted(identified.items(), key=_order)))


def _order(row: tuple[tuple[Cell, ...], tuple[Cell, ...]]) -> list[tuple[str, Any]]:
    """Keys by value; where their types differ, by type."""
    return [(type(cell).__name__, cell) for cell in row[0]]


def _said(error: sqlite3.DatabaseError) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
