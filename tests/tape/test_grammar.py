"""The fast reader reads what we emit, and never reads anything differently from PyYAML."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.errors import CassetteError
from tapegate.tape import shape
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.grammar import parse
from tapegate.tape.preflight import preflight

BODIES = [
    b"", b"one", b"one\n", b"a\n\n  b\n   \n\n", b" lead", b"\ttab", b"x: 1\n# y\n--- z\n...\n", b"a\r\nb\r\n\r\n c",
    '{"a":"\\u00e9 \\n😀"}'.encode(), "\u2028é\u0085".encode(), b"\xff\xfe\x00", bytes(range(256)), b"x\ty \n",
]  # fmt: skip
HEADERS = [{}, {"A": ("1",)}, {"a": (), "b: ": ("\"\\'", "#\t\x7f"), "<<": ("=",)}, {"é\n": ("null", "- x", "")}]
PIECES = [
    b" ", b"\n", b'"', b"-", b"|", b"\\", b":", b"#", b"\t", b"  ", b"\n\n", b"\xc2\x85", b"\xe2\x80\xa8", b"&a ",
    b"*a", b"!!binary ", b"!!str ", b"x", b"0", b"- request:\n", b"+", b"<<: ", b"\\ud83d\\ude00", b"\\/",
    b"\\x41", b", ", b"[", b"]", b"{}", b"\r", b"\\u0020", b"\\\n      ", b"\\\n        ", b"      ", b"        ", b"=",
    b"1e5", b"---\n", b"? ", b"~", b"true", b"\xff", b"\x00", b"\x07",
]  # fmt: skip


def mutants(sources: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Files with one to three small damages each: bytes removed, YAML's own signs put in, pieces repeated."""
    chance = random.Random(seed)
    for _ in range(count):
        raw = bytearray(chance.choice(sources))
        for _ in range(chance.randrange(1, 4)):
            at, kind = chance.randrange(len(raw)), chance.random()
            if kind < 0.35:
                del raw[at : at + chance.randrange(1, 4)]
            elif kind < 0.8:
                raw[at:at] = chance.choice(PIECES)
            else:
                start = chance.randrange(len(raw))
                raw[at:at] = raw[start : start + chance.randrange(1, 60)]
        yield bytes(raw)


@pytest.fixture(scope="module")
def sources(with_answer: Callable[..., Cassette]) -> list[bytes]:
    """Small cassettes that use every form the grammar has."""
    many = [
        replace(one, interactions=(replace(only, request=replace(only.request, body=body, headers=headers)),))
        for body in BODIES
        for headers in HEADERS
        for one in [with_answer(body[::-1], headers, ended_us=7)]
        for only in one.interactions
    ]
    two = replace(many[0], interactions=(*many[3].interactions, *many[5].interactions))
    return [emit(one) for one in (*many, two, replace(two, interactions=()))]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_readers_read_what_was_written(data: st.DataObject, cassettes: st.SearchStrategy[Cassette]) -> None:
    """Any cassette comes back equal, from the fast reader and from the slow one."""
    cassette = data.draw(cassettes)
    raw = emit(cassette)
    assert cassette == parse(raw)
    assert cassette == shape.cassette(preflight(raw, "trial-1.yaml"))


def test_a_damaged_file_is_read_as_pyyaml_reads_it_or_not_at_all(
    sources: list[bytes], as_yaml: Callable[[Cassette], Any], bodies_as_bytes: Callable[[Any], Any]
) -> None:
    """Of 40,000 damaged files, the fast reader accepts none in another sense than PyYAML."""
    accepted = 0
    for raw in mutants(sources, 40_000, seed=1):
        cassette = parse(raw)
        if cassette is not None:
            accepted += 1
            assert as_yaml(cassette) == bodies_as_bytes(yaml.load(raw, Loader=yaml.CSafeLoader)), raw
    print("ACC", accepted)
    assert accepted > 1500, "too few damaged files were accepted: the test has lost its meaning"


def test_the_slow_reader_reads_a_damaged_file_as_pyyaml_does_or_refuses_it(
    sources: list[bytes], as_yaml: Callable[[Cassette], Any], bodies_as_bytes: Callable[[Any], Any]
) -> None:
    """The same for the slow reader; and what both readers accept, they read alike."""
    accepted = 0
    for raw in mutants(sources, 5_000, seed=2):
        fast = parse(raw)
        try:
            slow = shape.cassette(preflight(raw, "trial-1.yaml"))
        except CassetteError:
            assert fast is None, raw
            continue
        accepted += 1
        assert fast in (None, slow), raw
        assert as_yaml(slow) == bodies_as_bytes(yaml.load(raw, Loader=yaml.CSafeLoader)), raw
    print("ACC", accepted)
    assert accepted > 300, "too few damaged files were accepted: the test has lost its meaning"


def test_the_mutation_test_finds_a_reader_that_is_wrong(
    sources: list[bytes],
    monkeypatch: pytest.MonkeyPatch,
    as_yaml: Callable[[Cassette], Any],
    bodies_as_bytes: Callable[[Any], Any],
) -> None:
    """A grammar that lets control characters and line separators through disagrees with PyYAML within the mutants."""
    monkeypatch.setattr("tapegate.tape.grammar._clean", lambda raw: True)

    def answer(raw: bytes) -> Any:
        try:
            return bodies_as_bytes(yaml.load(raw, Loader=yaml.CSafeLoader))
        except yaml.YAMLError as error:
            return error

    readings = ((parse(raw), raw) for raw in mutants(sources, 40_000, seed=1))
    assert any(fast is not None and as_yaml(fast) != answer(raw) for fast, raw in readings)


def test_every_edit_of_one_byte_is_seen(example: Cassette) -> None:
    """No byte of a file is idle but spelling: flipped, it gives another cassette, the slow reader's, or none."""
    raw = emit(example)
    for at in range(len(raw)):
        for byte in (raw[at] ^ 1, 0x20 if raw[at] != 0x20 else 0x2D):
            edited = raw[:at] + bytes([byte]) + raw[at + 1 :]
            assert parse(edited) != example, edited


@pytest.mark.parametrize(
    ("found", "put"),
    [
        pytest.param(b'"search"', b'"\\ud83d\\ude00"', id="surrogate pair: one character in JSON, two in YAML"),
        pytest.param(b'"search"', b'"a\\/b"', id="escaped slash"),
        pytest.param(b'"search"', b'"a\tb"', id="raw tab in a string"),
        pytest.param(b'"search"', "\"a\u0085b\"".encode(), id="raw NEL: a line break in YAML"),
        pytest.param(b'method: "GET"', b"method: GET", id="plain text"),
        pytest.param(b'"sizes": [10]', b'"sizes": [010]', id="octal in YAML"),
        pytest.param(b'"sizes": [10]', b'"sizes": [1e1]', id="float"),
        pytest.param(b'"sizes": [10]', b'"sizes": [9]', id="sizes that do not add up"),
        pytest.param(b'"at_us": [6000]', b'"at_us": [4000]', id="time that falls"),
        pytest.param(b'"ended_us": 6100', b'"ended_us": 9999999999999999', id="time beyond 2^53"),
        pytest.param(b"code: 200", b"code: 020", id="status with a leading zero"),
        pytest.param(b"format: 1", b"format: 2", id="format of the future"),
        pytest.param(b"iVBORw0KGgoA/w==", b"iVBORw0KGgoA/w=", id="base64 without its padding"),
        pytest.param(b"!!binary |\n", b"!!binary |\n\n", id="base64 after an empty line"),
        pytest.param(b"string: |+\n", b"string: |\n", id="chomping that loses newlines"),
        pytest.param(b"string: |+\n", b"string: |1+\n", id="indentation indicator"),
        pytest.param(b'"set-cookie"', b'"content-type"', id="header twice"),
        pytest.param(b"interactions:\n", b"interactions: []\n", id="interactions after none"),
    ],
)  # fmt: skip
def test_what_we_never_write_is_left_to_the_slow_reader(found: bytes, put: bytes, example: Cassette) -> None:
    """Another spelling, or a value that cannot be: the fast reader has no opinion."""
    raw = emit(example)
    assert raw.count(found) >= 1
    assert parse(raw.replace(found, put, 1)) is None


def test_a_very_long_header_name_is_left_to_the_slow_reader(
    with_answer: Callable[..., Cassette], example: Cassette
) -> None:
    """On one line YAML would not find its colon, whatever JSON says."""
    cassette = with_answer(b"", {"x" * 2000: ("1",)}, sizes=(), at_us=())
    raw = emit(cassette)
    assert parse(raw) is None
    assert cassette == shape.cassette(preflight(raw, "trial-1.yaml"))
    on_one_line = raw.replace(b"      ? ", b"      ").replace(b"\n      : ", b": ")
    assert parse(on_one_line) is None
