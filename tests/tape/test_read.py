"""Reading a cassette file: the rows of BAD_INPUTS that a file alone can show."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit
from tapegate.tape.limits import Limits
from tapegate.tape.read import read

FILE = "cassettes/chat/RET-01@A1/trial-1.yaml"


def refused(raw: bytes, limits: Limits | None = None) -> str:
    """The refusal's text."""
    with pytest.raises(CassetteError) as caught:
        read(raw, FILE, limits or Limits())
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_our_own_files_are_read_without_a_yaml_library(example: Cassette) -> None:
    """The fast reader needs no PyYAML: it is loaded only for what we did not write."""
    code = (
        "import sys; from tapegate.tape.read import read; "
        "read(sys.stdin.buffer.read(), 'x'); print('yaml' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], input=emit(example), capture_output=True, check=True)
    assert run.stdout == b"False\n"


def test_a_file_reformatted_by_another_tool_is_read_the_slow_way(example: Cassette) -> None:
    """Comments, other quotes and another order are still a cassette."""
    raw = emit(example).replace(b"version: 1\n", b"# ours\n", 1).replace(b'"POST"', b"POST") + b"version: 1\n"
    assert read(raw, FILE) == example


def test_every_truncation_is_refused_with_file_and_offset(example: Cassette) -> None:
    """CAS-01: cut anywhere but after its last line, a file is corrupt; cut between interactions, it is a whole file
    of fewer, which only its pin can tell."""
    raw = emit(example)
    seam = raw.index(b"- request:", raw.index(b"- request:") + 1)
    for end in range(len(raw) - 1):
        if end == seam:
            assert len(read(raw[:end], FILE).interactions) == 1
        elif raw[:end].rstrip(b"\n") != raw[:seam].rstrip(b"\n"):
            message = refused(raw[:end])
            assert message.startswith(FILE)
            assert "at byte " in message


@pytest.mark.parametrize(
    ("id_", "damage", "code"),
    [
        ("CAS-05", lambda raw: raw.replace(b"Ada", b"Ad\xe4"), "cassette_corrupt"),
        ("CAS-07", lambda raw: raw.replace(b"headers: {}", b"headers: &a {x: *a}"), "alias_limit"),
        ("CAS-08", lambda raw: raw.replace(b"headers: {}", b"headers: {<<: {a: [b]}}"), "merge_key"),
        ("CAS-10", lambda raw: raw + b"interactions: []\n", "duplicate_key"),
        ("CAS-22", lambda raw: raw + b"---\n" + raw, "multi_document"),
        ("tag", lambda raw: raw.replace(b'"GET"', b"!!python/object/apply:os.getcwd []"), "forbidden_tag"),
        ("empty", lambda raw: b"", "cassette_corrupt"),
        ("NUL", lambda raw: raw + b"\x00", "cassette_corrupt"),
    ],
)
def test_a_file_that_is_not_what_it_seems_is_refused(
    id_: str, damage: Callable[[bytes], bytes], code: str, example: Cassette
) -> None:
    """Each kind of trick has its own code and its line."""
    assert f": {code}: " in refused(damage(emit(example)))


def test_a_body_that_its_encoding_does_not_decode_is_found(with_answer: Callable[..., Cassette]) -> None:
    """CAS-17: the header says gzip, the body is not."""
    message = refused(emit(with_answer(b"plain", {"content-encoding": ("gzip",)})))
    assert f"{FILE}:21: decode_error: interactions[0].response.body: content-encoding says gzip" in message


def test_a_compressed_body_that_decodes_is_kept_as_it_is(with_answer: Callable[..., Cassette]) -> None:
    """The wire's bytes are what a cassette holds, compressed where they were."""
    cassette = with_answer(gzip.compress(b"plain", mtime=0), {"content-encoding": ("gzip",)})
    assert read(emit(cassette), FILE) == cassette


def test_a_compressed_body_that_its_client_left_early_is_no_error(with_answer: Callable[..., Cassette]) -> None:
    """Half a gzip stream is what came over the wire when the client hung up."""
    half = gzip.compress(b"plain", mtime=0)[:-9]
    cassette = with_answer(half, {"content-encoding": ("gzip",)}, ended="client_closed")
    assert read(emit(cassette), FILE) == cassette
    assert "decode_error" in refused(emit(with_answer(half, {"content-encoding": ("gzip",)})))


def test_sizes_are_limited(with_answer: Callable[..., Cassette]) -> None:
    """CAS-19 for file, body and decoded body."""
    raw = emit(with_answer(gzip.compress(b"\0" * 5000, mtime=0), {"content-encoding": ("gzip",)}))
    assert "size_limit: interactions[0].response.body: content-encoding gzip: more than 4,999 bytes" in refused(
        raw, Limits(decoded_bytes=4999)
    )
    assert "size_limit: interactions[0].request.body: " in refused(raw, Limits(body_bytes=50))
    assert f"size_limit: {len(raw):,} bytes; a cassette may have 900" in refused(raw, Limits(file_bytes=900))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc, as Linux has it")
def test_a_hostile_file_costs_bounded_memory() -> None:
    """Ten million bytes of tiny values end at the limit of values, not in gigabytes."""
    # Not ru_maxrss: a child starts with that of its parent, here of a whole test run.
    code = """
from pathlib import Path
from tapegate.errors import CassetteError
from tapegate.tape.limits import Limits
from tapegate.tape.read import read
raw = b"a: [" + b"1," * 4_990_000 + b"]"
try:
    read(raw, "x", Limits(values=100_000))
except CassetteError as error:
    print(error.problems[0].code)
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    found, peak_kb = run.stdout.split()
    assert found == "size_limit"
    assert int(peak_kb) < 150_000


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_give_a_cassette_or_one_kind_of_error(raw: bytes) -> None:
    """Nothing but `CassetteError` comes out of untrusted bytes."""
    assert FILE in refused(raw)
