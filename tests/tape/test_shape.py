"""A document that is YAML but no cassette of ours is refused key by key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette, Chunks
from tapegate.tape.emit import emit
from tapegate.tape.preflight import preflight
from tapegate.tape.shape import KEY, cassette, disorder

FILE = "cassettes/chat/RET-01@A1/trial-1.yaml"


def refused(raw: bytes) -> str:
    """The refusal's text."""
    with pytest.raises(CassetteError) as caught:
        cassette(preflight(raw, FILE))
    return str(caught.value)


@pytest.mark.parametrize(
    ("found", "put", "line", "says"),
    [
        ("version: 1\n", "version: 2\n", 1, "version is 2; expected 1, vcrpy's"),
        ("  format: 1\n", "  format: '1'\n", 3, "tapegate.format is '1'; expected 1"),
        ("  format: 1\n", "  format: true\n", 3, "tapegate.format is True; expected 1"),
        ('key: "RET-01@A1"', 'key: "../x"', 4, "tapegate.key is '../x'; expected <id>@<path_id>"),
        ("trial: 1\n", "trial: 0\n", 5, "tapegate.trial is 0; trials count from 1"),
        ("trial: 1\n", "trial: '1'\n", 5, "tapegate.trial is text '1'; expected a whole number, 0 or more"),
        ("    recorder:", "    recorded:", 6, "tapegate.provenance lacks 'recorder' (the file ends after "),
        ("12:00:00Z", "12:00", 8, "recorded_at is '2026-01-31T12:00'; expected 2026-01-31T12:00:00Z"),
        ('"scripted"\n    source_d', '"magic"\n    source_d', 12, "source_kind is 'magic'; expected one of live,"),
        ('ended": "eof"}\ninter', 'ended": "done"}\ninter', 19, "ended is 'done'; expected one of eof, client_closed,"),
        ('[8, 26], "at', '[8, 25], "at', 19, "tapegate.stream.chunks: the chunk sizes add up to 33; the body has 34"),
        ('[8, 26], "at', '[8.5, 26], "at', 19, "the plain scalar '8.5' reads as float"),
        ('[8, 26], "at', '[-8, 42], "at', 19, "sizes[0] is int -8; expected a whole number, 0 or more"),
        ("- request:\n", "- request: 1\n  req:\n", 22, "interactions[0] has the unknown key 'req'"),
        ('    method: "POST"\n', "", 21, "interactions[0].request lacks 'method'"),
        ('method: "POST"', "method: 1", 22, "interactions[0].request.method is int 1; expected text; quote it"),
        ('uri: "https', "uri: !!binary |\n      /w==\n#", 23, "request.uri is binary b'\\xff'; expected text"),
        ('["application/json"]', '"application/json"', 25, "is text 'application/json'; expected a list"),
        ("headers: {}", "headers:", 47, "interactions[1].request.headers is nothing; expected a mapping of names"),
        ('body: ""\n', "body:\n", 48, "interactions[1].request.body is nothing; expected text or !!binary"),
        ("code: 200", "code: 20", 30, "status.code is 20; expected three digits"),
        ("redacted: true", 'redacted: "true"', 60, "redacted is text 'true'; expected true or false"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(found: str, put: str, line: int, says: str, example: Cassette) -> None:
    """Key, value, what was expected, and where it stands."""
    raw = emit(example)
    assert found.encode() in raw
    message = refused(raw.replace(found.encode(), put.encode(), 1))
    assert f"{FILE}:{line}: cassette_corrupt: at byte " in message
    assert says in message


def test_the_byte_is_that_of_the_line(example: Cassette) -> None:
    """Line and byte offset name the same place."""
    raw = emit(example).replace(b"code: 200", b"code: 20", 1)
    assert f"at byte {raw.index(b'      code: 20')}, status.code" in refused(raw)


@pytest.mark.parametrize("text", ["- 1\n", "one\n", "{}\n", "version: 1\n", "tapegate: 1\n", "tapegate: {}\n"])
def test_another_document_is_no_cassette(text: str) -> None:
    """Whatever the YAML holds, the refusal is the same kind."""
    assert ": cassette_corrupt: " in refused(text.encode())


def test_a_file_of_a_later_tapegate_says_upgrade(example: Cassette) -> None:
    """A newer format is not corrupt: the message names both numbers and the way out."""
    message = refused(emit(example).replace(b"format: 1", b"format: 7", 1).replace(b"key:", b"keys:", 1))
    assert f"{FILE}:3: newer_format: tapegate.format is 7; this Tapegate reads up to 1" in message
    assert "fix: upgrade tapegate" in message


def test_a_file_that_another_tool_rewrote_says_so() -> None:
    """vcrpy drops what it does not know: then chunks, times and provenance are gone."""
    message = refused(b"interactions:\n- request: {}\n  response: {}\nversion: 1\n")
    assert "not_tapegate: a vcrpy cassette without the top-level mapping `tapegate`" in message


@pytest.mark.parametrize(
    ("chunks", "says"),
    [
        (Chunks(0, (1, 2), (1, 2), 3), None),
        (Chunks(0, (), (), 0), "add up to 0; the body has 3 bytes"),
        (Chunks(0, (3,), (), 3), "1 sizes and 0 times"),
        (Chunks(0, (4, -1), (1, 2), 3), "a chunk of -1 bytes"),
        (Chunks(0, (1, 2), (2, 1), 3), "the times fall"),
        (Chunks(2, (3,), (1,), 3), "the times fall"),
        (Chunks(0, (3,), (5,), 3), "the times fall"),
        (Chunks(-1, (3,), (1,), 3), "times from -1 to 3"),
        (Chunks(0, (3,), (1,), 2**60), "expected 0 to 2^53"),
    ],
)
def test_chunks_must_fit_their_body(chunks: Chunks, says: str | None) -> None:
    """Sizes add up, times do not fall, and nothing is negative (PRO-11)."""
    found = disorder(chunks, 3)
    assert found is None if says is None else says in (found or "")


def test_our_own_cassettes_pass(example: Cassette) -> None:
    """The slow reader accepts what we write, with interactions and without."""
    assert cassette(preflight(emit(example), FILE)) == example
    empty = replace(example, interactions=())
    assert cassette(preflight(emit(empty), FILE)) == empty


@pytest.mark.parametrize(
    ("key", "is_one"),
    [
        ("RET-01@A1", True),
        ("RET-01@A1[3]", True),
        ("RET-01@A1[9999]", True),
        ("RET-01@A1[0]", False),
        ("RET-01@A1[03]", False),
        ("RET-01@A1[]", False),
        ("RET-01@A1[-1]", False),
        ("RET-01@A1[1][2]", False),
        ("RET-01@A1[1]/..", False),
        ("RET-01[1]@A1", False),
        ("RET-01", False),
        ("../x@A1", False),
    ],
)
def test_a_key_names_a_task_or_one_of_its_cases(key: str, is_one: bool) -> None:
    """And is the name of a folder, so that it is nothing else."""
    assert (KEY.fullmatch(key) is not None) is is_one
