"""What the preference agent reads and keeps: the user's messages, and the summaries made of them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from paperdesk import hint
from paperdesk.sessions import now

KEY = "from_history"
"""The preference under which the current summary reaches the chat's prompt."""

_SENTENCE_END = re.compile(r"[.!?…]+\s+|[.!?…]+\Z|\n")


class History:
    """The user's messages and the summaries of one database."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], str] = now) -> None:
        self._db = connection
        self._clock = clock

    def said(self, limit: int) -> tuple[int, list[str]]:
        """The id of the user's last message (0: none), and the last `limit` messages, oldest first, without hints."""
        rows = self._db.execute(
            "SELECT id, content FROM messages WHERE role = 'user' ORDER BY id DESC LIMIT ?", (limit,)
        ).fetchall()
        return (rows[0][0] if rows else 0), [hint.without(content) for _, content in reversed(rows)]

    def covered(self) -> int:
        """The id of the last message that a summary has seen; 0 where there is no summary."""
        return int(self._db.execute("SELECT coalesce(max(last_message_id), 0) FROM preference_summaries").fetchone()[0])

    def waiting(self) -> int:
        """How many messages of the user no summary has seen."""
        rows = self._db.execute("SELECT count(*) FROM messages WHERE role = 'user' AND id > ?", (self.covered(),))
        return int(rows.fetchone()[0])

    def current(self) -> str | None:
        """The summary that the last sync came to."""
        row = self._db.execute(
            "SELECT summary FROM preference_summaries ORDER BY last_message_id DESC, id DESC LIMIT 1"
        ).fetchone()
        return row[0] if row else None

    def keep(self, summary: str, last_message_id: int) -> bool:
        """Make `summary` the current one; whether it is new. One that says the same as an earlier one is not."""
        with self._db:
            known = self._db.execute(
                "UPDATE preference_summaries SET last_message_id = max(last_message_id, ?) WHERE fold = ?"
                " RETURNING summary",
                (last_message_id, fold(summary)),
            ).fetchone()
            if known is None:
                self._db.execute(
                    "INSERT INTO preference_summaries (summary, fold, last_message_id, created_at) VALUES (?, ?, ?, ?)",
                    (summary, fold(summary), last_message_id, self._clock()),
                )
            self._db.execute(
                "INSERT OR REPLACE INTO preferences (key, value) VALUES (?, ?)",
                (KEY, (known[0] if known else summary).partition(": ")[2]),
            )
        return known is None


def fold(summary: str) -> str:
    """What two summaries that say the same have in common: their sentences, in any order, case and punctuation."""
    sentences = (
        " ".join(re.findall(r"\w+", part.casefold())) for part in _SENTENCE_END.split(summary.partition(": ")[2])
    )
    return " | ".join(sorted(sentence for sentence in sentences if sentence))
