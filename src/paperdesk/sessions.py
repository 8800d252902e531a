"""Conversations: who said what, in which session."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Role = Literal["user", "assistant"]
Status = Literal["complete", "failed"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def now() -> str:
    """The time, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said."""

    id: int
    role: Role
    content: str
    status: Status
    """`failed`: the answer broke off; `content` is what the user had seen by then."""
    created_at: str


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation."""

    id: str
    created_at: str
    messages: int


class Sessions:
    """The conversations of one database."""

    def __init__(self, connection: sqlite3.Connection, now: Callable[[], str] = now) -> None:
        self._db = connection
        self._now = now

    def open(self, session_id: str | None) -> str:
        """The id of the session to talk in: the one named, created on its first use, or a new one."""
        if session_id is None:
            return self.create()
        with self._db:
            self._insert(session_id)
        return session_id

    def create(self) -> str:
        """A new session's id: `s1`, `s2`, … in the order of creation, also when many are created at once."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")  # no other connection may count between our count and our insert
            number = self._db.execute("SELECT count(*) FROM sessions").fetchone()[0] + 1
            while self.exists(f"s{number}"):
                number += 1
            self._insert(f"s{number}")
        return f"s{number}"

    def exists(self, session_id: str) -> bool:
        """Whether there is a session with this id."""
        return self._db.execute("SELECT 1 FROM sessions WHERE id = ?", (session_id,)).fetchone() is not None

    def add(self, session_id: str, role: Role, content: str, status: Status = "complete") -> int:
        """Keep a message; its id."""
        with self._db:
            cursor = self._db.execute(
                "INSERT INTO messages (session_id, role, content, status, created_at) VALUES (?, ?, ?, ?, ?)",
                (session_id, role, content, status, self._now()),
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def messages(self, session_id: str) -> tuple[Message, ...]:
        """What was said in a session, oldest first."""
        rows = self._db.execute(
            "SELECT id, role, content, status, created_at FROM messages WHERE session_id = ? ORDER BY id",
            (session_id,),
        )
        return tuple(Message(*row) for row in rows)

    def all(self) -> tuple[Session, ...]:
        """Every session, oldest first."""
        rows = self._db.execute(
            "SELECT sessions.id, sessions.created_at, count(messages.id) FROM sessions"
            " LEFT JOIN messages ON messages.session_id = sessions.id"
            " GROUP BY sessions.id ORDER BY sessions.rowid"
        )
        return tuple(Session(*row) for row in rows)

    def _insert(self, session_id: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO sessions (id, created_at) VALUES (?, ?)", (session_id, self._now()))
