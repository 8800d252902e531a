"""GitHub as the stand-in serves it, with a clock of its own, and runs to tell it of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from github_server import GitHubServer
from reported import failed, make_finding, make_task, passed

from tapegate.github.client import Client
from tapegate.github.patience import Patience
from tapegate.github.place import Place

__all__ = ["failed", "make_finding", "make_task", "passed"]
"""Fixtures of these tests, too."""


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Now, in seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Pass it."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    """A clock that nobody waits for."""
    return Clock()


@pytest.fixture(scope="module")
def one_server() -> Iterator[GitHubServer]:
    """A server that a module's tests share, one after the other."""
    server = GitHubServer()
    yield server
    server.close()


@pytest.fixture
def server(one_server: GitHubServer) -> Iterator[GitHubServer]:
    """A GitHub as new; every request of the test must have been one that GitHub documents."""
    one_server.fresh()
    yield one_server
    assert one_server.problems == []


Connect = Callable[..., Client]


@pytest.fixture
def connect(server: GitHubServer, clock: Clock) -> Iterator[Connect]:
    """Makes a client with a token that has these permissions."""
    with ExitStack() as stack:

        def made(token: str = "ghs_default", **may: str) -> Client:
            if token not in server.tokens:
                server.token(token, **may)
            patience = Patience(elapsed=clock, now=clock, sleep=clock.sleep)
            return stack.enter_context(Client(Place.of(server.environ), token, patience))

        yield made
