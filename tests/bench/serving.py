"""The gateway in replay, asked by two raw clients at once, beside servers that answer without a recording.

Three processes on a few shared cores get in each other's way, so two things are measured: answers a second as they
come, and answers a second of the serving thread's CPU, of which the ratio is made.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from aiohttp import web
from material import ROUTES, answer, cassette, streams
from measured import Measured, of_times

from tapegate.doors.gateway import Gateway
from tapegate.tape.cassette import Cassette
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player

CLIENTS = 2
SMALL = 200
"""Bytes of a small request, about."""
PIECE = b'data: {"choices":[{"delta":{"content":"word "}}]}\n\n'


def serving() -> list[Measured]:
    """Small replays, and streams of 200 chunks."""
    small, streamed = 8_000, 2_000
    rows = []
    with Gateway() as gateway:
        for what, tape, count in (
            ("small replays through the gateway, two raw clients", cassette(small, SMALL), small),
            ("replayed streams of 200 chunks, two raw clients", streams(streamed, 200), streamed),
        ):
            for name, served in (("aiohttp.web", _aiohttp), ("uvicorn", _uvicorn)):
                with served(200 if tape.interactions[0].chunks.sizes[1:] else 0) as (port, thread):
                    ours, others = _Rate(count), _Rate(count)
                    _, _, ratio = of_times(
                        lambda tape=tape, count=count, ours=ours: _replayed(gateway, tape, count, ours),
                        lambda port=port, thread=thread, others=others: others.driven(port, "/chat", thread),
                        rounds=3,
                    )
                rows.append(Measured(what, str(ours), f"{name} {others}", ratio))
    return rows


class _Rate:
    """The best of all runs of `count` requests."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.wall = self.cpu = float("inf")

    def __str__(self) -> str:
        return f"{self.count / self.wall:,.0f}/s, {self.count / self.cpu:,.0f} a CPU second"

    def driven(self, port: int, path: str, server: threading.Thread) -> float:
        """Seconds of the serving thread's CPU."""
        clock = time.pthread_getcpuclockid(server.ident)
        wall, start, end = _driven(port, path, self.count, lambda: time.clock_gettime(clock))
        self.wall, self.cpu = min(self.wall, wall), min(self.cpu, end - start)
        return end - start


def _replayed(gateway: Gateway, tape: Cassette, count: int, rate: _Rate) -> float:
    player = Player(tape, ROUTES, Ledger())
    lane = gateway.open(player, ROUTES)
    try:
        spent = rate.driven(gateway.port, f"/{lane.id}/model/chat", gateway._thread)
    finally:
        lane.close()
    assert len(player.ledger.played_places) == count
    return spent


def _driven(port: int, path: str, count: int, clock: Callable[[], float]) -> tuple[float, float, float]:
    """Seconds until the slower of two clients has its half, and `clock` before and after."""
    each = count // CLIENTS
    program = str(Path(__file__).with_name("raw_client.py"))
    clients = [
        subprocess.Popen(
            [sys.executable, program, str(port), path, str(number * each), str(each), str(SMALL)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(CLIENTS)
    ]
    for client in clients:
        assert client.stdout.readline() == "ready\n"
    start = clock()
    for client in clients:
        client.stdin.write("go\n")
        client.stdin.flush()
    wall = max(float(client.communicate()[0]) for client in clients)
    return wall, start, clock()


@contextmanager
def _uvicorn(chunks: int) -> Iterator[tuple[int, threading.Thread]]:
    data = answer(0)

    async def plain(scope: dict[str, object], receive: Callable[..., object], send: Callable[..., object]) -> None:
        """The least that an application can answer."""
        if scope["type"] != "http":
            return
        length = [] if chunks else [(b"content-length", str(len(data)).encode())]
        headers = [(b"content-type", b"application/json"), *length]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for _ in range(chunks):
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
        await send({"type": "http.response.body", "body": b"" if chunks else data})

    server = uvicorn.Server(uvicorn.Config(plain, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1], thread
    server.should_exit = True
    thread.join()


@contextmanager
def _aiohttp(chunks: int) -> Iterator[tuple[int, threading.Thread]]:
    data = answer(0)

    async def plain(request: web.Request) -> web.StreamResponse:
        await request.read()
        if not chunks:
            return web.Response(body=data, content_type="application/json")
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(chunks):
            await response.write(PIECE)
        await response.write_eof()
        return response

    started = threading.Event()
    loop = asyncio.new_event_loop()
    ports: list[int] = []

    async def open_site() -> web.AppRunner:
        app = web.Application(client_max_size=1 << 24)
        app.router.add_post("/chat", plain)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ports.append(site._server.sockets[0].getsockname()[1])
        return runner

    def run() -> None:
        runner = loop.run_until_complete(open_site())
        started.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    started.wait()
    yield ports[0], thread
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
