"""The database of a trial, as it was before the subject was asked and as it was left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Cell = int | float | str | bytes | None
"""A value of SQLite."""

Row = Mapping[str, Cell]
"""A row by column."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table at one moment."""

    columns: tuple[str, ...]
    rows: Mapping[tuple[Cell, ...], tuple[Cell, ...]]
    """By primary key, or by row id where there is none; in that order."""

    def each(self) -> Iterator[Row]:
        """Every row by column."""
        return (self.row(key) for key in self.rows)

    def row(self, key: tuple[Cell, ...]) -> Row:
        """One row by column."""
        return dict(zip(self.columns, self.rows[key], strict=True))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A database at one moment."""

    tables: Mapping[str, Table]
    """Every table, virtual ones included; without what SQLite keeps for itself."""
    fault: str = ""
    """Why it could not be read; then there are no tables."""


@dataclass(frozen=True, slots=True)
class Database:
    """What a trial did to its database."""

    before: Snapshot
    after: Snapshot

    def added(self, table: str) -> list[Row]:
        """The rows that are new."""
        old, new = self._sides(table)
        return [new.row(key) for key in new.rows if key not in old.rows]

    def removed(self, table: str) -> list[Row]:
        """The rows that are gone, as they were."""
        old, new = self._sides(table)
        return [old.row(key) for key in old.rows if key not in new.rows]

    def changed(self, table: str) -> list[Row]:
        """The rows that hold something else than before, as they are now."""
        old, new = self._sides(table)
        return [
            new.row(key)
            for key in new.rows
            if key in old.rows and (old.columns, old.rows[key]) != (new.columns, new.rows[key])
        ]

    def touched(self) -> list[str]:
        """The tables that are not as they were, row for row and column for column."""
        names = sorted({*self.before.tables, *self.after.tables})
        return [name for name in names if self.before.tables.get(name) != self.after.tables.get(name)]

    def _sides(self, table: str) -> tuple[Table, Table]:
        nothing = Table((), {})
        return self.before.tables.get(table, nothing), self.after.tables.get(table, nothing)
