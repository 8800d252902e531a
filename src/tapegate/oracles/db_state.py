"""The metric `db_state`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from tapegate.errors import NotJudged
from tapegate.model.database import Database, Row, Table
from tapegate.model.finding import Unmet
from tapegate.model.outcome import Outcome, RowState, TableState
from tapegate.model.part import Bounds
from tapegate.model.problem import Problem
from tapegate.model.source import Path
from tapegate.model.task import Task
from tapegate.model.trace import Json, Trace
from tapegate.oracles.bounds import contradiction, demands, said, within
from tapegate.oracles.excerpt import visible
from tapegate.oracles.expectation import ABSENT, dotted, is_blank, mismatch, shown
from tapegate.oracles.expectation_flaws import flaws
from tapegate.oracles.oracle import INVARIANTS, Evidence, Oracle, outcome_path, problem_at
from tapegate.oracles.persisted import unkept
from tapegate.oracles.slot import SlotKind

_COUNTS = ("added", "changed", "removed")
_AMONG = {"after": "of", "added": "added to", "changed": "changed in", "removed": "removed from"}


PERSISTED = "persisted_answer_equals_streamed"


class DbState(Oracle):
    """What the trial leaves in its SQLite database: which rows it adds, changes and removes, and what they hold.

    What it checks
    --------------
    The database of the trial's workspace, read before the subject is asked and again when it has ended. Rows are told
    apart by primary key, or by row id where a table has none. Views, indexes and what SQLite keeps for itself are left
    out; virtual tables count, the shadow tables behind them do not.

    Parameters
    ----------
    - `state` (table → conditions, all of which hold):
      - `columns` (list of names): columns that the table has.
      - `added`, `changed`, `removed` (`min`, `max`; numbers of rows, both included).
      - `rows` (list): `among` (`after`, `added`, `changed` or `removed`; default `after`) and `where` (column →
        expectation) pick rows; `count` (`min`, `max`; default at least 1) says how many; `columns` (column →
        expectation), `non_empty` and `unique` (lists of columns) hold of each picked row.
    - `state_elsewhere` (`any` or `unchanged`; default `any`): whether tables that `state` does not name may differ.
    - `required_invariants`: `persisted_answer_equals_streamed`: for each answer with text there is a row of its own,
      added or changed by the trial, one of whose columns is that text, character for character, or JSON that holds it.

    Why it is deterministic
    -----------------------
    Two snapshots are compared by value. No clock is read and no order of rows matters; times and ids that the agent
    makes up are matched by expectations (`$regex`, `$type`), not by value.

    False positives and how they are kept low
    -----------------------------------------
    An agent that keeps more than was foreseen fails only under `state_elsewhere: unchanged` or a maximum. Numbers
    compare as numbers, 1 as 1.0, and columns that no expectation names may hold anything.

    False negatives and how they are kept low
    -----------------------------------------
    A row that is removed and written again with the same content counts as untouched. What the agent keeps outside of
    its database is not seen. A condition on rows that picks none fails unless its `count` says `min: 0`, so that a
    misspelt `where` is no pass.

    Example task
    ------------
    ```yaml
    setup:
      db_snapshot: baseline_v1
    accepted_outcomes:
      - state:
          messages:
            added: {min: 2, max: 2}
            rows:
              - among: added
                where: {role: assistant}
                count: {min: 1, max: 1}
                columns: {status: complete}
                non_empty: [content]
        state_elsewhere: unchanged
    grading:
      deterministic_metrics: [db_state]
    ```

    Example finding
    ---------------
    ```text
    db_state cell_mismatch: a row added to 'messages' holds another 'status' than expected
      expected: 'complete'
      got: 'failed'
    ```
    """

    name = "db_state"
    version = 2
    codes: ClassVar[Mapping[str, str]] = {
        "database_unreadable": "The database cannot be read after the trial.",
        "table_missing": "A table that the task names is not in the database.",
        "column_missing": "A table lacks a column that the task names.",
        "row_count": "More or fewer rows were added, changed or removed than expected.",
        "rows_picked": "More or fewer rows are as described than expected.",
        "cell_mismatch": "A row holds something else than expected.",
        "cell_empty": "A cell is NULL or blank that must not be.",
        "rows_not_unique": "Two rows share values that must be unique.",
        "changed_elsewhere": "A table is not as it was, and no condition names it.",
        "persisted_differs": "No row that the trial wrote holds an answer as it was streamed.",
    }
    slots: ClassVar[Mapping[str, SlotKind]] = {}
    invariants: ClassVar[Mapping[str, str]] = {
        PERSISTED: "What the application keeps of each answer is what it streamed, character for character.",
    }

    def claims(self, task: Task) -> Iterator[Path]:
        """Its invariant, the tables that each outcome says something of, and what it says of the others."""
        yield from super().claims(task)
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            for table, state in outcome.state.items():
                if _demanding(state):
                    yield outcome_path(index, "state", table)
            if outcome.state_elsewhere != "any":
                yield outcome_path(index, "state_elsewhere")

    def needs(self, task: Task) -> Iterator[Evidence]:
        """The database, where a condition is on it."""
        if any(self.claims(task)):
            yield "database"

    def broken(self, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The answers that are kept otherwise than they were streamed."""
        if PERSISTED in task.expect.required_invariants:
            yield from unkept(trace, (*INVARIANTS, task.expect.required_invariants.index(PERSISTED)))

    def unmet(self, index: int, outcome: Outcome, task: Task, trace: Trace) -> Iterator[Unmet]:
        """The conditions on the database that do not hold."""
        if not outcome.state and outcome.state_elsewhere == "any":
            return
        database = trace.database
        if database is None:
            raise NotJudged.of("no_evidence", "the trace holds no database, though the task says what it must be")
        if database.after.fault:
            path = outcome_path(index, "state" if outcome.state else "state_elsewhere")
            message = "the database cannot be read after the trial"
            yield Unmet("database_unreadable", message, path, "a SQLite database", database.after.fault)
            return
        for name, state in outcome.state.items():
            yield from _table(database, name, state, outcome_path(index, "state", name))
        if outcome.state_elsewhere == "unchanged":
            path = outcome_path(index, "state_elsewhere")
            for name in database.touched():
                if name not in outcome.state:
                    got = _difference(database, name)
                    message = f"table {name!r} is not as it was before"
                    yield Unmet("changed_elsewhere", message, path, "the rows that were there", got, final=False)

    def problems(self, task: Task) -> Iterator[Problem]:
        """Bounds that exclude each other, expectations that cannot be used, tables of no database."""
        none = task.setup.db_snapshot is None and not task.setup.fixtures
        if none and PERSISTED in task.expect.required_invariants:
            path = (*INVARIANTS, task.expect.required_invariants.index(PERSISTED))
            message = f"{PERSISTED!r} compares with a database, and the task is set up with none"
            yield problem_at(task, path, "unreachable_outcome", message, "name it in setup.db_snapshot")
        for index, outcome in enumerate(task.expect.accepted_outcomes):
            asks = outcome.state or outcome.state_elsewhere != "any"
            if asks and none:
                path = outcome_path(index, "state" if outcome.state else "state_elsewhere")
                message = "the task says what its database must be, and is set up with none"
                yield problem_at(task, path, "unreachable_outcome", message, "name it in setup.db_snapshot")
            for name, state in outcome.state.items():
                path = outcome_path(index, "state", name)
                if not _demanding(state):
                    yield problem_at(task, path, "vacuous_slot", f"nothing is demanded of table {name!r}")
                yield from _state_problems(task, state, path)


def _demanding(state: TableState) -> bool:
    return bool(state.columns or state.rows or any(demands(getattr(state, field)) for field in _COUNTS))


def _state_problems(task: Task, state: TableState, path: Path) -> Iterator[Problem]:
    for field in _COUNTS:
        if (reason := contradiction(getattr(state, field))) is not None:
            yield problem_at(task, (*path, field), "unreachable_outcome", reason)
    for place, rows in enumerate(state.rows):
        here = (*path, "rows", place)
        if (reason := contradiction(rows.count)) is not None:
            yield problem_at(task, (*here, "count"), "unreachable_outcome", reason)
        for field in ("where", "columns"):
            for flaw in flaws(getattr(rows, field)):
                yield problem_at(task, (*here, field, *flaw.path), flaw.code, flaw.message)
        if not demands(rows.count) and not (rows.columns or rows.non_empty or rows.unique):
            yield problem_at(task, here, "vacuous_slot", "any number of rows holding anything meets this")
        elif rows.count.max == 0 and (rows.columns or rows.non_empty or rows.unique):
            message = "what rows hold is asked of rows of which there shall be none"
            yield problem_at(task, here, "vacuous_slot", message, "put it under `where`, or let there be rows")


def _table(database: Database, name: str, state: TableState, path: Path) -> Iterator[Unmet]:
    table = database.after.tables.get(name)
    if table is None:
        got = ", ".join(sorted(database.after.tables)) or "no table at all"
        yield Unmet("table_missing", f"there is no table {name!r}", path, name, visible(got), final=False)
        return
    wanted = {*state.columns, *(column for rows in state.rows for column in _named(rows))}
    missing = sorted(wanted - set(table.columns))
    if missing:
        message = f"table {name!r} lacks the column {missing[0]!r}"
        yield Unmet("column_missing", message, path, ", ".join(missing), visible(", ".join(table.columns)), final=False)
        return
    for field in _COUNTS:
        bounds: Bounds | None = getattr(state, field)
        found = len(getattr(database, field)(name))
        if bounds is not None and not within(bounds, found):
            message = f"{found} {_rows(found)} of {name!r} {'is' if found == 1 else 'are'} {field}"
            yield Unmet("row_count", message, (*path, field), said(bounds), str(found), final=False)
    for place, rows in enumerate(state.rows):
        yield from _row_state(database, name, table, rows, (*path, "rows", place))


def _row_state(database: Database, name: str, table: Table, rows: RowState, path: Path) -> Iterator[Unmet]:
    among = list(table.each()) if rows.among == "after" else getattr(database, rows.among)(name)
    picked = [row for row in among if mismatch(rows.where, row) is None]
    which = f"{_AMONG[rows.among]} {name!r}"
    if not within(rows.count, len(picked)):
        message = f"{len(picked)} {_rows(len(picked))} {which} {'is' if len(picked) == 1 else 'are'} as described"
        where = shown(rows.where) if rows.where else "any row"
        yield Unmet("rows_picked", message, path, f"{said(rows.count)}: {where}", _sample(among), final=False)
    for row in picked:
        for column, want in rows.columns.items():
            wrong = mismatch(want, row.get(column, ABSENT))
            if wrong is not None:
                inside = f" at {dotted(wrong.path)}" if wrong.path else ""
                message = f"a row {which} holds another {column!r} than expected{inside}"
                yield Unmet(
                    "cell_mismatch", message, (*path, "columns", column), wrong.expected, wrong.got, final=False
                )
        for column in rows.non_empty:
            value = row.get(column)
            if value is None or (isinstance(value, str | bytes) and is_blank(value)):
                message = f"a row {which} has an empty {column!r}"
                yield Unmet("cell_empty", message, (*path, "non_empty"), "a value", shown(value), final=False)
    yield from _twins(picked, rows.unique, which, (*path, "unique"))


def _twins(picked: Sequence[Row], columns: Sequence[str], which: str, path: Path) -> Iterator[Unmet]:
    seen: set[tuple[Json, ...]] = set()
    for row in picked if columns else ():
        values = tuple(row.get(column) for column in columns)
        if values in seen:
            what = ", ".join(columns)
            got = ", ".join(shown(value) for value in values)
            message = f"two rows {which} have the same {what}"
            yield Unmet("rows_not_unique", message, path, f"a {what} of its own for each", got, final=False)
            return
        seen.add(values)


def _named(rows: RowState) -> set[str]:
    return {*rows.where, *rows.columns, *rows.non_empty, *rows.unique}


def _difference(database: Database, name: str) -> str:
    counts = [(len(getattr(database, field)(name)), field) for field in _COUNTS]
    parts = [f"{count} {_rows(count)} {field}" for count, field in counts if count]
    if not parts:
        parts = ["the table is " + ("new" if name not in database.before.tables else "gone or built otherwise")]
    return ", ".join(parts)


def _sample(rows: Sequence[Row]) -> str:
    more = f" and {len(rows) - 2} more" if len(rows) > 2 else ""
    return "; ".join(shown(dict(row)) for row in rows[:2]) + more if rows else "no row"


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"
