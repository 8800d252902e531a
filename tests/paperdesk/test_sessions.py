"""Conversations in the database."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from paperdesk import database
from paperdesk.sessions import Sessions


def test_numbered_in_order(library_path: Path) -> None:
    """New sessions are s1, s2, …, and skip a name that somebody has taken."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection)
        assert [sessions.create(), sessions.create()] == ["s1", "s2"]
        assert sessions.open("s4") == "s4"
        assert [sessions.create(), sessions.create()] == ["s5", "s6"]


def test_a_named_session_is_made_once(library_path: Path) -> None:
    """A session that the caller names is created on its first use and found on the next."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection)
        assert not sessions.exists("mine")
        assert [sessions.open("mine"), sessions.open("mine")] == ["mine", "mine"]
        assert [session.id for session in sessions.all()] == ["mine"]


def test_created_by_many_at_once(library_path: Path) -> None:
    """Sessions that are created at the same time get different ids, none left out."""
    made: list[str] = []

    def create() -> None:
        with closing(database.connect(library_path)) as connection:
            made.append(Sessions(connection).create())

    threads = [threading.Thread(target=create) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == sorted(f"s{number}" for number in range(1, 17))


def test_messages(library_path: Path) -> None:
    """Messages come back in order, exactly as they were said, with their status."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection, now=lambda: "then")
        sessions.open("a")
        sessions.open("b")
        first = sessions.add("a", "user", "x\r\n🙂 'y'")
        sessions.add("b", "user", "elsewhere")
        second = sessions.add("a", "assistant", "half", "failed")
        kept = [(message.id, message.role, message.content, message.status) for message in sessions.messages("a")]
        assert kept == [(first, "user", "x\r\n🙂 'y'", "complete"), (second, "assistant", "half", "failed")]
        assert [(session.id, session.messages) for session in sessions.all()] == [("a", 2), ("b", 1)]
        assert sessions.messages("none") == ()


def test_no_message_without_a_session(library_path: Path) -> None:
    """A message of a session that does not exist is refused."""
    with closing(database.connect(library_path)) as connection, pytest.raises(database.sqlite3.IntegrityError):
        Sessions(connection).add("nowhere", "user", "x")
