"""What an outcome demands and the task forbids."""

from __future__ import annotations

import pytest

from tapegate.oracles.output_hygiene import OutputHygiene

TAGS = {"invariants": ["no_hidden_tag_leak"]}


def fact(**wordings):
    """A slot of one fact."""
    return {"facts": [{"name": "x", **wordings}]}


@pytest.mark.parametrize(
    ("slots", "terms", "found"),
    [
        ({"prefix": "<thinking>"}, TAGS, True),
        ({"prefix": "<thinking>"}, {"invariants": ["no_private_path_leak"]}, False),
        ({"prefix": {"any_of": ["<thinking>", "Well:"]}}, TAGS, False),
        ({"prefix": "Secret: "}, {"patterns": ["^Secret"]}, True),
        ({"prefix": "Secret"}, {"patterns": ["^Secret$"]}, False),
        (fact(any_of=["canary one"]), {"patterns": ["(?i)canary"]}, True),
        (fact(any_of=["canary one"]), {"patterns": ["canary"]}, False),
        (fact(any_of=["canary one", "bird one"]), {"patterns": ["(?i)canary"]}, False),
        (fact(all=["bird", "canary"]), {"patterns": ["(?i)canary"]}, True),
        (fact(all=["canary"]), {"patterns": ["(?i)^canary"]}, False),
        (fact(any_of=["/(?i)canary/"]), {"patterns": ["(?i)canary"]}, False),
        (fact(all=["bird"]), {"patterns": ["("]}, False),
        ({"prefix": 3, "facts": 3}, {"patterns": ["x"]}, False),
    ],
)
def test_what_is_demanded_may_be_said(make_task, slots, terms, found):
    """An outcome whose only texts are forbidden is reached by no answer; where one more is accepted, it is."""
    problems = OutputHygiene().problems(make_task({"required_slots": slots}, **terms))
    codes = [problem.code for problem in problems if problem.code == "unreachable_outcome"]
    assert codes == (["unreachable_outcome"] if found else [])
