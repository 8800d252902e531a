"""Responses as bytes."""

from __future__ import annotations

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.doors import http1
from tapegate.doors.framing import frame
from tapegate.tape.wire import Answer


class Reader:
    """An HTTP parser's view of a response."""

    def __init__(self, data: bytes) -> None:
        self.chunks: list[bytes] = []
        self.headers: list[tuple[bytes, bytes]] = []
        self.complete = False
        self.parser = httptools.HttpResponseParser(self)
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        self.chunks.append(body)

    def on_message_complete(self) -> None:
        self.complete = True


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.booleans(), st.booleans())
def test_a_parser_reads_what_was_written(chunks, broken, old):
    """For any chunks the parser sees the same bytes, in the same chunks, complete exactly when the recording was."""
    answer = Answer(200, "OK", (("a", "b"),), tuple(chunks), tuple(range(len(chunks))), "error" if broken else "eof")
    pieces = http1.response(answer, frame(answer, "POST"), close=broken, old=old)
    read = Reader(b"".join(pieces))
    assert b"".join(read.chunks) == b"".join(chunks)
    assert old or read.chunks == chunks
    assert read.complete is not broken


def test_header_bytes_come_back_as_they_were():
    """Latin-1 text is the bytes it was read from; anything beyond is UTF-8."""
    assert http1.head(200, "Très bien", (("x", "caf\xe9"),)) == b"HTTP/1.1 200 Tr\xe8s bien\r\nx: caf\xe9\r\n"
    assert http1.head(200, "", (("x", "日"),)) == b"HTTP/1.1 200 \r\nx: \xe6\x97\xa5\r\n"


@pytest.mark.parametrize("evil", ["a\r\nb: c", "a\nb", "a\rb", "a\0b"])
def test_a_line_break_never_gets_into_a_head(evil):
    """In a name, a value or a reason it is an error."""
    for head in ((200, evil, ()), (200, "OK", ((evil, "v"),)), (200, "OK", (("n", evil),))):
        with pytest.raises(ValueError, match="line break"):
            http1.head(*head)
