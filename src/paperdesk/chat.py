"""Paperdesk's chat: a message in, the answer as lines of the dialect `mixed` out, both kept in the session."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from weakref import WeakValueDictionary

from openai.types.chat import ChatCompletionMessageParam

from paperdesk import database, stream
from paperdesk.library import Library
from paperdesk.policy import TOOL_POLICY
from paperdesk.prompt import get_system_prompt
from paperdesk.provider import Provider, ProviderError
from paperdesk.sessions import Sessions, Status
from paperdesk.settings import Settings, SettingsError
from paperdesk.tools import Toolbox
from paperdesk.turn import Turn

HISTORY = 20
"""So many earlier messages of a session are given to the model."""


class Desk:
    """Answers messages. One a process; turns of the same session follow one another."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._provider = Provider(settings)
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self._provider.close()

    async def reply(self, message: str, session_id: str | None = None) -> AsyncGenerator[str, None]:
        """The answer to `message`, line by line; in a new session unless one is named.

        Never raises for what the provider, a tool or the library does: the lines say it, and end with `finish`.
        """
        try:
            with closing(database.connect(self._settings.database)) as connection:
                sessions = Sessions(connection)
                session_id = sessions.open(session_id)
                yield stream.session(session_id)
                lock = self._busy.setdefault(session_id, asyncio.Lock())
                async with lock, aclosing(self._turn(connection, sessions, session_id, message)) as lines:
                    async for line in lines:
                        yield line
        except (database.DatabaseError, sqlite3.Error) as error:
            yield stream.error(f"The library cannot be used: {error}")
            yield stream.finish("error")

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
        sessions.add(session_id, "user", message)
        turn = Turn(self._provider, Toolbox(library, self._settings.search_url), messages, self._settings.tool_rounds)
        status: Status = "failed"
        problem = None
        try:
            async with aclosing(turn.run()) as lines:
                async for line in lines:
                    yield line
            status = "complete"
        except ProviderError as error:
            problem = str(error)
        finally:
            # Also where the user went away in the middle: what was seen is kept.
            message_id = sessions.add(session_id, "assistant", turn.answer.text, status)
        if problem is None:
            yield stream.finish(turn.finish_reason, message_id)
        else:
            yield stream.error(problem)
            yield stream.finish("error")


def _history(sessions: Sessions, session_id: str) -> list[ChatCompletionMessageParam]:
    said: list[ChatCompletionMessageParam] = []
    for message in sessions.messages(session_id)[-HISTORY:]:
        if message.role == "user":
            said.append({"role": "user", "content": message.content})
        elif message.content:
            said.append({"role": "assistant", "content": message.content})
    return said


async def _next(lines: AsyncGenerator[str, None]) -> str | None:
    return await anext(lines, None)


def ask(message: str) -> Iterator[str]:
    """The answer to `message`, line by line, from a desk that the environment configures.

    For callers without an event loop. The loop it runs takes over the caller's context variables.
    """
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        yield stream.error(str(error))
        yield stream.finish("error")
        return
    desk = Desk(settings)
    with asyncio.Runner() as runner:
        lines = desk.reply(message)
        try:
            while (line := runner.run(_next(lines))) is not None:
                yield line
        finally:
            runner.run(lines.aclose())
            runner.run(desk.close())
