"""The YAML reader: scalars of YAML 1.2, and refusals at their places."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml

from tapegate.load import yaml_text
from tapegate.load.document import DEPTH
from tapegate.load.yaml_text import compose

PARSERS = {"c": yaml.CSafeLoader, "pure": yaml.SafeLoader}


@pytest.fixture(params=PARSERS, autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table of this file holds for PyYAML's C parser and for its pure one."""
    monkeypatch.setattr(yaml_text, "Parser", PARSERS[request.param])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("off", "off"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("1:30", "1:30"),
        ("2024-01-31", "2024-01-31"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("=", "="),
        ("true", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("nil", "nil"),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("012", 12),
        ("0o17", 15),
        ("-0o17", "-0o17"),
        ("0x1F", 31),
        ("0x", "0x"),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1.5E-3", -0.0015),
        (".", "."),
        ("1.2.3", "1.2.3"),
        ("1e", "1e"),
        ("٣", "٣"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("''", ""),
        ('"a\\/b\\u00e9\\x41\\0"', "a/béA\0"),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(text: str, value: object) -> None:
    """The core schema's spellings are numbers, booleans and null; all others, and all quoted ones, are text."""
    document = compose(f"key: {text}\n", "x.yaml")
    assert document.problems == ()
    assert document.value == {"key": value}
    assert type(document.value["key"]) is type(value)


def test_a_block_scalar_is_text_whatever_it_holds() -> None:
    """`|` and `>` hold text."""
    assert compose("a: |\n  12\nb: >-\n  true\n", "x.yaml").value == {"a": "12\n", "b": "true"}


REFUSED = [
    ("a: &x 1\nb: *x\n", ["1:4 alias_limit", "2:4 alias_limit"]),
    ("a: &x [1]\nb: 2\n", ["1:4 alias_limit"]),
    ("&k a: 1\n", ["1:1 alias_limit"]),
    ("base: {x: 1}\na:\n  <<: {y: 2}\n  z: 3\n", ["3:3 merge_key"]),
    ("a: !!python/object:os.system {}\n", ["1:4 tag_refused"]),
    ("a: !!str 12\n", ["1:4 tag_refused"]),
    ("a: ! 12\n", ["1:4 tag_refused"]),
    ('a: ! "12"\n', ["1:4 tag_refused"]),
    ("!!map\na: 1\n", ["1:1 tag_refused"]),
    ("%YAML 1.1\n---\na: 1\n", ["1:1 directive_refused"]),
    ("a: 1\nb: 2\na: 3\nb: 4\n", ["3:1 duplicate_key", "4:1 duplicate_key"]),
    ('{"a": 1, "\\u0061": 2}\n', ["1:10 duplicate_key"]),
    ("a: {b: 1}\na: {b: *x}\n", ["2:1 duplicate_key", "2:8 alias_limit"]),
    (
        "1: a\ntrue: b\n~: c\n1.5: d\n",
        ["1:1 non_string_key", "2:1 non_string_key", "3:1 non_string_key", "4:1 non_string_key"],
    ),
    ("[a]: 1\n", ["1:1 non_string_key"]),
    ("? {a: 1}\n: 2\n", ["1:3 non_string_key"]),
    ("a: 1\n---\nb: 2\n", ["2:1 multi_document"]),
    (
        "a: .inf\nb: -.INF\nc: .nan\nd: 1e999\n",
        ["1:4 not_finite", "2:4 not_finite", "3:4 not_finite", "4:4 not_finite"],
    ),
    ("a: 9223372036854775808\nb: 0x8000000000000000\n", ["1:4 number_limit", "2:4 number_limit"]),
    (f"a: {'9' * 5000}\n", ["1:4 number_limit"]),
    ("", ["1:1 empty_document"]),
    ("# only words\n", ["1:1 empty_document"]),
    ("[" * (DEPTH + 1), [f"1:{DEPTH + 1} depth_limit"]),
    (
        "a: &x 1\na: !t 2\n3: 4\nb: .nan\n",
        ["1:4 alias_limit", "2:1 duplicate_key", "2:4 tag_refused", "3:1 non_string_key", "4:4 not_finite"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), REFUSED)
def test_what_is_refused_is_told_at_its_place(text: str, expected: list[str], told: Callable[..., list[str]]) -> None:
    """Every refusal of a file is there, each at its line and column, not only the first."""
    assert told(compose(text, "x.yaml").problems) == expected


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x: 0\na: [1, 2\nb: 3\n", 3, "while parsing a flow sequence"),
        ("x: 0\na: b: c\n", 2, "mapping values are not allowed"),
        ('x: 0\na: "\\q"\n', 2, "unknown escape character"),
        ("a: |\n  x\n y\n", 3, "while parsing a block mapping"),
        ("a: @b\n", 1, "cannot start any token"),
    ],
)
def test_bad_syntax_is_told_on_its_line(text: str, line: int, words: str) -> None:
    """The one problem says on which line reading stopped, and what was being read."""
    document = compose(text, "x.yaml")
    (problem,) = document.problems
    assert (problem.code, problem.line) == ("yaml_syntax", line)
    assert words in problem.message.lower()
    assert not document.whole


def test_half_of_a_surrogate_pair_is_refused() -> None:
    """PyYAML's C parser calls the escape a syntax error, its pure one reads it: neither gives it to a caller."""
    (problem,) = compose('a: 1\nb: "\\ud800"\n', "x.yaml").problems
    assert (problem.code, problem.line) in {("yaml_syntax", 2), ("lone_surrogate", 2)}


def test_a_duplicate_key_names_both_lines() -> None:
    """The message says where each of the two stands, and the first one's value is kept."""
    document = compose("a: 1\nb: 2\na: 3\n", "x.yaml")
    (problem,) = document.problems
    assert "line 1" in problem.message
    assert "line 3" in problem.message
    assert document.value == {"a": 1, "b": 2}


def test_an_alias_bomb_costs_nothing() -> None:
    """Aliases are refused before anything is expanded (a file of 200 bytes stands for megabytes)."""
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 30))
    document = compose("l0: &l0 [lol]\n" + levels, "x.yaml")
    assert {problem.code for problem in document.problems} == {"alias_limit"}
    assert len(json.dumps(document.value)) < 3000


def test_the_deepest_allowed_nesting_is_read() -> None:
    """The limit itself passes; one more is refused."""
    assert compose("[" * DEPTH + "]" * DEPTH, "x.yaml").problems == ()
    assert [problem.code for problem in compose("- " * (DEPTH + 1) + "x", "x.yaml").problems] == ["depth_limit"]


def test_every_value_has_its_line() -> None:
    """Lines are those of the values; a path that the file does not hold has its ancestor's."""
    document = compose("a: 1\nb:\n  - x\n  - c: y\n    d: |\n      text\n", "x.yaml")
    source = document.source
    assert [source.line(*path) for path in [(), ("a",), ("b",), ("b", 0), ("b", 1, "c"), ("b", 1, "d")]] == [
        1,
        1,
        3,
        3,
        4,
        5,
    ]
    assert source.line("b", 1, "nowhere", 3) == 4
    assert document.place(("b", 1, "c")) == (4, 8)
    assert document.key_place(("b", 1, "c")) == (4, 5)


def test_columns_count_characters() -> None:
    """An emoji is one column, as it is in an editor."""
    assert compose('"é😀": 1', "x.yaml").place(("é😀",)) == (1, 7)
