"""Filling templates."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.subject.fill import fill, fill_json

VALUES = {"input": "what is {seed}?", "seed": "42"}


def test_a_value_is_never_filled_again():
    """Text of the input that looks like a placeholder stays as the user wrote it."""
    assert fill("{input} {seed}", VALUES) == "what is {seed}? 42"


def test_other_braces_are_text():
    """JSON stands in a template as it is."""
    assert fill('{"a": {"seed": {seed}}, "b": {}}', VALUES) == '{"a": {"seed": 42}, "b": {}}'


def test_a_value_is_quoted_for_where_it_lands():
    """The template stays as it is; what is filled in is escaped."""
    assert fill("/ask?q={input}", VALUES, lambda value: quote(value, safe="")) == "/ask?q=what%20is%20%7Bseed%7D%3F"


def test_texts_in_json_are_filled():
    """Texts at any depth are templates; keys and other values are not."""
    template = {"{seed}": ["{seed}", {"q": "{input}"}, 7, True, None, 1.5]}
    assert fill_json(template, VALUES) == {"{seed}": ["42", {"q": "what is {seed}?"}, 7, True, None, 1.5]}


def test_a_placeholder_without_a_value_is_an_error():
    """Nothing is left standing where the loader let a placeholder through that nobody fills."""
    with pytest.raises(KeyError):
        fill("{port}", VALUES)


@given(st.text())
def test_any_input_arrives_as_it_is(text):
    """One pass: whatever the input holds, it comes out unchanged."""
    assert fill("<{input}>", {"input": text}) == f"<{text}>"
