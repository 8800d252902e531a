"""Stock vcrpy replays our files: the proof that they are vcrpy's format."""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import vcr
from vcr.serialize import deserialize, serialize
from vcr.serializers import yamlserializer

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette, Chunks, Headers, Interaction, Request, Response
from tapegate.tape.emit import emit
from tapegate.tape.read import read
from tapegate.tape.store import load, write

CALLS: list[tuple[bytes, bytes, Headers]] = [
    (b'{"q":"text"}', b'data: {"a": "\xc3\xa9"}\n\ndata: [DONE]\n\n', {"content-type": ("text/event-stream",)}),
    (b'{"q":"crlf"}', b"data: 1\r\n\r\n data: 2\r\n\r\n", {"Content-Type": ("text/event-stream",)}),
    (b'{"q":"binary"}', bytes(range(256)), {"x-two": ("a", "b")}),
    (b'{"q":"gzip"}', gzip.compress(b"packed " * 20, mtime=0), {"content-encoding": ("gzip",)}),
    (b'{"q":"empty"}', b"", {}),
    (b'{"q":"odd"}', " \ufeff\u2028\x7fNULL\n- !!x 'y' \"z\": \\u0041\n\n\n".encode(), {}),
    ("{\"q\":\"\x85 \ttab\n\"}".encode(), b"\n", {}),
    (b"\xff\xfe", b"1", {}),
]  # fmt: skip
URI = "http://127.0.0.1:9/v1/chat/completions"


@pytest.fixture
def cassette(example: Cassette) -> Cassette:
    """One interaction for each form a body can take."""
    return replace(
        example,
        interactions=tuple(
            Interaction(
                "openai",
                Request("POST", URI, {"content-type": ("application/json",)}, asked),
                Response(200, "OK", headers, said),
                Chunks(number, (len(said),), (number,), number),
            )
            for number, (asked, said, headers) in enumerate(CALLS)
        ),
    )


@pytest.fixture
def replayed(project: Path, cassette: Cassette) -> Iterator[Any]:
    """vcrpy as anybody has it, replaying the file that the store wrote."""
    write(project, "chat", [cassette])
    file = project / load(project, "chat", cassette.key, 1).file
    player = vcr.VCR(record_mode=vcr.mode.NONE, match_on=("method", "uri", "body"))
    with player.use_cassette(str(file)) as tape:
        yield tape
    assert tape.all_played
    assert file.read_bytes() == emit(cassette)


def test_httpx_hears_the_recorded_bytes(replayed: Any) -> None:
    """Every body comes back exactly; httpx undoes gzip, as it would on the wire."""
    with httpx.Client(trust_env=False) as client:
        for asked, said, headers in CALLS:
            answer = client.post(URI, content=asked)
            expected = gzip.decompress(said) if "content-encoding" in headers else said
            assert answer.content == expected


def test_urllib_hears_the_recorded_bytes(replayed: Any) -> None:
    """The same through the standard library, gzip as it is."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for asked, said, headers in CALLS:
        with opener.open(urllib.request.Request(URI, data=asked, method="POST")) as answer:
            assert answer.read() == said
            assert answer.status == 200
            for name, values in headers.items():
                assert answer.msg is not None
                assert answer.headers.get_all(name) == list(values)


def test_vcrpy_knows_no_more_than_what_is_recorded(project: Path, cassette: Cassette) -> None:
    """Another body is refused by vcrpy too: what it matched above, it matched by its bytes."""
    write(project, "chat", [cassette])
    file = project / load(project, "chat", cassette.key, 1).file
    player = vcr.VCR(record_mode=vcr.mode.NONE, match_on=("method", "uri", "body"))
    with (
        player.use_cassette(str(file)),
        httpx.Client(trust_env=False) as client,
        pytest.raises(vcr.errors.CannotOverwriteExistingCassetteException),
    ):
        client.post(URI, content=b'{"q":"other"}')


def test_what_vcrpy_writes_over_our_file_is_refused(
    project: Path, cassette: Cassette, with_answer: Callable[..., Cassette]
) -> None:
    """vcrpy drops chunks, times and provenance without a word: the pins say it, and so does the reader."""
    write(project, "chat", [cassette])
    file = project / load(project, "chat", cassette.key, 1).file
    requests, responses = deserialize(file.read_text(), yamlserializer)
    rewritten = serialize({"requests": requests, "responses": responses}, yamlserializer)
    file.write_text(rewritten)
    with pytest.raises(CassetteError) as caught:
        load(project, "chat", cassette.key, 1)
    assert [problem.code for problem in caught.value.problems][:1] == ["hash_mismatch"]
    only = with_answer(b"text")
    requests, responses = deserialize(emit(only).decode(), yamlserializer)
    plain = serialize({"requests": requests, "responses": responses}, yamlserializer)
    with pytest.raises(CassetteError, match="not_tapegate"):
        read(plain.encode(), "trial-1.yaml")
