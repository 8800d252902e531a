"""An answer that is JSON."""

from __future__ import annotations

import pytest

from tapegate.oracles.answer_json import NoJson, parsed, wrong_at


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
