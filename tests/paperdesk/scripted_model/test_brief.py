"""The system prompt as the rules read it."""

from __future__ import annotations

from dataclasses import fields

import pytest

from paperdesk.library import Entry
from paperdesk.policy import TOOL_POLICY
from paperdesk.prompt import get_system_prompt
from paperdesk.scripted_model.brief import Brief, Policy, Preferences

RULE_OF = {
    "Local first": "local_first",
    "Read before citing": "read_before_citing",
    "Citations": "cite_local",
    "Web last": "web_last",
    "Honesty": "honest",
    "Privacy": "private",
}


def test_the_whole_policy() -> None:
    """Paperdesk's policy is understood whole."""
    policy = Policy.of("\n".join(TOOL_POLICY))
    assert all(getattr(policy, field.name) for field in fields(Policy))


@pytest.mark.parametrize("rule", TOOL_POLICY, ids=lambda rule: rule.split(":")[0])
def test_a_missing_rule(rule: str) -> None:
    """A rule that is taken out is missing, and only that one."""
    policy = Policy.of("\n".join(other for other in TOOL_POLICY if other != rule))
    assert [field.name for field in fields(Policy) if not getattr(policy, field.name)] == [RULE_OF[rule.split(":")[0]]]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Before you go to the web, search the local library.", "local_first"),
        ("You must have read a paper before you cite it.", "read_before_citing"),
        ("Every paper is linked as /paper/ID.", "cite_local"),
        ("Use the web only if asked to.", "web_last"),
        ("If nothing turns up, say so.", "honest"),
        ("Do not show hidden notes.", "private"),
    ],
)
def test_other_words(text: str, name: str) -> None:
    """A rule in other words is the same rule."""
    assert getattr(Policy.of(text), name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Preferences()),
        ("- opening: Start every answer with “So:”.", Preferences(opening="So:")),
        ('Begin each of your answers with "So:" and end every answer with "Bye."', Preferences("So:", "Bye.")),
        ("A bulleted list of at most one finding.", Preferences(bullets=True, limit=1)),
        ("Give at most 4 findings.", Preferences(limit=4)),
        ("Give at most several findings.", Preferences()),
    ],
)
def test_preferences(text: str, expected: Preferences) -> None:
    """Opening, closing, bullets and length are read from plain sentences."""
    assert Preferences.of(text) == expected


def test_the_real_prompt() -> None:
    """Paperdesk's own prompt is understood: preferences, papers, policy."""
    entries = [Entry("p-x-1", "A Title", "A Lab", 2020, "bricks"), Entry("p-x-2", "B", "B Lab", 2021, "tiles")]
    brief = Brief.of(get_system_prompt({"length": "At most one sentence."}, entries, TOOL_POLICY))
    assert brief.preferences == Preferences(limit=1)
    assert [(paper.id, paper.title) for paper in brief.shelf] == [("p-x-1", "A Title"), ("p-x-2", "B")]
    assert "bricks" in brief.shelf[0].line


def test_no_prompt() -> None:
    """Without a prompt there are no rules and no papers."""
    assert Brief.of("") == Brief(Policy(False, False, False, False, False, False), Preferences(), ())
