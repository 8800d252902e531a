"""Strict JSON and field access."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.stream.frame import DEPTH_LIMIT, BadFrame, need, objects, read_json, read_object, take, whole

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_any_json_comes_back(value):
    """What is JSON is read as what it is, written with or without blanks and escapes."""
    for text in (
        json.dumps(value),
        json.dumps(value, separators=(",", ":"), ensure_ascii=False),
        json.dumps(value, indent=2),
    ):
        assert read_json(text) == value
        assert type(read_json(text)) is type(value)


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**30, 0, -1, 1.5, 1e300])
def test_numbers_are_exact(number):
    """No integer becomes a float, however long."""
    assert repr(read_json(f'{{"n":{number!r}}}')["n"]) == repr(number)
    assert repr(read_json(f'{{ "n": {number!r} }}')["n"]) == repr(number)
    assert whole({"n": number})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON: ''"),
        ('{"a":1,}', "not JSON: '{\"a\":1,}'"),
        ('{"a":1,"\\u0061":2}', "duplicate key 'a'"),
        ('{"a":1,"a":1}', "duplicate key 'a'"),
        ('[{"b":{"a":1,"c":2,"a":3}}]', "duplicate key 'a'"),
        ("NaN", "'NaN' is not JSON"),
        ("[-Infinity]", "'-Infinity' is not JSON"),
        ("1e999", "'1e999' is no finite number"),
        ("9" * 5000, "not JSON: '999"),
        ("[" * (DEPTH_LIMIT + 1) + "]" * (DEPTH_LIMIT + 1), "nested deeper than 100 levels"),
        ('{"a":' * 200 + "1" + "}" * 200, "nested deeper than 100 levels"),
        ("[" * 100_000, "nested deeper than 100 levels"),
    ],
)
def test_what_another_reader_would_stumble_over_is_refused(text, said):
    """Duplicate keys, numbers that are none, and depth are refused, each with its reason."""
    with pytest.raises(BadFrame) as caught:
        read_json(text)
    assert said in caught.value.message
    assert len(caught.value.message) < 200


def test_depth_counts_levels_and_not_brackets():
    """Brackets in strings or side by side are no depth; the limit itself is allowed."""
    assert read_json("[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT)
    assert len(read_json(json.dumps([[]] * 500 + ["[" * 500]))) == 501


def test_an_object_is_an_object():
    """A frame that must be an object is told by what it is instead."""
    with pytest.raises(BadFrame, match="'\\[1\\]' is a list, expected an object"):
        read_object("[1]")


def test_fields_are_taken_by_name_and_type():
    """The first name that is there counts, null is absent, and a bool is no integer."""
    frame = {"a": None, "b": "x", "n": 3, "t": True}
    assert take(frame, str, "a", "b") == "x"
    assert take(frame, str, "zzz") is None
    assert need(frame, int, "n") == 3
    assert need(frame, bool, "t") is True
    with pytest.raises(BadFrame, match="field 't' is true or false, expected an integer"):
        take(frame, int, "t")
    with pytest.raises(BadFrame, match="field 'zzz' is missing, expected a string; it has"):
        need(frame, str, "zzz")
    with pytest.raises(BadFrame, match="a list holds a number, expected objects only"):
        objects([{}, 1.5])
    assert objects(None) == []


def test_half_a_surrogate_pair_has_no_utf8_form():
    """A lone half is found in keys and values; a pair is not one."""
    assert whole({"a": ["😀"]})
    assert not whole({"a": ["\ud83d"]})
    assert not whole({"\ude00": 1})
