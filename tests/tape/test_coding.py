"""Content encodings are undone, within limits, and lies about them are found."""

from __future__ import annotations

import gzip
import zlib

import pytest

from tapegate.tape.coding import Undecodable, decoded


def _gzip(data: bytes) -> bytes:
    """Without a time in its header: the names of tests must not change from run to run."""
    return gzip.compress(data, mtime=0)


TEXT = b"data: one\n\n" * 50
RAW_DEFLATE = zlib.compressobj(wbits=-15)
GZIP = {"Content-Encoding": ("gzip",)}


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("gzip", _gzip(TEXT)),
        ("X-GZIP", _gzip(TEXT)),
        ("gzip", _gzip(TEXT[:100]) + _gzip(TEXT[100:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", RAW_DEFLATE.compress(TEXT) + RAW_DEFLATE.flush()),
        ("identity", TEXT),
        ("gzip, gzip", _gzip(_gzip(TEXT))),
    ],
)
def test_a_known_encoding_is_undone(header: str, body: bytes) -> None:
    """gzip of several members, both kinds of deflate, several encodings in a row."""
    assert decoded({"content-encoding": (header,)}, body) == TEXT


def test_a_body_without_encoding_is_itself() -> None:
    """No header, no change."""
    assert decoded({"content-type": ("text/plain",)}, TEXT) == TEXT


def test_an_unknown_encoding_is_not_guessed() -> None:
    """What is not known here decodes to nothing rather than to something wrong."""
    assert decoded({"content-encoding": ("br",)}, b"\x0b\x02\x80") is None


def test_an_empty_body_stays_empty() -> None:
    """An answer to HEAD names the encoding that a GET would have had."""
    assert decoded(GZIP, b"") == b""


def test_a_body_that_is_not_what_its_header_says_is_found() -> None:
    """The header says gzip, the body is plain text: the message shows how it starts."""
    with pytest.raises(Undecodable, match=r"content-encoding says gzip, the body is not: .*b'data: on'"):
        decoded(GZIP, TEXT)


def test_a_stream_that_breaks_off_is_an_error_only_when_it_was_read_to_its_end() -> None:
    """A client that hung up has half a gzip stream, and that is what happened."""
    half = _gzip(TEXT)[:-12]
    with pytest.raises(Undecodable, match="breaks off"):
        decoded(GZIP, half)
    assert decoded(GZIP, half, whole=False) is not None


def test_a_bomb_stops_at_the_limit() -> None:
    """A small body that would become a large one is refused while it grows."""
    bomb = _gzip(b"\0" * 10_000_000)
    with pytest.raises(Undecodable, match="more than 1,000,000 bytes") as caught:
        decoded(GZIP, bomb, limit=1_000_000)
    assert caught.value.too_large
    assert len(decoded(GZIP, bomb, limit=10_000_000) or b"") == 10_000_000
