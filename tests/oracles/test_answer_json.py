"""An answer that is JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.oracles.answer_json import JSON_SCHEMA, NoJson, broken_schema, parsed, wrong_at


@pytest.mark.parametrize(
    "answer",
    ["", " ", "Sure!", "{'a': 1}", '{"a": 1} {"a": 2}', '{"a": 1, "a": 2}', "[NaN]", '{"a": 1', "```json\n1\n```"],
)
def test_what_is_not_exactly_one_value_is_no_json(answer):
    """Prose around it, two values, a key twice, NaN, a fence that was not asked for."""
    with pytest.raises(NoJson):
        parsed(answer)


def test_a_fence_is_opened_where_it_is_asked_for():
    """One fenced block, with prose around it or not; two leave it open which is meant."""
    assert parsed('Here:\n```json\n{"a": 1}\n```\nDone.', fenced=True) == {"a": 1}
    assert parsed('{"a": 1}', fenced=True) == {"a": 1}
    with pytest.raises(NoJson, match="2 fenced blocks"):
        parsed("```\n1\n```\n```\n2\n```", fenced=True)


@pytest.mark.parametrize(
    ("path", "expected", "met"),
    [
        ("$", {"ok": True}, True),
        ("items[0].id", 1, True),
        ("items[*].id", {"$type": "integer"}, True),
        ("items[*].id", 1, False),
        ("items[9].id", 1, False),
        ("missing", {"$absent": True}, True),
        ("ok", {"$absent": True}, False),
        ("*", {"$not_empty": True}, True),
    ],
)
def test_every_place_that_a_path_leads_to_is_looked_at(path, expected, met):
    """A path that leads nowhere is a mismatch, unless its value is to be absent."""
    value = {"ok": True, "items": [{"id": 1}, {"id": 2}]}
    assert (wrong_at(path, expected, value) is None) is met


@pytest.mark.parametrize(
    ("schema", "value", "met"),
    [
        ({"type": "integer"}, 3, True),
        ({"type": "integer"}, "3", False),
        ({"type": "string", "pattern": "^a+$"}, "aaa", True),
        ({"type": "string", "pattern": "^a+$"}, "ab", False),
        ({"$ref": "#/$defs/id", "$defs": {"id": {"minimum": 1}}}, 0, False),
        ({"items": {"$ref": "#"}, "maxItems": 1}, [[[]]], True),
        ({"items": {"$ref": "#"}, "maxItems": 1}, [[[], []]], False),
    ],
)
def test_a_schema_is_held_to(schema: dict[str, Any], value, met):
    """Draft 2020-12, with references within itself and patterns in RE2."""
    assert list(JSON_SCHEMA.flaws(schema)) == []
    assert (broken_schema(schema, value) is None) is met


def test_a_pattern_that_stalls_other_engines_takes_no_time():
    """Patterns are RE2's: linear in the text."""
    assert broken_schema({"pattern": "^(a+)+$"}, "a" * 5000 + "!") is not None


def test_a_value_of_very_many_levels_is_no_crash():
    """A schema that refers to itself cannot be followed for ever."""
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    assert broken_schema({"items": {"$ref": "#"}}, deep) is not None
