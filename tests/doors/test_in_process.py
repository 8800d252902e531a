"""The in-process doors together."""

from __future__ import annotations

import subprocess
import sys

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


def test_every_client_is_behind_a_door(monkeypatch):
    """Installed before any client is imported, in a process that is shut: none passes, each is named."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    hosts = ("httpx", "httpx2", "requests", "urllib3", "client", "aiohttp")
    assert done.stdout.split() == [f"{host}.example:80" for host in hosts]
