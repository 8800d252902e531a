"""Paperdesk's chat: a message in, the answer as lines of the dialect `mixed` out, both kept in the session."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from weakref import WeakValueDictionary

from openai.types.chat import ChatCompletionMessageParam

from paperdesk import database, errand, hint, preference_sync, stream
from paperdesk.library import Library
from paperdesk.policy import TOOL_POLICY
from paperdesk.prompt import get_system_prompt
from paperdesk.provider import Provider
from paperdesk.sessions import Sessions, Status
from paperdesk.settings import Settings
from paperdesk.tools import Toolbox
from paperdesk.turn import Turn

HISTORY = 20
"""So many earlier messages of a session are given to the model."""


class Desk:
    """Answers messages. One a process; turns of the same session follow one another."""

    def __init__(self, settings: Settings, provider: Provider | None = None) -> None:
        self._settings = settings
        self._provider = provider or Provider(settings)
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self._provider.close()

    def reply(self, message: str, session_id: str | None = None) -> AsyncGenerator[str, None]:
        """The answer to `message`, line by line; in a new session unless one is named.

        Never raises for what the provider, a tool or the library does: the lines say it, and end with `finish`.
        """
        return errand.told(self._reply(message, session_id))

    async def sync_when_due(self) -> None:
        """Sum up the user's preferences where enough has been said since the last time."""
        await preference_sync.sync_when_due(self._settings, self._provider)

    async def _reply(self, message: str, session_id: str | None) -> AsyncGenerator[str, None]:
        with closing(database.connect(self._settings.database)) as connection:
            sessions = Sessions(connection)
            session_id = sessions.open(session_id)
            yield stream.session(session_id)
            lock = self._busy.setdefault(session_id, asyncio.Lock())
            async with lock, aclosing(self._turn(connection, sessions, session_id, message)) as lines:
                async for line in lines:
                    yield line

    async def _turn(
        self, connection: sqlite3.Connection, sessions: Sessions, session_id: str, message: str
    ) -> AsyncGenerator[str, None]:
        library = Library(connection)
        system_prompt = get_system_prompt(database.preferences(connection), library.overview(), TOOL_POLICY)
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": system_prompt},
            *_history(sessions, session_id),
            {"role": "user", "content": message},
        ]
        sessions.add(session_id, "user", hint.without(message))
        turn = Turn(self._provider, Toolbox(library, self._settings.search_url), messages, self._settings.tool_rounds)
        status: Status = "failed"
        try:
            async with aclosing(turn.run()) as lines:
                async for line in lines:
                    yield line
            status = "complete"
        finally:
            # Also where the user went away in the middle: what was seen is kept.
            message_id = sessions.add(session_id, "assistant", turn.answer.text, status)
        yield stream.finish(turn.finish_reason, message_id)


def _history(sessions: Sessions, session_id: str) -> list[ChatCompletionMessageParam]:
    said: list[ChatCompletionMessageParam] = []
    for message in sessions.messages(session_id)[-HISTORY:]:
        if message.role == "user":
            said.append({"role": "user", "content": message.content})
        elif message.content:
            said.append({"role": "assistant", "content": message.content})
    return said


def ask(message: str) -> Iterator[str]:
    """The answer to `message`, line by line, from a desk that the environment configures."""
    return errand.lines(lambda settings, provider: Desk(settings, provider).reply(message))
