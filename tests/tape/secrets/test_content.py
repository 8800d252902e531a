"""Undoing content-encodings, chunk by chunk."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.tape.secrets import content
from tapegate.tape.secrets.content import Undecodable, decode


def _bare(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZip", gzip.compress),
    "two members": ("gzip", lambda data: gzip.compress(data[:3]) + gzip.compress(data[3:])),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", _bare),
    "both": ("deflate, gzip", lambda data: gzip.compress(zlib.compress(data))),
    "identity": ("identity", lambda data: data),
}


@pytest.mark.parametrize("name", ENCODERS)
@given(data=st.binary(min_size=4, max_size=100), cuts=st.lists(st.integers(0, 500), max_size=4))
def test_any_cut_gives_the_same_content(name: str, data: bytes, cuts: list[int]) -> None:
    """However the body was cut, it decodes to the same bytes, and its chunks' sizes add up to them."""
    header, encode = ENCODERS[name]
    body = encode(data)
    edges = sorted({0, len(body), *(cut % len(body) for cut in cuts)})
    sizes = [end - start for start, end in pairwise(edges)]
    got = decode(body, sizes, [header], whole=True)
    assert got.data == data
    assert sum(got.sizes) == len(data)
    assert len(got.sizes) == len(sizes)
    assert got.encoded == (name != "identity")


def test_a_flushed_chunk_is_readable_when_it_arrives() -> None:
    """Where the server flushed after each event, the decoded boundaries are those of the events."""
    packer = zlib.compressobj(wbits=31)
    events = [b"data: one\n\n", b"data: two\n\n"]
    chunks = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in events]
    chunks[-1] += packer.flush()
    got = decode(b"".join(chunks), list(map(len, chunks)), ["gzip"], whole=True)
    assert got.sizes == (11, 11)


@pytest.mark.parametrize("header", ["gzip", "deflate", "gzip, deflate"])
def test_a_body_that_is_not_what_its_header_says_is_refused(header: str) -> None:
    """CAS-17: plain text under content-encoding gzip is a decode_error, never passed on as it is."""
    with pytest.raises(Undecodable) as refused:
        decode(b'{"plain": "text"}', [17], [header], whole=True)
    assert refused.value.code == "decode_error"


def test_an_encoding_that_cannot_be_undone_is_refused() -> None:
    """What cannot be read cannot be searched for secrets: brotli is refused, with what is known."""
    with pytest.raises(Undecodable, match="gzip, x-gzip, deflate, identity"):
        decode(b"\x0b\x02\x80abc\x03", [7], ["br"], whole=True)


def test_a_stream_that_broke_off_decodes_as_far_as_it_goes() -> None:
    """A body cut short is an error where its stream ended well, and half a text where the reader left."""
    body = gzip.compress(bytes(range(256)) * 40)[:-20]
    with pytest.raises(Undecodable, match="breaks off"):
        decode(body, [len(body)], ["gzip"], whole=True)
    assert (bytes(range(256)) * 40).startswith(decode(body, [len(body)], ["gzip"], whole=False).data[:256])


@pytest.mark.parametrize("tail", [b"tail", b"\x1f\x8b\x08bad"])
def test_bytes_after_the_end_are_refused(tail: bytes) -> None:
    """Nothing may hide behind the end of a compressed body."""
    for header, body in (("gzip", gzip.compress(b"text")), ("deflate", zlib.compress(b"text"))):
        with pytest.raises(Undecodable):
            decode(body + tail, [len(body) + len(tail)], [header], whole=True)


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that grows beyond the limit is a size_limit, found without building it."""
    monkeypatch.setattr(content, "DECODED_LIMIT", 1 << 21)
    with pytest.raises(Undecodable) as refused:
        decode(gzip.compress(bytes(1 << 23)), [0], ["gzip"], whole=True)
    assert refused.value.code == "size_limit"


@pytest.mark.parametrize("size", [*range((1 << 20) + 1, (1 << 20) + 300, 23), 1 << 21])
def test_the_last_bytes_of_a_long_body_are_not_lost(size: int) -> None:
    """Bare deflate has no trailer, so zlib may hold output back after it took all input."""
    body = _bare(bytes(size))
    assert len(decode(body, [len(body)], ["deflate"], whole=True).data) == size


def test_an_empty_body_stays_empty() -> None:
    """HEAD, 204 and 304 name an encoding and send nothing."""
    assert decode(b"", [], ["gzip"], whole=True).data == b""
