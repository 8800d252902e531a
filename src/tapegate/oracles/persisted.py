"""Whether what was streamed to the user is what the application kept."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tapegate.errors import NotJudged
from tapegate.model.database import Cell, Database
from tapegate.model.finding import Unmet
from tapegate.model.source import Path
from tapegate.model.trace import Trace
from tapegate.oracles.echoes import texts_in
from tapegate.oracles.excerpt import visible
from tapegate.oracles.pairing import unpaired


def unkept(trace: Trace, path: Path) -> Iterator[Unmet]:
    """Every answer with text that no row of its own holds, of those that the trial added or changed."""
    if trace.database is None:
        raise NotJudged.of("no_evidence", "the trace holds no database, though the task says what is kept in it")
    texts = [turn.text for turn in trace.turns]
    wanted = [number for number, text in enumerate(texts) if text]
    rows = list(_written(trace.database))
    for one in unpaired(len(wanted), len(rows), lambda one, other: texts[wanted[one]] in rows[other]):
        number = wanted[one]
        which = f"answer {number + 1}" if len(texts) > 1 else "the answer"
        got = _nearest(texts[number], rows)
        message = f"no row that the trial wrote holds {which} as it was streamed"
        yield Unmet("persisted_differs", message, path, visible(texts[number][:160]), got, final=False)


def _written(database: Database) -> Iterator[frozenset[str]]:
    """The texts of each row that was added or changed."""
    for table in database.after.tables:
        for row in (*database.added(table), *database.changed(table)):
            yield frozenset(text for cell in row.values() for text in _texts(cell))


def _texts(cell: Cell) -> Iterator[str]:
    if not isinstance(cell, str):
        return
    yield cell
    if cell.lstrip()[:1] in ("{", "["):
        try:
            yield from texts_in(json.loads(cell))
        except (ValueError, RecursionError):
            return


def _nearest(text: str, rows: list[frozenset[str]]) -> str:
    """The kept text that is most like a piece of the streamed one, or the other way round."""
    kept = sorted({one for row in rows for one in row if one.strip() and (one in text or text in one)}, key=len)
    return visible(kept[-1][:160]) if kept else f"nothing like it in {len(rows)} rows"
