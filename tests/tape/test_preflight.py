"""Untrusted YAML is checked event by event before a value exists."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import CassetteError
from tapegate.tape.limits import Limits
from tapegate.tape.preflight import preflight

FILE = "cassettes/chat/RET-01@A1/trial-1.yaml"
ALIAS_BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)
)
MERGE_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)
)


def read(text: str | bytes, **limits: int) -> Any:
    """The document's root."""
    raw = text.encode() if isinstance(text, str) else text
    return preflight(raw, FILE, Limits(**limits)).root


def refused(text: str | bytes, **limits: int) -> str:
    """The refusal's text."""
    with pytest.raises(CassetteError) as caught:
        read(text, **limits)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "code", "place", "says"),
    [
        ("a: 1\nb: &x 2\n", "alias_limit", ":2", "the anchor 'x'"),
        ("a: 1\nb: *x\n", "alias_limit", ":2", "an alias"),
        ("a: 1\n<<: {b: 2}\n", "merge_key", ":2", "a merge key"),
        ("a: 1\nb: 2\na: 3\n", "duplicate_key", ":3", "'a' stands twice in one mapping, first in line 1"),
        ('"a": 1\na: 3\n', "duplicate_key", ":2", "'a'"),
        ("a: {b: 1, b: 2}\n", "duplicate_key", ":1", "'b'"),
        ("a: 1\n---\nb: 2\n", "multi_document", ":2", "a second YAML document"),
        ("a: 1\n...\n---\n", "multi_document", ":3", "a second YAML document"),
        ("a: !!python/object/apply:os.system [id]\n", "forbidden_tag", ":1", "python/object/apply:os.system"),
        ("a: !!python/name:os.system ''\n", "forbidden_tag", ":1", "python/name:os.system"),
        ("a: !!str 1\n", "forbidden_tag", ":1", "2002:str"),
        ("a: !mine 1\n", "forbidden_tag", ":1", "'!mine'"),
        ("a: ! 1\n", "forbidden_tag", ":1", "'!'"),
        ("a: !!binary {}\n", "forbidden_tag", ":1", "2002:binary"),
        ("!!map {a: 1}\n", "forbidden_tag", ":1", "2002:map"),
        ("%YAML 1.1\n---\na: 1\n", "cassette_corrupt", ":1", "a YAML directive"),
        ("a: !!binary xyz\n", "cassette_corrupt", ":1", "!!binary is not base64"),
        ("a: no\n", "cassette_corrupt", ":1", "the plain scalar 'no' reads as bool in YAML 1.1; quote it"),
        ("a: 012\n", "cassette_corrupt", ":1", "'012' reads as int"),
        ("a: 1:30\n", "cassette_corrupt", ":1", "'1:30' reads as int"),
        ("a: 1.5\n", "cassette_corrupt", ":1", "'1.5' reads as float"),
        ("a: 2026-01-01\n", "cassette_corrupt", ":1", "reads as timestamp"),
        ("a: =\n", "cassette_corrupt", ":1", "reads as value"),
        ("1: a\n", "cassette_corrupt", ":1", "the key '1' is not text"),
        ("? [a]\n: b\n", "cassette_corrupt", ":1", "a mapping or list as a key"),
        ("a: 1\n b: 2\n", "cassette_corrupt", ":2", "at byte 7, not YAML: mapping values are not allowed"),
        ('é: "open\n', "cassette_corrupt", ":2", "at byte 10, not YAML"),
        ("", "cassette_corrupt", ":1", "the file is empty (0 bytes)"),
        (" \n\n", "cassette_corrupt", ":1", "the file is empty (3 bytes)"),
        ("# nothing\n", "cassette_corrupt", ":1", "the file holds nothing"),
        (b"\xef\xbb\xbfa: 1\n", "cassette_corrupt", ":1", "a byte order mark"),
        (b"\xff\xfea\x00", "cassette_corrupt", ":1", "invalid UTF-8"),
        (b"a: 1\nb: \xe9\n", "cassette_corrupt", ":2", "at byte 8, invalid UTF-8: invalid continuation byte"),
        (b"a: 1\nb: \x00\n", "cassette_corrupt", ":2", "at byte 8, a NUL byte"),
        (b"a: 1\r\nb: 2\r\n", "cassette_corrupt", ":1", ".gitattributes: `cassettes/** -text`"),
        (b"a: 1\nb: \x07\n", "cassette_corrupt", ":2", "at byte 8, not YAML: control characters are not allowed"),
    ],
)
def test_what_a_cassette_never_holds_is_refused_at_its_place(
    text: str | bytes, code: str, place: str, says: str
) -> None:
    """Each refusal has its code, its line, and says what stands there."""
    message = refused(text)
    assert message.startswith(f"{FILE}{place}: {code}: ")
    assert says in message
    assert f"git checkout -- {FILE}" in message


@pytest.mark.parametrize("bomb", [ALIAS_BOMB, MERGE_BOMB])
def test_a_bomb_is_refused_before_it_expands(bomb: str) -> None:
    """Some hundred bytes that a loader works on for minutes end at their first anchor."""
    assert len(bomb) < 800
    before = time.process_time()
    assert re.search(r":1: alias_limit: at byte [34], the anchor", refused(bomb))
    assert time.process_time() - before < 1


def test_depth_is_bounded() -> None:
    """A hundred thousand brackets are refused at the thirty-third, not by the C stack."""
    assert "more than 32 collections inside one another" in refused("[" * 100_000)
    assert "more than 32 collections" in refused("- " * 100_000)
    assert read("[" * 32 + "]" * 32) is not None


def test_the_number_of_values_is_bounded() -> None:
    """A list of a million numbers costs no more memory than the limit allows."""
    assert "size_limit: at byte 7, more than 3 values" in refused("[1, 2, 3]", values=3)
    assert read("[1, 2]", values=3) == [1, 2]


def test_plain_values_are_what_yaml_says() -> None:
    """Text, whole numbers, true, false and null pass, quoted or plain."""
    text = 'a: one\nb: -12\nc: true\nd: null\ne:\nf: \'no\'\ng: !!binary /w==\nh: |\n  x\ni: ["<<", 09x]\n"<<": {}\n'
    expected = {
        "a": "one", "b": -12, "c": True, "d": None, "e": None, "f": "no", "g": b"\xff", "h": "x\n",
        "i": ["<<", "09x"], "<<": {},
    }  # fmt: skip
    assert read(text) == expected
    assert yaml.load(text, Loader=yaml.CSafeLoader) == expected


def test_places_are_known() -> None:
    """Each key and collection has its line, so that a later check can point at it."""
    source = preflight(b"a:\n- b: 1\n  c:\n  - 2\n", FILE).source
    assert (source.line("a"), source.line("a", 0, "c"), source.line("a", 0, "c", 0)) == (1, 3, 3)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:-?[]{}&*!|>'\"%@`#, \n\t<~=01.é\u2028\x85", max_size=40) | st.binary(max_size=30))
def test_anything_is_read_as_pyyaml_reads_it_or_refused(text: str | bytes) -> None:
    """One error type for everything refused; everything accepted is PyYAML's answer."""
    raw = text.encode() if isinstance(text, str) else text
    try:
        root = read(raw)
    except CassetteError:
        return
    assert root == yaml.load(raw, Loader=yaml.CSafeLoader)
