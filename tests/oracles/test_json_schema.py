"""JSON Schemas held against values."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.oracles.json_schema import Unusable, broken, flaws


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
    assert list(flaws(schema)) == []
    assert (broken(schema, value) is None) is met


def test_a_pattern_that_stalls_other_engines_takes_no_time():
    """Patterns are RE2's: linear in the text."""
    assert broken({"pattern": "^(a+)+$"}, "a" * 5000 + "!") is not None


def test_a_value_of_very_many_levels_is_no_crash():
    """A schema that refers to itself cannot be followed for ever."""
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    assert broken({"items": {"$ref": "#"}}, deep) is not None


@pytest.mark.parametrize(
    "schema",
    [{"type": "STRING"}, {"pattern": "("}, {"$ref": "https://example.org/x"}, {"minLength": "3"}, {"properties": [1]}],
)
def test_a_schema_that_is_none_is_said_to_be_unusable(schema):
    """An agent's own schemas are not checked beforehand, and a value held against nonsense must not pass."""
    with pytest.raises(Unusable):
        broken(schema, "text" if "properties" not in schema else {})
