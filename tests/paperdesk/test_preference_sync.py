"""The preference agent: contract of the summary, nothing sensitive, nothing twice."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperdesk import database, preference_sync
from paperdesk.preference_history import KEY, History, fold
from paperdesk.preference_sync import MAX_CHARS, MAX_SENTENCES, PREFIX, contracted, sync_when_due
from paperdesk.provider import Provider as ModelProvider
from paperdesk.sessions import Sessions
from paperdesk.settings import Settings

if TYPE_CHECKING:
    from conftest import Ask, Heard, Provider, Serve, Watched

SAID = (
    "Please keep answers short, my password is hunter2 and my notes lie in /Users/me/plan.md\nUse numbers with units."
)


@pytest.fixture
def synced(ask: Ask, hear: Callable[[Iterable[str]], Heard], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Heard]:
    def sync(message: str = "", seed: int = 42) -> Heard:
        monkeypatch.setenv("PAPERDESK_SEED", str(seed))
        return hear(preference_sync.sync(message))

    return sync


def status(heard: Heard) -> str:
    return str(next(frame for frame in heard.frames("data") if frame["type"] == "preference_summary")["status"])


def rows(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT summary, last_message_id FROM preference_summaries ORDER BY id").fetchall()


@pytest.mark.parametrize("seed", [42, 43, 44, 45])
def test_contract(synced: Callable[..., Heard], library_path: Path, seed: int) -> None:
    """Whatever way the model goes, the summary has its prefix, at most three sentences, and no secret."""
    heard = synced(SAID, seed)
    assert heard.text.startswith(PREFIX)
    assert 1 <= len(re.findall(r"[.!?](?:\s|$)", heard.text)) <= MAX_SENTENCES
    assert "numbers with their units" in heard.text
    assert "hunter2" not in "".join(heard.lines)
    assert "/Users" not in "".join(heard.lines)
    assert status(heard) == "stored"
    assert rows(library_path) == [(heard.text, 2)]
    assert heard.finish == {"type": "finish", "reason": "stop"}


def test_the_model_never_sees_a_secret(synced: Callable[..., Heard], model: Watched) -> None:
    """What is sensitive is taken out before the messages are sent."""
    synced(SAID)
    assert "hunter2" not in str(model.requests)
    assert "/Users" not in str(model.requests)
    assert "keep answers short" in str(model.requests)


def test_the_summary_reaches_the_chat(synced: Callable[..., Heard], ask: Ask, model: Watched) -> None:
    """The current summary stands among the preferences in the chat's prompt."""
    synced("Please keep answers short.", seed=44)
    ask("Hello!")
    assert "- from history: The user prefers short answers." in model.requests[-1]["messages"][0]["content"]


def test_the_same_summary_is_stored_once(synced: Callable[..., Heard], library_path: Path) -> None:
    """The same said again, in another order, is a duplicate: there is no second row, and what it covers grows."""
    first = synced("Please keep answers short.\nUse numbers with units.", seed=44)
    second = synced("Thanks!", seed=45)
    assert (status(first), status(second)) == ("stored", "duplicate")
    assert second.text == first.text
    assert rows(library_path) == [(first.text, 3)]


def test_an_older_summary_can_come_back(library_path: Path) -> None:
    """A taste that returns is current again, and still stands there once."""
    with closing(database.connect(library_path)) as connection:
        history = History(connection)
        stored = [history.keep(f"{PREFIX}{text}", number) for number, text in enumerate(["A b.", "C d.", "a B!"], 1)]
        assert stored == [True, True, False]
        assert history.current() == f"{PREFIX}A b."
        assert database.preferences(connection)[KEY] == "A b."
        assert history.covered() == 3


def test_without_news_the_model_is_not_asked(synced: Callable[..., Heard], model: Watched) -> None:
    """Nothing said since the last sync: the summary stands, and no request is made; nor without any history."""
    assert status(synced()) == "nothing_new"
    first = synced(SAID)
    model.requests.clear()
    again = synced()
    assert (status(again), again.text, model.requests) == ("nothing_new", first.text, [])


def test_answers_and_hints_are_not_history(synced: Callable[..., Heard], ask: Ask, model: Watched) -> None:
    """Only the user's own words are summed up."""
    ask("How wide are cracks?\n\n<hint>Begin with “X:”.</hint>")
    model.requests.clear()
    synced()
    assert model.requests[0]["messages"][1]["content"] == "## Messages\n\n- How wide are cracks?"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("User preferences: Likes lists.", "Likes lists."),
        ("Sure! Here it is:\n\n**User preferences:** Likes lists.", "Likes lists."),
        ("USER PREFERENCES: User preferences: Likes lists.", "Likes lists."),
        ("Likes lists.\n\nUser preferences:", "Likes lists."),
        ("- Likes lists\n- Wants units", "Likes lists. Wants units."),
        ("1. Likes lists.\n2. Wants units.", "Likes lists. Wants units."),
        ("Ab bc. Cd de. Ef fg. Gh hi.", "Ab bc. Cd de. Ef fg."),
        ("<thinking>User preferences: no.</thinking>Likes lists", "Likes lists."),
        ("Likes lists. Key: sk-abcdef123456.", "Likes lists."),
        ("Likes lists.\n\nUser preferences", "Likes lists. User preferences."),
    ],
)
def test_contracted(said: str, kept: str) -> None:
    """Preambles, lists, tags, secrets and what is too much are taken away; the rest is put under the prefix."""
    assert contracted(said) == PREFIX + kept


@pytest.mark.parametrize("said", ["", " \n", "User preferences:", "<private>x", "[removed].", "...", "42."])
def test_nothing_to_keep(said: str) -> None:
    """A reply without anything to say is no summary."""
    assert contracted(said) is None


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_keeps_to_the_contract(said: str) -> None:
    """Whatever a model writes becomes a summary within its bounds, or none."""
    summary = contracted(said)
    if summary is not None:
        assert summary.startswith(PREFIX)
        assert len(summary) <= MAX_CHARS + len(PREFIX)
        assert len(re.split(r"(?<=[.!?…])\s+", summary.removeprefix(PREFIX))) <= MAX_SENTENCES
        assert fold(summary) == fold(summary.upper()) or not summary.isascii()


def test_a_reply_of_no_use_is_an_error(
    synced: Callable[..., Heard],
    serve: Serve,
    provider: type[Provider],
    monkeypatch: pytest.MonkeyPatch,
    library_path: Path,
) -> None:
    """When the model fails, or says nothing to keep, the lines say so, and nothing is stored."""
    for broken in (provider(provider.whole("...")), provider(provider.refusal(500))):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(broken.app)}/v1")
        heard = synced("Short answers, please.")
        assert heard.error
        assert heard.finish == {"type": "finish", "reason": "error"}
    assert rows(library_path) == []


def test_due_after_enough_messages(ask: Ask, library_path: Path, model: Watched) -> None:
    """In the background a sync waits for enough new messages; switched off, it never comes."""
    with closing(database.connect(library_path)) as connection:
        sessions = Sessions(connection)
        sessions.open("a")
        for _ in range(3):
            sessions.add("a", "user", "Short answers, please.")

    async def wait_for(after: int) -> int:
        model.requests.clear()
        desk = Settings(database=library_path, sync_after=after)
        provider = ModelProvider(desk)
        await sync_when_due(desk, provider)
        await provider.close()
        return len(model.requests)

    assert [asyncio.run(wait_for(after)) for after in (0, 4, 3, 3)] == [0, 0, 1, 0]
