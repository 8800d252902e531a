"""Cassettes to test with: one that reads like the real thing, and any at all."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tapegate.tape.cassette import (
    AgentStream,
    Cassette,
    Chunks,
    Headers,
    Interaction,
    Provenance,
    Request,
    Response,
)
from tapegate.tape.routes import Route, Routes
from tapegate.tape.store import write

HOSTILE = [
    *" \n\t\r\"\\':#-|>&*!%@`{}[],?0~ab",
    *("\x00", "\x07", "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"),
    *("é", "日", "😀", "\U0010ffff", "data: ", "\n\n", "\r\n", "null", "true", "1e5", "2026-01-01", "=", "<<"),
    *("\\u", "---"),
]  # fmt: skip
"""What YAML gives a meaning to."""

TEXT = st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join) | st.text(max_size=20)
BLOCK = st.text(alphabet='ab \n\tcdé😀{}"\\:#-|>', max_size=60).map(lambda text: f"x{text}")
BODY = st.binary(max_size=300) | TEXT.map(str.encode) | BLOCK.map(str.encode)
HEADERS = st.dictionaries(TEXT, st.lists(TEXT, max_size=3).map(tuple), max_size=3)


@st.composite
def _chunks(draw: st.DrawFn, body: bytes) -> Chunks:
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=5))) if body else []
    sizes = tuple(end - start for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)) if body else ()
    times = sorted(draw(st.lists(st.integers(0, 2**53), min_size=len(sizes) + 2, max_size=len(sizes) + 2)))
    ended = draw(st.sampled_from(["eof", "client_closed", "error"]))
    return Chunks(times[0], sizes, tuple(times[1:-1]), times[-1], ended)


@st.composite
def _interaction(draw: st.DrawFn) -> Interaction:
    body = draw(BODY)
    return Interaction(
        service=draw(TEXT),
        request=Request(draw(TEXT), draw(TEXT), draw(HEADERS), draw(BODY)),
        response=Response(draw(st.integers(100, 999)), draw(TEXT), draw(HEADERS), body),
        chunks=draw(_chunks(body)),
        redacted=draw(st.booleans()),
    )


@st.composite
def _cassette(draw: st.DrawFn) -> Cassette:
    body = draw(BODY)
    return Cassette(
        key=draw(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}@[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True)),
        trial=draw(st.integers(1, 20)),
        provenance=Provenance(
            recorder=draw(TEXT),
            recorded_at="2026-01-31T12:00:00Z",
            commit=draw(TEXT),
            machine=draw(TEXT),
            source=draw(TEXT),
            source_kind=draw(st.sampled_from(["live", "local", "scripted"])),
            source_description=draw(TEXT),
        ),
        stream=AgentStream(draw(TEXT), body, draw(_chunks(body))),
        interactions=tuple(draw(st.lists(_interaction(), max_size=3))),
    )


@pytest.fixture(scope="session")
def cassettes() -> st.SearchStrategy[Cassette]:
    """Any cassette: every body, and text that YAML would like to misread."""
    return _cassette()


@pytest.fixture(scope="session")
def example() -> Cassette:
    """A short chat: one streamed answer of a model, one binary answer of a search service."""
    asked = (
        b'{"model":"scripted-1","stream":true,"temperature":0,'
        b'"messages":[{"role":"system","content":"Read local papers first."},{"role":"user","content":"Who?"}],'
        b'"tools":[{"type":"function","function":{"name":"search_local"}}]}'
    )
    frames = (
        b'data: {"model":"scripted-1-2026","system_fingerprint":"fp_7","choices":[{"delta":{"content":"Ada"}}]}\n\n',
        b"data: [DONE]\n\n",
    )
    return Cassette(
        key="RET-01@A1",
        trial=1,
        provenance=Provenance(
            recorder="tapegate 0.1.0",
            recorded_at="2026-01-31T12:00:00Z",
            commit="0123456789abcdef0123456789abcdef01234567",
            machine="linux-x86_64-2cpu",
            source="scripted",
            source_kind="scripted",
            source_description="rules, no model",
        ),
        stream=AgentStream("mixed", b'0:"Ada"\nd:{"finishReason":"stop"}\n', Chunks(900, (8, 26), (5000, 9000), 9100)),
        interactions=(
            Interaction(
                "openai",
                Request(
                    "POST",
                    "https://api.openai.com/v1/chat/completions",
                    {"content-type": ("application/json",)},
                    asked,
                ),
                Response(
                    200,
                    "OK",
                    {"content-type": ("text/event-stream",), "set-cookie": ("a=1", "b=2")},
                    b"".join(frames),
                ),
                Chunks(1000, tuple(map(len, frames)), (3000, 4500), 4600),
            ),
            Interaction(
                "search",
                Request("GET", "https://search.example/?q=ada", {}, b""),
                Response(200, "OK", {"content-type": ("image/png",)}, b"\x89PNG\r\n\x1a\n\x00\xff"),
                Chunks(5000, (10,), (6000,), 6100, "client_closed"),
                redacted=True,
            ),
        ),
    )


@pytest.fixture(scope="session")
def recording(example: Cassette) -> Callable[..., Cassette]:
    """A cassette of POSTs to `/chat` of the service `openai`, by their bodies; the answer to the first is `1`."""

    def build(*bodies: bytes, service: str = "openai", path: str = "/chat") -> Cassette:
        made = [
            Interaction(
                service,
                Request("POST", f"https://{service}.example/v1{path}", {}, body),
                Response(200, "OK", {"x-n": (str(number),)}, str(number).encode()),
                Chunks(number * 1000, (len(str(number)),), (number * 1000 + 7,), number * 1000 + 9),
            )
            for number, body in enumerate(bodies, 1)
        ]
        return replace(example, interactions=tuple(made))

    return build


@pytest.fixture(scope="session")
def routes() -> Routes:
    """The services of `recording`."""
    names = ("openai", "search")
    return Routes({name: Route(name, f"https://{name}.example/v1", f"http://127.0.0.1:9/{name}") for name in names})


@pytest.fixture(scope="session")
def with_answer(example: Cassette) -> Callable[..., Cassette]:
    """The example with one interaction only, whose answer has this body and these headers."""

    def build(body: bytes, headers: Headers | None = None, **chunks: Any) -> Cassette:
        first = example.interactions[0]
        timed = Chunks(**{"started_us": 0, "sizes": (len(body),), "at_us": (1,), "ended_us": 2, **chunks})
        answer = replace(first.response, body=body, headers=headers or {})
        return replace(example, interactions=(replace(first, response=answer, chunks=timed),))

    return build


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def recorded(project: Path, example: Cassette) -> Path:
    """A project with the example as its one recording."""
    write(project, "chat", [example])
    return project


@pytest.fixture(scope="session")
def as_yaml() -> Callable[[Cassette], Any]:
    """What a YAML library must read from a cassette's file, bodies as bytes."""

    def chunks(timed: Chunks) -> dict[str, Any]:
        return {
            "started_us": timed.started_us,
            "sizes": list(timed.sizes),
            "at_us": list(timed.at_us),
            "ended_us": timed.ended_us,
            "ended": timed.ended,
        }

    def headers(names: Headers) -> dict[str, list[str]]:
        return {name: list(values) for name, values in names.items()}

    def build(cassette: Cassette) -> Any:
        made, stream = cassette.provenance, cassette.stream
        return {
            "version": 1,
            "tapegate": {
                "format": 1,
                "key": cassette.key,
                "trial": cassette.trial,
                "provenance": {name: getattr(made, name) for name in Provenance.__dataclass_fields__},
                "stream": {"dialect": stream.dialect, "body": stream.body, "chunks": chunks(stream.chunks)},
            },
            "interactions": [
                {
                    "request": {
                        "method": it.request.method,
                        "uri": it.request.uri,
                        "headers": headers(it.request.headers),
                        "body": it.request.body,
                    },
                    "response": {
                        "status": {"code": it.response.status, "message": it.response.reason},
                        "headers": headers(it.response.headers),
                        "body": {"string": it.response.body},
                    },
                    "service": it.service,
                    "chunks": chunks(it.chunks),
                    "redacted": it.redacted,
                }
                for it in cassette.interactions
            ],
        }

    return build


@pytest.fixture(scope="session")
def bodies_as_bytes() -> Callable[[Any], Any]:
    """A YAML document with its text bodies encoded; anything that is no cassette as it is."""

    def build(document: Any) -> Any:
        try:
            holders = [(document["tapegate"]["stream"], "body")]
            for it in document["interactions"]:
                holders += [(it["request"], "body"), (it["response"]["body"], "string")]
            for holder, name in holders:
                if isinstance(holder[name], str):
                    holder[name] = holder[name].encode()
        except (KeyError, TypeError, IndexError):
            pass
        return document

    return build


@pytest.fixture
def aws_stream() -> Callable[[list[object]], bytes]:
    """Makes an AWS event stream of JSON payloads."""

    def message(payload: object) -> bytes:
        name, value = b":event-type", b"contentBlockDelta"
        headers = bytes([len(name)]) + name + b"\7" + struct.pack(">H", len(value)) + value
        body = json.dumps(payload).encode()
        lengths = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
        head = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + body
        return head + struct.pack(">I", zlib.crc32(head))

    return lambda payloads: b"".join(map(message, payloads))
