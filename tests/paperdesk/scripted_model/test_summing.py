"""Preferences summed up by rule."""

from __future__ import annotations

from typing import Any

import pytest

from paperdesk.scripted_model.request import BadRequest, Request
from paperdesk.scripted_model.rules import reply_to
from paperdesk.scripted_model.summing import summed_up, wants_summary

RULES = 'Sum up what this user prefers.\nBegin with "Taste:" and write one to {} sentences.'
SAID = ["Short answers about kelp, please.", "Which numbers does kelp have?", "Cite your sources in German."]


def summary(seed: int, said: list[str] = SAID, limit: str = "three") -> str:
    lines = "\n".join(f"- {message}" for message in said)
    messages = [{"role": "system", "content": RULES.format(limit)}, {"role": "user", "content": f"## Said\n\n{lines}"}]
    return reply_to({"messages": messages, "seed": seed}).content


def test_what_is_told() -> None:
    """Signal words and repeated topics become sentences, as many as are wanted, behind the wanted beginning."""
    assert summary(0) == "Taste: The user prefers short answers. The user wants numbers with their units." + (
        " The user wants to see sources."
    )
    assert summary(0, limit="one") == "Taste: The user prefers short answers."
    assert summary(0, limit="5").endswith("The user wants answers in German. The user asks most about kelp.")
    assert summary(0, ["Hm."]) == "Taste: The user has stated no preference."


def test_seeds_break_rules() -> None:
    """Of four seeds one keeps to the rules; the others leave out the beginning, quote the user and run on, or both."""
    assert summary(1).startswith("Sure! Here is the summary:\n\nThe user wants numbers")
    assert "“Short answers about kelp, please”" in summary(2)
    assert summary(2).count(". ") > 3
    assert "“Short answers about kelp, please”" in summary(3)
    assert len({summary(seed) for seed in range(4)}) == 4


def test_only_where_it_is_asked_for() -> None:
    """Another task, or one with tools, is not a summary; one without messages is refused."""
    assert not wants_summary(Request("Answer questions.", "x", None, tools=False, seed=0))
    with pytest.raises(BadRequest, match="no messages"):
        summed_up(Request(RULES, "nothing here", None, tools=False, seed=0))
    tool: Any = {"type": "function", "function": {"name": "search", "description": "Search.", "parameters": {}}}
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": "Hello!"}]
    assert reply_to({"messages": messages, "tools": [tool]}).text.startswith("Hello!")
