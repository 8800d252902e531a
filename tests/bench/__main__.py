"""`make bench`: what Tapegate does, measured beside what others do, as ratios within one run.

Absolute times depend on the machine and its load; ratios of things measured in turns, in one process, hardly do.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import httpx2
import uvicorn
import yaml

from tapegate.doors import httpx_door
from tapegate.doors.current import Heard, hearing
from tapegate.doors.gateway import Gateway
from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.emit import emit
from tapegate.tape.ledger import Ledger
from tapegate.tape.player import Player
from tapegate.tape.read import read
from tapegate.tape.routes import Route, Routes

ROUNDS = 5
ADDRESS = "https://model.example/v1"
ROUTES = Routes({"model": Route("model", ADDRESS, ADDRESS)})
ANSWER = b'{"choices":[{"message":{"content":"' + b"hi " * 100 + b'"}}]}'


@dataclass(frozen=True, slots=True)
class Measured:
    """One comparison."""

    what: str
    ours: str
    other: str
    ratio: float
    """Ours over the other's, of work done in the same time: above 1 is faster."""


def body(number: int, size: int = 4_000) -> bytes:
    """A request of about `size` bytes that differs from all others."""
    turns = [{"role": "user", "content": f"question {number} " + "x" * size}]
    return json.dumps({"model": "m", "messages": turns}).encode()


def cassette(count: int, size: int = 4_000) -> Cassette:
    """A cassette of `count` small interactions."""
    headers = {"content-type": ("application/json",)}
    interactions = tuple(
        Interaction(
            "model",
            Request("POST", f"{ADDRESS}/chat", headers, body(number, size)),
            Response(200, "OK", headers, ANSWER),
            Chunks(number, (len(ANSWER),), (number + 1,), number + 2),
        )
        for number in range(count)
    )
    stream = AgentStream("text", b"hi", Chunks(0, (2,), (1,), 2))
    made = Provenance("bench", "2026-01-01T00:00:00Z", "none", "none", "bench", "scripted", "made for a benchmark")
    return Cassette("BENCH-01@A1", 1, made, stream, interactions)


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes, once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, float, float]:
    """The median times of both, taken in turns, and the median of their ratios."""
    ours(), other()
    pairs = [(seconds(ours), seconds(other)) for _ in range(ROUNDS)]
    mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    return mine, theirs, statistics.median(second / first for first, second in pairs)


def reading() -> list[Measured]:
    """A cassette from cold bytes with its sha256, against PyYAML's C loader and against the sha256 alone."""
    raw = emit(cassette(500))

    def ours() -> object:
        return hashlib.sha256(raw).digest(), read(raw, "bench")

    megabytes = len(raw) / 1e6
    rows = []
    for name, other in (
        ("CSafeLoader", lambda: yaml.load(raw, Loader=yaml.CSafeLoader)),
        ("sha256 alone", lambda: hashlib.sha256(raw).digest()),
    ):
        mine, theirs, ratio = in_turns(ours, other)
        what = f"load a cassette of {megabytes:.1f} MB"
        rows.append(Measured(what, f"{megabytes / mine:,.0f} MB/s", f"{name} {megabytes / theirs:,.0f} MB/s", ratio))
    return rows


def lookups() -> list[Measured]:
    """Requests through httpx2 and the in-process door, against a dict behind its MockTransport."""
    httpx_door.install()
    rows = []
    for count in (100, 1_000, 10_000):
        tape = cassette(count)
        bodies = [body(number) for number in range(count)]
        answers = dict.fromkeys(bodies, ANSWER)

        def handler(request: httpx2.Request, answers: dict[bytes, bytes] = answers) -> httpx2.Response:
            return httpx2.Response(200, content=answers[request.content], headers={"content-type": "application/json"})

        def ours(tape: Cassette = tape, bodies: list[bytes] = bodies) -> None:
            player = Player(tape, ROUTES, Ledger())
            with hearing(Heard(player, ROUTES)), httpx2.Client(verify=False) as client:
                for content in bodies:
                    client.post(f"{ADDRESS}/chat", content=content)

        def other(bodies: list[bytes] = bodies, handler: Callable[..., httpx2.Response] = handler) -> None:
            with httpx2.Client(transport=httpx2.MockTransport(handler)) as client:
                for content in bodies:
                    client.post(f"{ADDRESS}/chat", content=content)

        mine, theirs, ratio = in_turns(ours, other)
        what = f"look up one of {count:,} requests through httpx2"
        rows.append(
            Measured(what, f"{count / mine:,.0f}/s", f"dict behind MockTransport {count / theirs:,.0f}/s", ratio)
        )
    return rows


async def plain(scope: dict[str, object], receive: Callable[..., object], send: Callable[..., object]) -> None:
    """The least that a server can answer, for uvicorn."""
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[misc]
    await send({"type": "http.response.body", "body": ANSWER})  # type: ignore[misc]


def gateway() -> list[Measured]:
    """Small replayed requests over one keep-alive connection, against uvicorn with an application that does nothing."""
    count = 2_000
    tape = cassette(count, 200)
    bodies = [body(number, 200) for number in range(count)]
    server = uvicorn.Server(uvicorn.Config(plain, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    def drive(port: int, path: str) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for content in bodies:
            connection.request("POST", path, content)
            connection.getresponse().read()
        connection.close()

    with Gateway() as open_gateway:

        def ours() -> None:
            lane = open_gateway.open(Player(tape, ROUTES, Ledger()), ROUTES)
            drive(open_gateway.port, lane.url("model").partition(f":{open_gateway.port}")[2] + "/chat")
            lane.close()

        mine, theirs, ratio = in_turns(ours, lambda: drive(port, "/chat"))
    server.should_exit = True
    thread.join()
    what = f"{count:,} small replays through the gateway, http.client"
    return [Measured(what, f"{count / mine:,.0f}/s", f"uvicorn {count / theirs:,.0f}/s", ratio)]


def starting() -> list[Measured]:
    """`tapegate --version`, against an interpreter that does nothing."""

    def ours() -> object:
        return subprocess.run([sys.executable, "-m", "tapegate", "--version"], check=True, capture_output=True)

    def other() -> object:
        return subprocess.run([sys.executable, "-c", "pass"], check=True, capture_output=True)

    mine, theirs, ratio = in_turns(ours, other)
    return [Measured("tapegate --version", f"{mine * 1000:.0f} ms", f"bare Python {theirs * 1000:.0f} ms", ratio)]


TASK = """\
id: T-{number}
suite: bench
path_id: P1
mode: single_turn
input: What is known of gates?
expect:
  required_invariants: [no_hidden_tag_leak, no_private_path_leak]
  accepted_outcomes:
    - allowed_first_tools: [search_local, read_paper]
      required_slots: {{citations_local_min: 1}}
  forbidden_patterns: [<thinking>, <private>]
grading:
  deterministic_metrics: [tool_trace, citation_contract, output_hygiene]
"""
PROJECT = """\
version: 1
paths: {P1: {title: Main prompt, status: active, files: [agent.py], subject: desk}}
subjects: {desk: {kind: python, entry: "agent:answer", stream: text}}
"""
TASKS = 5_000


def linting() -> list[Measured]:
    """`tapegate lint` over many tasks, beside reading their YAML with the C loader and doing nothing with it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        suite = root / "evals" / "bench"
        suite.mkdir(parents=True)
        (root / "agent.py").touch()
        (root / "evals" / "tapegate.yaml").write_text(PROJECT)
        for number in range(TASKS):
            (suite / f"T-{number}@P1.yaml").write_text(TASK.format(number=number))
        words = [sys.executable, "-m", "tapegate", "lint", "--quiet", "-C", folder]

        def ours() -> object:
            return subprocess.run(words, check=True)

        def other() -> object:
            return [yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader) for path in suite.iterdir()]

        mine, theirs, ratio = in_turns(ours, other)
    return [Measured(f"lint {TASKS:,} tasks", f"{mine:.1f} s", f"CSafeLoader alone {theirs:.1f} s", ratio)]


def main() -> None:
    """Measure and print one table."""
    rows = [*reading(), *lookups(), *gateway(), *starting(), *linting()]
    print("| work | Tapegate | beside it | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {row.what} | {row.ours} | {row.other} | {row.ratio:.2f} |")


if __name__ == "__main__":
    main()
