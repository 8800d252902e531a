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


@pytest.mark.parametrize(
    ("schema", "path", "said"),
    [
        ({"requried": ["a"]}, ("requried",), "did you mean 'required'?"),
        ({"type": "object", "propreties": {"a": {}}}, ("propreties",), "did you mean 'properties'?"),
        ({"properties": {"a": {"tpye": "string"}}}, ("properties", "a", "tpye"), "did you mean 'type'?"),
        ({"anyOf": [{"mininum": 1}]}, ("anyOf", 0, "mininum"), "did you mean 'minimum'?"),
        ({"items": {"maxLenght": 1}}, ("items", "maxLenght"), "did you mean 'maxLength'?"),
        ({"not": {}}, ("not",), "no value at all"),
        ({"not": True}, ("not",), "no value at all"),
        ({"properties": {"a": {"minimum": 3, "maximum": 2}}}, ("properties", "a", "minimum"), "no value at all"),
    ],
)
def test_a_keyword_that_would_do_nothing_is_refused(schema, path, said):
    """A misspelt keyword is passed over by every validator, so that anything would pass."""
    (flaw,) = flaws(schema)
    assert (flaw.code, flaw.path) == ("bad_slot_value", path)
    assert said in flaw.message


def test_names_of_properties_and_values_are_no_keywords():
    """What a schema says of a value may be called like anything; `x-` is for notes of one's own."""
    schema = {"properties": {"requried": {"const": {"tpye": 1}, "default": {"a": 1}}}, "x-note": 1, "required": ["x"]}
    assert list(flaws({**schema, "not": {"const": 1}, "minimum": 2, "maximum": 2})) == []
