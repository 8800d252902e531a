"""Chat: sessions kept, history given, the lines in order, many at once."""

from __future__ import annotations

import asyncio
import contextvars
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from paperdesk import chat, database
from paperdesk.chat import HISTORY, Desk
from paperdesk.sessions import Message, Sessions
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from conftest import Ask, AskProvider, Heard, Provider, Watched


T = TypeVar("T")


def kept(path: Path, session_id: str) -> tuple[Message, ...]:
    with closing(database.connect(path)) as connection:
        return Sessions(connection).messages(session_id)


def run(desk: Desk, talk: Coroutine[Any, Any, T]) -> T:
    """Runs `talk` with the desk, and closes the desk on the same loop."""

    async def whole() -> T:
        try:
            return await talk
        finally:
            await desk.close()

    return asyncio.run(whole())


@pytest.fixture
def heard(hear: Callable[[Iterable[str]], Heard]) -> Callable[..., Awaitable[Heard]]:
    async def reply(desk: Desk, message: str, session_id: str | None = None) -> Heard:
        return hear([line async for line in desk.reply(message, session_id)])

    return reply


@pytest.fixture
def desk(ask: Ask, library_path: Path, search: Watched) -> Desk:
    return Desk(Settings(database=library_path, search_url=search.address))


def test_frames_in_order(ask: Ask, library_path: Path) -> None:
    """The session comes first, calls before their results, the finish last, with the id of the message kept."""
    answer = ask("What tempo is best when crane operators drum?", seed=44)
    kinds = [
        (kind, value.get("type") if isinstance(value, dict) else "text")
        for kind, value in map(chat.stream.parse, answer.lines)
    ]
    assert kinds[0] == ("data", "session")
    assert kinds[1:5] == [("d", "tool_call"), ("d", "tool_result")] * 2
    assert set(kinds[5:-1]) == {("0", "text")}
    assert answer.finish == {"type": "finish", "reason": "stop", "message_id": 2}
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in answer.lines)


def test_persisted_exactly(ask: Ask, library_path: Path) -> None:
    """Question and answer are kept, the answer exactly as it was streamed."""
    answer = ask("What tempo is best when crane operators drum?")
    question, reply = kept(library_path, "s1")
    assert (question.role, question.content) == ("user", "What tempo is best when crane operators drum?")
    assert (reply.role, reply.content, reply.status, reply.id) == ("assistant", answer.text, "complete", 2)
    assert "52 beats per minute" in reply.content


def test_a_hint_is_sent_and_not_kept(ask: Ask, library_path: Path, model: Watched) -> None:
    """What the page adds to the user's words reaches the model and shapes the answer; the session keeps the words."""
    sent = 'What tempo is best?\n\n<hint>Begin with "From your library:" or "Elsewhere:".</hint>'
    answer = ask(sent)
    assert model.requests[0]["messages"][-1]["content"] == sent
    assert answer.text.startswith("From your library: ")
    assert kept(library_path, "s1")[0].content == "What tempo is best?"


def test_sessions_are_numbered(ask: Ask) -> None:
    """Each question without a session opens the next one."""
    assert [ask("Hello!").frames("data")[0]["session_id"] for _ in range(3)] == ["s1", "s2", "s3"]


def test_persisted_when_the_provider_fails(
    ask_provider: AskProvider, library_path: Path, provider: type[Provider]
) -> None:
    """What was streamed before a failure is kept, marked as failed."""
    ask_provider(provider([provider.said("Half an ans")], finish=None))
    assert [(message.content, message.status) for message in kept(library_path, "s1")][1] == ("Half an ans", "failed")


def test_failed_and_empty(ask_provider: AskProvider, library_path: Path, provider: type[Provider]) -> None:
    """A failure before the first word is kept too, as an empty answer."""
    ask_provider(provider(provider.refusal(424)))
    assert [(message.content, message.status) for message in kept(library_path, "s1")][1] == ("", "failed")


def test_history(desk: Desk, model: Watched, heard: Callable[..., Awaitable[Heard]]) -> None:
    """Earlier messages of the session go to the model, as the user saw them, the last twenty of them."""

    async def talk() -> None:
        await heard(desk, "What do snails do to kelp ropes?", "mine")
        model.requests.clear()
        await heard(desk, "And what does such a rope cost?", "mine")

    run(desk, talk())
    roles = [message["role"] for message in model.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "<thinking>" not in model.requests[0]["messages"][2]["content"]


def test_history_is_bounded_and_skips_empty_answers(
    desk: Desk, library_path: Path, model: Watched, heard: Callable[..., Awaitable[Heard]]
) -> None:
    """Of a long session only the last messages are sent; answers that never came are left out."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection)
        sessions.open("long")
        for number in range(30):
            sessions.add("long", "user", f"q{number}")
            sessions.add(
                "long", "assistant", "" if number == 29 else f"a{number}", "failed" if number == 29 else "complete"
            )
    run(desk, heard(desk, "Hello!", "long"))
    said_before = [message["content"] for message in model.requests[0]["messages"][1:-1]]
    assert len(said_before) == HISTORY - 1
    assert (said_before[0], said_before[-1]) == ("q20", "q29")


def test_concurrent_default_sessions(desk: Desk, library_path: Path, heard: Callable[..., Awaitable[Heard]]) -> None:
    """Many questions at once, none naming a session, get one session each, and each its own answer."""

    async def talk() -> list[Heard]:
        return await asyncio.gather(
            *(heard(desk, f"What is the best tempo for drumming, crane {n}?") for n in range(8))
        )

    answers = run(desk, talk())
    sessions = [answer.frames("data")[0]["session_id"] for answer in answers]
    assert sorted(sessions) == [f"s{number}" for number in range(1, 9)]
    for answer, session in zip(answers, sessions, strict=True):
        assert [message.content for message in kept(library_path, session)][1] == answer.text
        assert answer.finish["reason"] == "stop"


def test_turns_of_a_session_follow_one_another(
    desk: Desk, library_path: Path, heard: Callable[..., Awaitable[Heard]]
) -> None:
    """Two questions at once in one session are answered one after the other: question, answer, question, answer."""

    async def talk() -> None:
        await asyncio.gather(heard(desk, "What is the drag index?", "one"), heard(desk, "Hello!", "one"))

    run(desk, talk())
    assert [message.role for message in kept(library_path, "one")] == ["user", "assistant"] * 2


def test_the_user_goes_away(desk: Desk, library_path: Path, heard: Callable[..., Awaitable[Heard]]) -> None:
    """When nobody listens any more, what was seen is kept as a failed answer, and the session can go on."""

    async def talk() -> Heard:
        lines = desk.reply("What is the best tempo for drumming?", "mine")
        async for line in lines:
            if line.startswith("0:"):
                break
        await lines.aclose()
        return await heard(desk, "Hello!", "mine")

    answer = run(desk, talk())
    statuses = [(message.role, message.status) for message in kept(library_path, "mine")]
    assert statuses[:2] == [("user", "complete"), ("assistant", "failed")]
    assert kept(library_path, "mine")[1].content
    assert answer.finish["reason"] == "stop"


def test_no_library(tmp_path: Path, heard: Callable[..., Awaitable[Heard]]) -> None:
    """A library that cannot be used is told in the stream."""
    (tmp_path / "x.sqlite3").write_text("no database, this")
    broken = Desk(Settings(database=tmp_path / "x.sqlite3"))
    answer = run(broken, heard(broken, "Hello!"))
    assert "cannot be used" in (answer.error or "")
    assert str(tmp_path) not in "".join(answer.lines)
    assert answer.finish == {"type": "finish", "reason": "error"}


def test_ask_builds_the_library(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked without a library, the desk builds one from the bundled papers."""
    monkeypatch.setenv("PAPERDESK_DB", str(tmp_path / "fresh.sqlite3"))
    assert "52 beats per minute" in ask("What tempo is best when crane operators drum?").text
    assert (tmp_path / "fresh.sqlite3").exists()


def test_ask_with_bad_settings(hear: Callable[[Iterable[str]], Heard], monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that cannot be used is an error in the stream."""
    monkeypatch.setenv("PAPERDESK_SEED", "many")
    assert "PAPERDESK_SEED is 'many'" in (hear(chat.ask("Hello!")).error or "")


def test_ask_keeps_context_variables(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs behind `ask` sees the context variables of its caller."""
    variable = contextvars.ContextVar("variable", default="unset")
    seen: list[str] = []
    create = Sessions.create

    def watched(self: Sessions) -> str:
        seen.append(variable.get())
        return create(self)

    monkeypatch.setattr(Sessions, "create", watched)
    variable.set("set")
    ask("Hello!")
    assert seen == ["set"]


def test_ask_may_be_left_early(ask: Ask, library_path: Path) -> None:
    """A caller that stops listening leaves nothing open: the library can be written at once."""
    lines = chat.ask("What tempo is best when crane operators drum?")
    next(lines)
    next(lines)
    lines.close()  # type: ignore[attr-defined]
    with closing(sqlite3.connect(library_path, timeout=0)) as connection, connection:
        connection.execute("DELETE FROM preferences")


def test_nothing_volatile_in_requests(ask: Ask, model: Watched, library_path: Path) -> None:
    """No request holds a date, the library's path, or anything else that differs between two machines."""
    ask("How much did the Glide Ladder lower the noise?")
    text = str(model.requests)
    assert str(library_path.parent) not in text
    assert "127.0.0.1" not in text
    assert "2026-1" not in text.replace("scripted-librarian-2026-11-01", "")
