"""Running one agent from code without an event loop: as the environment says, its answer line by line."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing

from paperdesk import stream
from paperdesk.database import DatabaseError
from paperdesk.provider import Provider, ProviderError
from paperdesk.settings import Settings, SettingsError

Agent = Callable[[Settings, Provider], AsyncGenerator[str, None]]


def lines(agent: Agent) -> Iterator[str]:
    """The lines of `agent`, which the environment configures; what goes wrong is among them.

    The loop it runs takes over the caller's context variables.
    """
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        yield from _failed(str(error))
        return
    provider = Provider(settings)
    with asyncio.Runner() as runner:
        said = told(agent(settings, provider))
        try:
            while (line := runner.run(_next(said))) is not None:
                yield line
        finally:
            runner.run(said.aclose())
            runner.run(provider.close())


async def told(said: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The lines of an agent; what provider or library raise becomes an error line, and the finish."""
    try:
        async with aclosing(said):
            async for line in said:
                yield line
    except ProviderError as error:
        problem = str(error)
    except (DatabaseError, sqlite3.Error) as error:
        problem = f"The library cannot be used: {error}"
    else:
        return
    for line in _failed(problem):
        yield line


async def _next(said: AsyncGenerator[str, None]) -> str | None:
    return await anext(said, None)


def _failed(problem: str) -> Iterator[str]:
    yield stream.error(problem)
    yield stream.finish("error")
