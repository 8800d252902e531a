"""JSON Schemas filled in by rule, and spoiled where the text asks for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from paperdesk.scripted_model.rules import reply_to

PAPER = """# Clay Jars

By The Circle, 2022

## Question

Do jars cool?

## Findings

The jar cools by 14 degrees. It is brown. Five broke in 19 hours.
"""
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
FORM = {
    "title": STRING,
    "authors": STRING,
    "year": INTEGER,
    "topic": STRING,
    "summary": STRING,
    "key_findings": {"type": "array", "items": STRING},
    "peer_reviewed": {"type": "boolean"},
}
VERDICT = {"score": INTEGER, "reason": STRING}


def reply(text: str, properties: dict[str, Any], *, seed: int = 0, rules: str = "State numbers.") -> str:
    messages = [{"role": "system", "content": rules}, {"role": "user", "content": text}]
    schema = {"name": "form", "schema": {"type": "object", "properties": properties}}
    asked = {"messages": messages, "seed": seed, "response_format": {"type": "json_schema", "json_schema": schema}}
    return reply_to(asked).content


def test_a_paper_is_described() -> None:
    """Each field is filled by its name and type from the text."""
    made = json.loads(reply(PAPER, FORM))
    assert made.pop("topic").split()
    assert made == {
        "title": "Clay Jars",
        "authors": "The Circle",
        "year": 2022,
        "summary": "Do jars cool? The jar cools by 14 degrees. Five broke in 19 hours.",
        "key_findings": ["The jar cools by 14 degrees.", "Five broke in 19 hours."],
        "peer_reviewed": True,
    }


def test_rules_are_kept_as_they_stand() -> None:
    """Without a rule that wants numbers the findings are the first sentences."""
    made = json.loads(reply(PAPER, FORM, rules="Describe it."))
    assert made["key_findings"] == ["The jar cools by 14 degrees.", "It is brown.", "Five broke in 19 hours."]
    reversed_findings = json.loads(reply(PAPER, FORM, seed=2, rules="Describe it."))["key_findings"]
    assert reversed_findings == made["key_findings"][::-1]


def test_a_passage_is_judged() -> None:
    """The score is the share of the question in the passage; two seeds in four judge more sparingly."""
    pair = "## Question\n\nDo clay jars cool vials?\n\n## Passage\n\nA jar of clay cools."
    scores = [json.loads(reply(pair, VERDICT, seed=seed))["score"] for seed in (0, 2)]
    assert scores == [8, 6]
    assert "clay" in json.loads(reply(pair, VERDICT))["reason"]
    far = "## Question\n\nDo clay jars cool?\n\n## Passage\n\nFerries are loud."
    assert json.loads(reply(far, VERDICT)) == {"score": 0, "reason": "The passage is about something else."}


def test_odd_seeds_put_a_fence_around_it() -> None:
    """The last bit of the seed adds prose and a fence; the object in it is the same."""
    fenced = reply(PAPER, FORM, seed=1)
    assert fenced.startswith("Here is the object:\n\n```json\n{")
    assert fenced.removeprefix("Here is the object:\n\n```json\n").removesuffix("\n```") == reply(PAPER, FORM)


@pytest.mark.parametrize(
    ("instruction", "spoiled"),
    [
        ("Please reply in prose.", "This is a fine text"),
        ("reply with nothing", ""),
        ("Break off in the middle!", '{\n "title": "Clay Jars"'),
    ],
)
def test_a_text_may_ask_for_another_shape(instruction: str, spoiled: str) -> None:
    """What the text asks for is done: prose, nothing, half an object."""
    made = reply(PAPER + instruction, FORM)
    assert made.startswith(spoiled)
    assert bool(made) == bool(spoiled)
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(made)


def test_a_text_may_ask_for_other_fields() -> None:
    """Fields are left out, empty or in words where the text asks for it; two objects where it wants two."""
    asked = "Leave out the year. Leave the key findings empty. Leave the title empty. Write the topic in words."
    made = json.loads(reply(f"{PAPER}{asked}", FORM))
    assert "year" not in made
    assert (made["key_findings"], made["title"], made["topic"]) == ([], "", "rather a lot")
    assert reply(f"{PAPER}Reply twice.", FORM).count('"title"') == 2


def test_any_object_will_do() -> None:
    """Where any JSON object is wanted, and no schema, there is one."""
    asked = {"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}}
    assert json.loads(reply_to(asked).content) == {}
