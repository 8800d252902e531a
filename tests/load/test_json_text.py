"""The JSON scanner: RFC 8259 to the letter, and every refusal at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.load.document import DEPTH
from tapegate.load.json_text import scan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1,\n "\\u0061": 2}', ["2:2 duplicate_key"]),
        ('{"a": 1, "a": {"b": 1, "b": 2}}', ["1:10 duplicate_key", "1:24 duplicate_key"]),
        (
            '{"a": "\\ud800",\n "b": 1e999,\n "c": 9223372036854775808}',
            ["1:7 lone_surrogate", "2:7 not_finite", "3:7 number_limit"],
        ),
        ("-" + "9" * 5000, ["1:1 number_limit"]),
        ("[1,\n 2,]", ["2:4 json_syntax"]),
        ('{"a": 1,}', ["1:9 json_syntax"]),
        ('{"a" 1}', ["1:6 json_syntax"]),
        ("{a: 1}", ["1:2 json_syntax"]),
        ("[NaN]", ["1:2 json_syntax"]),
        ("[Infinity]", ["1:2 json_syntax"]),
        ("[True]", ["1:2 json_syntax"]),
        ("[01]", ["1:3 json_syntax"]),
        ("[+1]", ["1:2 json_syntax"]),
        ("[.5]", ["1:2 json_syntax"]),
        ("[1.]", ["1:3 json_syntax"]),
        ('["a\nb"]', ["1:4 json_syntax"]),
        ('["a', ["1:2 json_syntax"]),
        ('["\\x"]', ["1:3 json_syntax"]),
        ("[1", ["1:3 json_syntax"]),
        ("['a']", ["1:2 json_syntax"]),
        ("[1] // no", ["1:5 json_syntax"]),
        ("{}\n{}", ["2:1 json_syntax"]),
        ("\u00a01", ["1:1 json_syntax"]),
        ("[" * (DEPTH + 1), [f"1:{DEPTH + 1} depth_limit"]),
        ("", ["1:1 empty_document"]),
    ],
)
def test_what_is_refused_is_told_at_its_place(text: str, expected: list[str], told: Callable[..., list[str]]) -> None:
    """Each problem stands at its line and column, and what can be read further is read for further problems."""
    assert told(scan(text, "x.json").problems) == expected


def test_escapes_and_surrogate_pairs_are_read() -> None:
    """All of JSON's escapes, and a pair of escaped surrogates, are the characters they stand for."""
    assert scan(r'"\/\\\"\b\f\n\r\t\u00e9\ud83d\ude00"', "x.json").value == '/\\"\b\f\n\r\té😀'


def test_every_value_has_its_place() -> None:
    """Lines and columns count from 1, and columns count characters."""
    document = scan('{"é😀": [1,\r\n  {"a": null}],\n"b" : 2 }', "x.json")
    assert document.places == {
        (): (1, 1),
        ("é😀",): (1, 8),
        ("é😀", 0): (1, 9),
        ("é😀", 1): (2, 3),
        ("é😀", 1, "a"): (2, 9),
        ("b",): (3, 7),
    }
    assert document.key_place(("b",)) == (3, 1)
    assert document.source.line("é😀", 1, "a") == 2
