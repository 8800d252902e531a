"""Finding one of n recorded requests through httpx and httpx2, redaction on, in an armed process.

Each peer matches on method, URL and body. Bodies are made anew for every round: nobody finds a hash from before;
building an index, a dict or a client is not part of a look-up and is measured apart.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import httpx2
from material import ROUTES, URL, answer, cassette
from measured import Measured, of_times

from tapegate.doors import armed, httpx_door
from tapegate.doors.current import Heard, hearing, outside
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.redact import Redactor

BATCH = 100
REDACTOR = Redactor({"OPENAI_API_KEY": "", "SEARCH_TOKEN": ""})
JSON = {"content-type": "application/json"}


def lookups() -> list[Measured]:
    """Against a dict behind MockTransport, from 10 to 10,000 requests of 4 and of 100 kB; then against the others."""
    httpx_door.install()
    armed.arm(lambda address: None)
    rows = []
    for client in (httpx, httpx2):
        for count, size in (
            (10, 4_000),
            (100, 4_000),
            (1_000, 4_000),
            (10_000, 4_000),
            (10, 100_000),
            (1_000, 100_000),
        ):
            rows.append(_beside_a_dict(client, count, size))
    rows.append(_beside_a_dict(httpx2, 10_000, 100_000, rounds=1))
    return [*rows, *_beside_others(), _clients()]


def _post(client: Any, recorded: Iterable[bytes]) -> float:
    """Ask for each of `recorded`; the CPU seconds that takes, without what it takes to make the bytes anew."""
    spent, bodies = 0.0, list(recorded)
    for first in range(0, len(bodies), BATCH):
        fresh = [bytes(memoryview(data)) for data in bodies[first : first + BATCH]]
        start = time.thread_time()
        for content in fresh:
            client.post(URL, content=content)
        spent += time.thread_time() - start
    return spent


def _ours(client: ModuleType, tape: Cassette) -> float:
    player = Player(tape, ROUTES, Ledger(), redactor=REDACTOR)
    with hearing(Heard(player, ROUTES)), client.Client() as session:
        spent = _post(session, (one.request.body for one in tape.interactions))
    assert len(player.ledger.played_places) == len(tape.interactions)
    return spent


def _beside_a_dict(client: ModuleType, count: int, size: int, rounds: int = 5) -> Measured:
    tape = cassette(count, size)
    answers = {("POST", URL, one.request.body): one.response.body for one in tape.interactions}

    def handler(request: Any) -> Any:
        return client.Response(200, content=answers[request.method, str(request.url), request.content], headers=JSON)

    repeats = max(1, 200 // count)

    def other() -> float:
        with client.Client(transport=client.MockTransport(handler)) as session:
            return sum(_post(session, (one.request.body for one in tape.interactions)) for _ in range(repeats))

    def ours() -> float:
        return sum(_ours(client, tape) for _ in range(repeats))

    mine, theirs, ratio = of_times(ours, other, rounds)
    done = count * repeats
    what = f"look up one of {count:,} requests of {size // 1000} kB through {client.__name__}"
    return Measured(what, f"{done / mine:,.0f}/s", f"a dict behind MockTransport {done / theirs:,.0f}/s", ratio)


def _beside_others() -> Iterator[Measured]:
    """What looks at one recording after the other gets as few requests as it takes to see its pace."""
    count = 1_000
    tape = cassette(count)
    mine = min(_ours(httpx, tape) for _ in range(3)) / count
    asked = [one.request.body for one in tape.interactions]
    for name, opened, requests in (
        ("cassetter", _cassetter, asked[::5]),
        ("respx", _respx, asked[::20]),
        ("pytest-httpx", _pytest_httpx, asked[::20]),
        ("vcrpy", _vcrpy, asked[::250]),
    ):
        with outside(), opened(tape) as session:
            theirs = _post(session, requests) / len(requests)
        what = f"look up one of {count:,} requests of 4 kB through httpx"
        yield Measured(what, f"{1 / mine:,.0f}/s", f"{name} {1 / theirs:,.1f}/s", theirs / mine)


@contextmanager
def _cassetter(tape: Cassette) -> Iterator[httpx.Client]:
    import cassetter

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tape.yaml"
        made = cassetter.Cassette(path, record_mode=cassetter.RecordMode.ALL)
        made.load()
        headers = {"content-type": ["application/json"]}
        for one in tape.interactions:
            made.record("POST", URL, headers, one.request.body, 200, headers, one.response.body)
        made.save()
        with (
            cassetter.use_cassette(path, record_mode="none", match_on=["method", "uri", "body"], intercept=["httpx"]),
            httpx.Client() as session,
        ):
            yield session


@contextmanager
def _respx(tape: Cassette) -> Iterator[httpx.Client]:
    import respx

    with respx.mock(assert_all_called=False) as router, httpx.Client() as session:
        for number, one in enumerate(tape.interactions):
            router.post(URL, content=one.request.body).respond(200, content=answer(number), headers=JSON)
        yield session


@contextmanager
def _pytest_httpx(tape: Cassette) -> Iterator[httpx.Client]:
    from pytest_httpx._httpx_mock import HTTPXMock
    from pytest_httpx._options import _HTTPXMockOptions

    mock = HTTPXMock(_HTTPXMockOptions(assert_all_responses_were_requested=False))
    for one in tape.interactions:
        mock.add_response(method="POST", url=URL, match_content=one.request.body, content=one.response.body)
    transport = httpx.MockTransport(lambda request: mock._handle_request(None, request))
    with httpx.Client(transport=transport) as session:
        yield session


@contextmanager
def _vcrpy(tape: Cassette) -> Iterator[httpx.Client]:
    import vcr

    logging.getLogger("vcr").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tape.yaml"
        path.write_bytes(emit(tape))
        with (
            vcr.use_cassette(str(path), record_mode="none", match_on=["method", "uri", "body"]),
            httpx.Client() as session,
        ):
            yield session


def _clients() -> Measured:
    """A client for each trial: no certificates are loaded for it."""
    with outside():
        pass

    def built() -> float:
        start = time.thread_time()
        for _ in range(20):
            httpx.Client().close()
        return (time.thread_time() - start) / 20

    def plain() -> float:
        armed.disarm()
        try:
            return built()
        finally:
            armed.arm(lambda address: None)

    mine, theirs, ratio = of_times(built, plain, rounds=3)
    return Measured(
        "build an httpx client", f"{mine * 1e3:.2f} ms", f"with its certificates {theirs * 1e3:.1f} ms", ratio
    )
