"""Patterns of task files."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.oracles.patterns import PatternError, compiled, flaws


@pytest.mark.parametrize(
    ("pattern", "rule"),
    [
        ("(?=a)", "look-around"),
        ("a(?!b)", "look-around"),
        ("(?<=a)b", "look-around"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back-references"),
        ("a++", "possessive"),
        (r"a\Z", r"\z"),
        ("a{1001}", "1000"),
        ("(", "missing"),
        ("[z-a]", "range"),
        ("(?>a)", "RE2 does not accept it"),
        ("\ud800", "surrogate"),
    ],
)
def test_a_pattern_that_re2_refuses_names_itself_and_the_rule(pattern, rule):
    """TAS-06: the message holds the pattern as it was written and what the engine does not allow."""
    with pytest.raises(PatternError) as raised:
        compiled(pattern)
    assert repr(pattern) in str(raised.value)
    assert rule in str(raised.value)
    assert [flaw.code for flaw in flaws(pattern)] == ["bad_pattern"]


@pytest.mark.parametrize("pattern", ["", "a*", "^", "$", "(?m)^$", r"\b", "a|", "(?s).*", "(?s).", r"[\s\S]+", "x?"])
def test_a_pattern_that_says_nothing_is_vacuous(pattern):
    """TAS-08: what matches the empty string, an empty place or every text forbids everything or requires nothing."""
    assert [flaw.code for flaw in flaws(pattern)] == ["vacuous_pattern"]


@pytest.mark.parametrize("pattern", ["<thinking>", "^/(Users|home|var|tmp)/", "(?i)canary", r"\d{4}", "^x$", "[a-z]"])
def test_an_ordinary_pattern_is_accepted(pattern):
    """The standard's own patterns among them."""
    assert [*flaws(pattern)] == []


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        ("^/home/", "é\n/home/x", (2, 8)),
        ("^/home/", "a /home/x", None),
        ("^b$", "a\r\nb\r\nc", (3, 4)),
        ("^b", "a\rb", (2, 3)),
        ("a$", "x\r\na\r\n", (3, 4)),
        ("a.c", "a\nc", None),
        ("b", "\ud800b", (1, 2)),
        ("a\x00b", "a\x00b", (0, 3)),
    ],
)
def test_lines_begin_and_end_where_a_reader_sees_them(pattern, text, span):
    """Multi-line is always on; CR and CRLF end a line like LF; places count characters, not bytes."""
    assert compiled(pattern).find(text) == span


@given(st.text(alphabet="ab\r\né", max_size=12), st.sampled_from(["^a", "b$", "^b$", "a", "é$"]))
def test_a_found_span_is_what_the_pattern_matches(text, pattern):
    """Against Python's own engine on the text with its line ends made one."""
    lines = re.sub("\r\n|\r", "\n", text)
    span = compiled(pattern).find(text)
    assert (span is not None) == (re.search(pattern, lines, re.MULTILINE) is not None)
    if span is not None:
        assert re.sub("[\r\n]", "", text[span[0] : span[1]]) == pattern.strip("^$")


@given(st.text(max_size=20))
def test_any_pattern_compiles_or_is_refused(pattern):
    """No pattern raises anything but `PatternError`."""
    with suppress(PatternError):
        compiled(pattern).find("some text")
    assert all(flaw.code in ("bad_pattern", "vacuous_pattern") for flaw in flaws(pattern))
