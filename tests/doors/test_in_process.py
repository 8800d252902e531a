"""The in-process doors together: what a forked child hears, and that nothing else passes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextvars import copy_context

import httpx
import pytest

from tapegate.doors import armed, httpx_door, in_process, threads
from tapegate.doors.current import TAPE
from tapegate.tape.emit import emit
from tapegate.tape.ledger import Ledger
from tapegate.tape.read import read

PROGRAM = """
import sys
from tapegate.doors import in_process

in_process.install()
reported = []
in_process.shut(reported.append)
assert not {"httpx", "httpx2", "aiohttp", "urllib3"} & set(sys.modules), "installing imported a client"

import asyncio
import http.client
import aiohttp, httpx, httpx2, requests, urllib3

def refused(kind, ask):
    try:
        ask()
    except kind as error:
        assert "no tape is set" in str(error), error
    else:
        raise AssertionError(f"{kind} passed")

async def by_aiohttp():
    async with aiohttp.ClientSession() as session:
        await session.get("http://aiohttp.example/")

refused(httpx.ConnectError, lambda: httpx.get("http://httpx.example/"))
refused(httpx2.ConnectError, lambda: httpx2.get("http://httpx2.example/"))
refused(requests.ConnectionError, lambda: requests.get("http://requests.example/"))
refused(urllib3.exceptions.HTTPError, lambda: urllib3.request("GET", "http://urllib3.example/", retries=False))
refused(OSError, lambda: http.client.HTTPConnection("client.example").request("GET", "/"))
refused(aiohttp.ClientConnectorError, lambda: asyncio.run(by_aiohttp()))
print(*reported)
"""

SERVICES = {"openai": "https://api.openai.com/v1", "search": "https://search.example"}
NORMALISER = {"service": "openai", "path": "id", "reason": "made anew in each run"}


@pytest.fixture(autouse=True)
def _disarmed() -> Iterator[None]:
    """Every test leaves this process as it was."""
    httpx_door.install()
    threads.install()
    yield
    armed.disarm()
    TAPE.set(None)


def job(**more) -> dict:
    """What a child is told, as it comes off the wire."""
    told = {"routes": SERVICES, "normalisers": [], "secrets": [], "faults": [], "lanes": {}}
    told |= {"pace": "at_once", "match": "exact"}
    return json.loads(json.dumps({**told, **more}))


@pytest.fixture
def cassette(tapes) -> bytes:
    """A recording of two requests, as its file holds it."""
    made = tapes.cassette(
        tapes.interaction("/chat", b'{"id":"x1","q":1}', b"one"),
        tapes.interaction("/search?q=a", b"", b"two", method="GET", service="search"),
    )
    raw = emit(made)
    assert read(raw, "x") == made
    return raw


def test_a_recording_is_heard_from_its_bytes(cassette):
    """Every declared service at its own address; what is played is in the ledger that the child tells."""
    told = []
    in_process.hear(job(), cassette, Ledger(told.append))
    assert httpx.post("https://api.openai.com/v1/chat", content=b'{"id":"x1","q":1}').text == "one"
    assert httpx.get("https://search.example/search?q=a").text == "two"
    assert told == [{"played": 0}, {"played": 1}]


def test_a_service_is_heard_at_the_url_that_its_variables_hold(cassette):
    """Of the gateway's kind: libraries that look at it ask as they did while recording. Nobody listens there."""
    told = []
    in_process.hear(job(), cassette, Ledger(told.append))
    assert in_process.url("openai") == "http://127.0.0.1:18400/inside/openai"
    answer = httpx.post(f"{in_process.url('openai')}/chat", content=b'{"id":"x1","q":1}', trust_env=False)
    assert answer.text == "one"
    with pytest.raises(httpx.ConnectError, match="no service"):
        httpx.get(f"{in_process.url('other')}/chat", trust_env=False)
    assert told == [{"played": 0}, {"network": "127.0.0.1:18400"}]


def test_matching_knows_normalisers_and_marks(cassette):
    """As at the gateway: volatile fields are declared, and a mark counts as the value that it stands for."""
    ledger = Ledger()
    in_process.hear(job(normalisers=[NORMALISER], secrets=["KEY"]), cassette, ledger)
    assert httpx.post("https://api.openai.com/v1/chat", content=b'{"id":"x2","q":1}').text == "one"
    assert httpx.post("https://api.openai.com/v1/chat", content=b'{"id":"x2","q":1}').status_code == 424
    assert ledger.has_missed


def test_threads_hear_it_too(cassette):
    """A thread that the agent starts is the agent."""
    in_process.hear(job(), cassette, Ledger())
    found = []
    thread = threading.Thread(target=lambda: found.append(httpx.get("https://search.example/search?q=a").text))
    thread.start()
    thread.join()
    assert found == ["two"]


def test_another_address_is_refused_and_told(cassette):
    """An address that no service declares, while a tape is heard."""
    ledger = Ledger()
    in_process.hear(job(), cassette, ledger)
    with pytest.raises(httpx.ConnectError, match=r"no service in evals/tapegate\.yaml has this address"):
        httpx.get("https://elsewhere.example/x")
    assert ledger.addresses == ["elsewhere.example:443"]


def test_shut_without_a_tape_nothing_passes():
    """While an agent is imported it hears no tape: what it tries is refused and told, also at a declared address."""
    told: list[str] = []
    in_process.shut(told.append)
    for url in ("https://api.openai.com/v1/chat", "http://127.0.0.1:9/x"):
        with pytest.raises(httpx.ConnectError, match="no tape is set"):
            copy_context().run(httpx.get, url)
    assert told == ["api.openai.com:443", "127.0.0.1:9"]


def test_a_recording_that_cannot_be_read_is_refused(cassette):
    """A child that gets other bytes than the harness verified does not start to answer."""
    from tapegate.errors import CassetteError

    with pytest.raises(CassetteError):
        in_process.hear(job(), cassette[: len(cassette) // 2], Ledger())
    assert TAPE.get() is None


def test_every_client_is_behind_a_door(monkeypatch):
    """Installed before any client is imported, in a process that is shut: none passes, each is named."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    hosts = ("httpx", "httpx2", "requests", "urllib3", "client", "aiohttp")
    assert done.stdout.split() == [f"{host}.example:80" for host in hosts]
