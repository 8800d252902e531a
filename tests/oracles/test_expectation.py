"""What a value of JSON must be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.oracles.expectation import ABSENT, dotted, mismatch, shown
from tapegate.oracles.expectation_flaws import RULES, flaws

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("expected", "got", "met"),
    [
        (3, 3, True),
        (3, 3.0, True),
        (0.1, 0.1, True),
        (1, True, False),
        (True, 1, False),
        (None, None, True),
        (None, ABSENT, False),
        ("a", "a", True),
        ("a", "A", False),
        ("3", 3, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 2}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": 1}, [], False),
        ({"$equals": {"$min": 3}}, {"$min": 3}, True),
        ({"$equals": {"a": 1}}, {"a": 1, "b": 2}, False),
        ({"$any_of": [1, "one"]}, "one", True),
        ({"$any_of": [1, "one"]}, 2, False),
        ({"$not": "x"}, "y", True),
        ({"$not": "x"}, "x", False),
        ({"a": {"$absent": True}}, {}, True),
        ({"a": {"$absent": True}}, {"a": None}, False),
        ({"a": {"$not": 1}}, {}, False),
        ({"$type": "integer"}, 3.0, True),
        ({"$type": "integer"}, 3.5, False),
        ({"$type": "number"}, True, False),
        ({"$type": "null"}, None, True),
        ({"$regex": "^a+$"}, "aaa", True),
        ({"$regex": "^a+$"}, "ab", False),
        ({"$regex": "1"}, 1, False),
        ({"$says": "12,500 abstracts"}, "All **12500 Abstracts**", True),
        ({"$says": ["no", "12"]}, "112", False),
        ({"$not_empty": True}, " ", False),
        ({"$not_empty": True}, "\u2060 \u200b", False),
        ({"$not_empty": True}, [], False),
        ({"$not_empty": True}, 0, True),
        ({"$min": 1, "$max": 3}, 3, True),
        ({"$min": 1, "$max": 3}, 3.01, False),
        ({"$min": 1}, "2", False),
        ({"$near": 3.6, "$abs": 0.1}, 3.7, True),
        ({"$near": 3.6, "$abs": 0.1}, 3.71, False),
        ({"$near": 200, "$rel": 0.05}, 190, True),
        ({"$near": 200, "$rel": 0.05}, 189, False),
        ({"$near": 0.3}, 0.3, True),
        ({"$length": {"min": 1, "max": 2}}, "ab", True),
        ({"$length": {"max": 2}}, [1, 2, 3], False),
        ({"$length": {"max": 2}}, 1, False),
        ({"$each": {"$type": "string"}}, ["a", "b"], True),
        ({"$each": {"$type": "string"}}, ["a", 1], False),
        ({"$each": {"$type": "string"}}, [], False),
        ({"$includes": [{"id": 1}, {"id": 2}]}, [{"id": 2, "x": 0}, {"id": 3}, {"id": 1}], True),
        ({"$includes": [{"$min": 1}, {"$min": 1}]}, [5], False),
        ({"$unordered": [2, 1]}, [1, 2], True),
        ({"$unordered": [2, 1]}, [1, 2, 3], False),
        ({"$unordered": [{"$any_of": [1, 2]}, 1]}, [1, 2], True),
    ],
)
def test_table(expected, got, met):
    """Each expectation is met by the values that it admits and by no others."""
    assert list(flaws(expected)) == []
    assert (mismatch(expected, got) is None) is met


def test_an_exact_match_leaves_no_other_key():
    """At any depth."""
    assert mismatch({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, exact=True) is not None
    assert mismatch({"a": {"b": 1}}, {"a": {"b": 1}}, exact=True) is None


def test_a_mismatch_says_where():
    """The path from the value downwards, what was expected there and what stands there."""
    found = mismatch({"items": [1, {"name": {"$min": 3}}]}, {"items": [1, {"name": 2}]})
    assert found is not None
    assert (dotted(found.path), found.expected, found.got) == ("items[1].name", "min 3", "2")


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ({"$regx": "a"}, "bad_slot_value"),
        ({"$regex": "(?=a)"}, "bad_pattern"),
        ({"$regex": "a*"}, "vacuous_pattern"),
        ({"$regex": 1}, "bad_slot_value"),
        ({"$any_of": []}, "bad_slot_value"),
        ({"$any_of": [{"$is": 1}]}, "bad_slot_value"),
        ({"$type": "text"}, "bad_slot_value"),
        ({"$type": ["string"]}, "bad_slot_value"),
        ({"$min": "1"}, "bad_slot_value"),
        ({"$min": 2, "$max": 1}, "unreachable_outcome"),
        ({"$near": 1, "$abs": -1}, "bad_slot_value"),
        ({"$abs": 1}, "bad_slot_value"),
        ({"$absent": False}, "bad_slot_value"),
        ({"$absent": True, "$min": 1}, "unreachable_outcome"),
        ({"$says": "…"}, "bad_slot_value"),
        ({"$length": {}}, "bad_slot_value"),
        ({"$length": {"min": 3, "max": 1}}, "unreachable_outcome"),
        ({"a": [{"b": {"$or": 1}}]}, "bad_slot_value"),
        ({"$min": 1, "max": 2}, "bad_slot_value"),
    ],
)
def test_an_expectation_that_cannot_be_used_is_refused(expected, code):
    """At load, with the place in the expectation."""
    assert next(flaw.code for flaw in flaws(expected)) == code


@settings(max_examples=150, deadline=None)
@given(JSON, JSON)
def test_any_value_meets_itself_and_none_raises(one, other):
    """Whatever the two are, there is an answer; a value is its own expectation."""
    assert mismatch({"$equals": one}, one) is None
    mismatch(one, other)
    assert "\n" not in shown(other)


def test_values_of_very_many_levels_are_no_trouble():
    """What lies deeper than any task can describe is a mismatch, not a crash."""
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    assert mismatch({"a": 1}, {"a": deep}) is not None
    assert mismatch({"$equals": 1}, deep) is not None


def test_every_rule_stands_in_the_docs():
    """`docs/expectations.md` knows each rule, and no other."""
    page = (Path(__file__).parents[2] / "docs" / "expectations.md").read_text("utf-8")
    table = page[page.index("| rule |") :]
    assert {f"${name}" for name in re.findall(r"`\$(\w+)", table)} == set(RULES)
