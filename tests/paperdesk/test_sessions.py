"""Conversations in the database."""

from __future__ import annotations

import os
import subprocess
import sys
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


def test_created_by_many_processes_at_once(tmp_path: Path) -> None:
    """Processes that open an absent library together build it once, and never give two sessions one number."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom paperdesk import database\n"
        "from paperdesk.sessions import Sessions\n"
        "sys.stdin.read()\nsessions = Sessions(database.connect(Path(sys.argv[1])))\n"
        "for _ in range(8):\n    made = sessions.create()\n    sessions.add(made, 'user', made)\n    print(made)\n"
        "sessions.open('default')"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "desk.sqlite3")]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env) for _ in range(4)]
    for process in processes:  # all have started: now they begin together
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    made = [session for process in processes for session in process.communicate(timeout=60)[0].split()]
    assert [process.returncode for process in processes] == [0] * 4
    with closing(database.connect(tmp_path / "desk.sqlite3")) as connection:
        sessions = Sessions(connection)
        kept = [(session.id, session.messages) for session in sessions.all()]
        assert [[message.content for message in sessions.messages(session)] for session in made] == [
            [one] for one in made
        ]
    assert len(made) == len(set(made)) == 32
    assert sorted(kept) == sorted([*((session, 1) for session in made), ("default", 0)])


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
