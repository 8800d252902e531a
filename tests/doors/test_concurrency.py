"""What vcrpy 9.4.2 gets wrong when several agents run at once, repeated here with every client that has a door.

Measured there: two contexts in two threads or tasks mix their answers; `requests` in eight threads goes to the live
network in 87 of 240 requests although `record_mode` is `none`; contexts that do not end in the order of their
beginnings leave a patch behind.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import aiohttp
import httpx
import httpx2
import pytest
import requests

from tapegate.doors import aiohttp_door, http_client_door, httpx_door, threads
from tapegate.doors.current import Heard, hearing
from tapegate.tape.routes import Route, Routes

AGENTS, TURNS = 8, 30


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Every door is in. No proxy of this machine takes part."""
    for door in (httpx_door, http_client_door, aiohttp_door, threads):
        door.install()
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def by_urllib(url, body):
    with urllib.request.urlopen(urllib.request.Request(url, body, method="POST"), timeout=20) as response:
        return response.read()


SYNC = {
    "requests": lambda url, body: requests.post(url, data=body, timeout=20).content,
    "urllib": by_urllib,
    "httpx": lambda url, body: httpx.post(url, content=body, trust_env=False, verify=False).content,
    "httpx2": lambda url, body: httpx2.post(url, content=body, trust_env=False, verify=False).content,
}


async def by_aiohttp(session, url, body):
    async with session.post(url, data=body) as response:
        return await response.read()


ASYNC = {
    "aiohttp": (aiohttp.ClientSession, by_aiohttp),
    "httpx": (httpx.AsyncClient, None),
    "httpx2": (httpx2.AsyncClient, None),
}


class Live:
    """A provider that is really there, at the declared address, and counts who reaches it."""

    def __init__(self, provide, tapes):
        self.provider = provide(lambda call: call.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlive"))
        self.url = self.provider.url
        tapes.routes = Routes({"openai": Route("openai", self.url, self.url)})
        self.tapes = tapes

    def players(self):
        """A tape for each agent: the same requests everywhere, another answer for each."""
        return [
            self.tapes.player(
                *(
                    self.tapes.interaction("/q", b"%d" % turn, json.dumps([agent, turn]).encode())
                    for turn in range(TURNS)
                )
            )
            for agent in range(AGENTS)
        ]

    @property
    def hits(self):
        return len(self.provider.calls)


@pytest.fixture
def live(provide, tapes):
    """A live provider behind the declared address."""
    return Live(provide, tapes)


OWN = [[[agent, turn] for turn in range(TURNS)] for agent in range(AGENTS)]


@pytest.mark.parametrize("client", SYNC)
def test_contexts_in_threads_do_not_mix(client, live):
    """Eight threads ask the same at the same time: each hears its own tape, and the live provider nobody."""
    players, together = live.players(), threading.Barrier(AGENTS)

    def agent(number):
        together.wait()
        with hearing(Heard(players[number], live.tapes.routes)):
            return [json.loads(SYNC[client](f"{live.url}/q", b"%d" % turn)) for turn in range(TURNS)]

    with ThreadPoolExecutor(AGENTS) as pool:
        assert list(pool.map(agent, range(AGENTS))) == OWN
    assert all(player.account.complete for player in players)
    assert live.hits == 0


@pytest.mark.parametrize("client", ASYNC)
def test_contexts_in_tasks_do_not_mix(client, live):
    """The same with tasks that take turns on one shared session."""
    players = live.players()
    new_session, post = ASYNC[client]

    async def ask(session, body):
        if post is not None:
            return await post(session, f"{live.url}/q", body)
        return (await session.post(f"{live.url}/q", content=body)).content

    async def agent(session, number):
        with hearing(Heard(players[number], live.tapes.routes)):
            answers = []
            for turn in range(TURNS):
                answers.append(json.loads(await ask(session, b"%d" % turn)))
                await asyncio.sleep(0)
            return answers

    async def all_at_once():
        async with new_session() as session:
            return await asyncio.gather(*(agent(session, number) for number in range(AGENTS)))

    assert asyncio.run(all_at_once()) == OWN
    assert all(player.account.complete for player in players)
    assert live.hits == 0


@pytest.mark.parametrize("shared", [False, True])
def test_requests_in_eight_threads_never_goes_live(shared, live):
    """240 requests, each second one a miss, on one session or on eight: all misses are refused, none is sent."""
    players, together = live.players(), threading.Barrier(AGENTS)
    one = requests.Session()

    def agent(number):
        session = one if shared else requests.Session()
        together.wait()
        with hearing(Heard(players[number], live.tapes.routes)):
            answers = []
            for turn in range(TURNS):
                body = b"%d" % turn if turn % 2 else b"never recorded %d" % turn
                answers.append(session.post(f"{live.url}/q", data=body, timeout=20))
            return [(answer.status_code, answer.content if turn % 2 else b"") for turn, answer in enumerate(answers)]

    with ThreadPoolExecutor(AGENTS) as pool:
        heard = list(pool.map(agent, range(AGENTS)))
    assert heard == [
        [(200, json.dumps([number, turn]).encode()) if turn % 2 else (424, b"") for turn in range(TURNS)]
        for number in range(AGENTS)
    ]
    assert [len(player.account.misses) for player in players] == [TURNS // 2] * AGENTS
    assert live.hits == 0


@pytest.mark.parametrize("client", SYNC)
def test_contexts_that_end_out_of_order_leave_nothing_behind(client, live):
    """First in, first out: afterwards the client is its own again, and reaches the provider."""
    first, second = live.players()[:2]
    ask = lambda: SYNC[client](f"{live.url}/q", b"0")  # noqa: E731
    contexts = [contextvars.copy_context(), contextvars.copy_context()]
    stacks = [ExitStack(), ExitStack()]
    for context, stack, player in zip(contexts, stacks, (first, second), strict=True):
        context.run(stack.enter_context, hearing(Heard(player, live.tapes.routes)))
    assert contexts[0].run(ask) == b"[0, 0]"
    contexts[0].run(stacks[0].close)
    assert contexts[1].run(ask) == b"[1, 0]"
    contexts[1].run(stacks[1].close)
    assert ask() == b"live"
    assert [context.run(ask) for context in contexts] == [b"live", b"live"]
    assert live.hits == 3


def test_what_an_agent_starts_hears_its_tape(live):
    """Threads, executors, timers and loops that eight agents start at the same time, whatever client they ask with."""
    players, together = live.players(), threading.Barrier(AGENTS)
    clients = list(SYNC.values())

    def turns(start, count):
        return [json.loads(clients[turn % 4](f"{live.url}/q", b"%d" % turn)) for turn in range(start, start + count)]

    async def later(start):
        loop = asyncio.get_running_loop()
        in_executor = await loop.run_in_executor(None, turns, start, 5)
        in_thread = await asyncio.to_thread(turns, start + 5, 4)
        async with aiohttp.ClientSession() as session:
            return [
                *in_executor,
                *in_thread,
                json.loads(await by_aiohttp(session, f"{live.url}/q", b"%d" % (start + 9))),
            ]

    def agent(number):
        together.wait()
        with hearing(Heard(players[number], live.tapes.routes)):
            answers = []
            thread = threading.Thread(target=lambda: answers.extend(turns(0, 5)))
            thread.start()
            thread.join()
            timer = threading.Timer(0, lambda: answers.extend(turns(5, 5)))
            timer.start()
            timer.join()
            with ThreadPoolExecutor(3) as own:
                answers += [answer for part in own.map(turns, range(10, 20), [1] * 10) for answer in part]
            return answers + asyncio.run(later(20))

    with ThreadPoolExecutor(AGENTS) as pool:
        assert list(pool.map(agent, range(AGENTS))) == OWN
    assert all(player.account.complete for player in players)
    assert live.hits == 0
