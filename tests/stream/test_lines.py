"""Bytes into lines."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from tapegate.model.trace import Violation
from tapegate.stream.lines import Lines


def _lines(*chunks, limit=100):
    lines = Lines(limit)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return found, lines.close()


@given(data=st.text(alphabet="a\r\n\u2028\x85\x0b\x0cß", max_size=30), cut=st.integers(0, 40))
@example(data="a\r\nb", cut=2)
@example(data="\r\n\r\n", cut=1)
def test_only_cr_lf_and_crlf_end_a_line(data, cut):
    """CR, LF and CRLF end a line, wherever the chunk ends; U+2028, U+0085, VT and FF do not (STR-05)."""
    *expected, tail = re.split(r"\r\n|\r|\n", data)
    encoded = data.encode()
    found, last = _lines(encoded[:cut], b"", encoded[cut:])
    assert (expected, tail or None) == (found, last)


def test_a_line_at_the_limit_is_read_and_one_byte_more_is_not():
    """The limit counts the bytes of the line without its end."""
    found, tail = _lines(b"1234\n12345\r\n12", b"345", b"67\nnext", limit=4)
    assert [x.code if isinstance(x, Violation) else x for x in found] == ["1234", "line_limit", "line_limit"]
    assert tail == "next"
    assert found[1].message == "line 2 is longer than 4 bytes; its content was not read"


def test_a_bad_byte_is_named_with_its_place():
    """The violation says line, byte and value."""
    found, _ = _lines("ok\nä".encode() + b"\xff\n")
    assert [Violation("invalid_utf8", "line 2, byte 2: ff is not UTF-8")] == found[1:]
