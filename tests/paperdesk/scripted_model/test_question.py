"""What the user asks for."""

from __future__ import annotations

import pytest

from paperdesk.scripted_model.question import Question


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("Hello!", {"is_small_talk"}),
        ("Hi, how wide are red bricks?", set()),
        ("Search the web for bricks", {"wants_web"}),
        ("What does the internet say?", set()),
        ("Bricks, but do not search the web", {"refuses_web"}),
        ("Use only my library", {"refuses_web"}),
        ("What do my notes say?", {"wants_hidden"}),
        ("Where is the PDF of this paper stored?", {"wants_hidden", "follows_up"}),
        ("Where are bricks stored?", set()),
        ("And what does it cost?", {"follows_up"}),
    ],
)
def test_signs(text: str, signs: set[str]) -> None:
    """Greetings, wishes for or against the web, for hidden things, and references back are told by their words."""
    names = ("is_small_talk", "wants_web", "refuses_web", "wants_hidden", "follows_up")
    assert {name for name in names if getattr(Question(text), name)} == signs


@pytest.mark.parametrize(("text", "papers"), [("Compare bricks and tiles", 2), ("How wide are bricks?", 1)])
def test_papers(text: str, papers: int) -> None:
    """A comparison takes two papers."""
    assert Question(text).papers == papers


def test_ids() -> None:
    """Links and bare ids are found, parts of longer ids are not."""
    question = Question("What do /paper/p-a-1, and p-b-22, say?")
    assert question.linked == ("p-a-1",)
    assert question.names("p-b-22")
    assert not question.names("p-b-2")
    assert not question.names("b-22")


@pytest.mark.parametrize(
    ("text", "query"), [("How wide are red bricks?", "wide red bricks"), ("What is it?", "What is it?")]
)
def test_query(text: str, query: str) -> None:
    """The query is made of the key words, or of the whole text where there are none."""
    assert Question(text).query == query


HINT = "<hint>Local first. Begin with “From here:” or with “From elsewhere:”.</hint>"


def test_hint() -> None:
    """What a client has added stands apart from the user's words, and says how an answer begins."""
    question = Question.of(f"How wide are bricks?\n\n{HINT}")
    assert question.text == "How wide are bricks?"
    assert question.openings == ("From here:", "From elsewhere:")
    assert not question.wants_web
    assert Question.of("How wide are bricks?") == Question("How wide are bricks?")
    assert Question("Hello!").openings == ()


def test_a_hint_may_send_to_the_web() -> None:
    """A hint that puts the web first is a wish for the web, unless the user refuses it."""
    hint = "<hint>Search the web before my library.</hint>"
    assert Question.of(f"How wide are bricks?\n{hint}").wants_web
    assert not Question.of(f"How wide are bricks? Use only my library.\n{hint}").wants_web
