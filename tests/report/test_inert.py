"""Text of strangers, made inert."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.report.inert import code_block, log_safe, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – text", "plain – text"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("a\rb", "a\\u000db"),
        ("\x1b[31m", "\\u001b[31m"),
        ("\U00013000\U00013430\U0001345f", "\U00013000\\u13430\\u1345f"),
        ("a\u200bb\u202ec\ufeff\u2028", "a\\u200bb\\u202ec\\ufeff\\u2028"),
        ("\ue000\U000e0041", "\\ue000\\ue0041"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    """Controls, invisible, bidirectional, private and tag characters become their numbers."""
    assert visible(text) == shown


@given(st.text(alphabet=st.sampled_from("`~a\n \u202e\x1b"), max_size=60))
def test_nothing_in_a_code_block_closes_it(text: str) -> None:
    """The closing fence is the only line that could close the block."""
    first, *body, last = code_block(text).split("\n")
    fence = first.removesuffix("text")
    assert last == fence
    closing = re.compile(r"^ {0,3}" + re.escape(fence) + r"`*\s*$")
    assert not [line for line in body if closing.match(line)]


@given(st.text(alphabet=st.sampled_from(":#[ \na\t"), max_size=40))
def test_no_line_of_a_log_is_a_command(text: str) -> None:
    """Whatever text is logged, no line starts with `::` and none holds `##[`."""
    for line in log_safe(text).split("\n"):
        assert not line.strip().startswith("::")
        assert "##[" not in line
