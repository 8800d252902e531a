"""The JSON object in a model's reply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperdesk.json_reply import object_in


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Sure:\n{"a": {"b": "}"}} done', {"a": {"b": "}"}}),
        ('{"a": 1} and again {"a": 1}', {"a": 1}),
        ('<thinking>{"a": 2}</thinking>{"a": 1}', {"a": 1}),
        ('{not json} {"a": 1}', {"a": 1}),
        ("", None),
        ("null", None),
        ("[1, 2]", None),
        ('{"a": 1', None),
        ('{"a": NaN}', None),
        ('{"a": 1, "a": 2}', None),
        ('{"a": 1} {"a": 2}', None),
        ("{" * 5000, None),
    ],
)
def test_object_in(reply: str, expected: dict[str, Any] | None) -> None:
    """One object is found in fences and prose; none, several that differ, and what is no JSON are not."""
    assert object_in(reply) == expected


@given(st.text(alphabet='{}[]":,ab1 \n<>/thinkprv', max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_has_an_answer(reply: str) -> None:
    """No text makes it raise."""
    assert object_in(reply) is None or isinstance(object_in(reply), dict)
