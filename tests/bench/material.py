"""What is measured with: recordings of many requests that differ, and of their answers."""

from __future__ import annotations

from question import body

from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.routes import Route, Routes

ADDRESS = "https://model.example/v1"
URL = f"{ADDRESS}/chat"
ROUTES = Routes({"model": Route("model", ADDRESS, ADDRESS)})
JSON = {"content-type": ("application/json",)}


def answer(number: int) -> bytes:
    """Its answer, of a length that varies."""
    return b'{"choices":[{"message":{"content":"%d %b"}}]}' % (number, b"hi " * (50 + number % 100))


def cassette(count: int, size: int = 4_000) -> Cassette:
    """A cassette of `count` requests of about `size` bytes."""
    return _cassette(
        Interaction(
            "model",
            Request("POST", URL, dict(JSON), body(number, size)),
            Response(200, "OK", dict(JSON), answer(number)),
            Chunks(number, (len(answer(number)),), (number + 1,), number + 2),
        )
        for number in range(count)
    )


def streams(count: int, chunks: int) -> Cassette:
    """A cassette of `count` small requests, each answered by a stream of `chunks`."""
    piece = b'data: {"choices":[{"delta":{"content":"word "}}]}\n\n'
    cut = (len(piece),) * chunks
    headers = {"content-type": ("text/event-stream",)}
    return _cassette(
        Interaction(
            "model",
            Request("POST", URL, dict(JSON), body(number, 200)),
            Response(200, "OK", headers, piece * chunks),
            Chunks(0, cut, tuple(range(chunks)), chunks),
        )
        for number in range(count)
    )


def _cassette(interactions) -> Cassette:
    stream = AgentStream("text", b"hi", Chunks(0, (2,), (1,), 2))
    made = Provenance("bench", "2026-01-01T00:00:00Z", "none", "none", "bench", "scripted", "made for a benchmark")
    return Cassette("BENCH-01@A1", 1, made, stream, tuple(interactions))
