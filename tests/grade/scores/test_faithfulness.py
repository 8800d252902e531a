"""The deterministic faithfulness score."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tapegate.grade.scores.faithfulness import faithfulness
from tapegate.model.trace import Exchange, ToolCall, ToolResult, Trace

MOSS = {
    "id": "p-moss",
    "title": "Moss Walls",
    "year": 2021,
    "text": "They were 3.6 degrees Celsius cooler. 81 percent.",
}
BEES = {"id": "p-bees", "title": "Bees", "text": "There were 23 nests per 100 square metres in Rome."}
MODEL = Exchange(0, "model", "POST", "/chat/completions", 200, 0, 1, 1, model="m")

Score = Callable[..., tuple[int | None, tuple[str, ...]]]


@pytest.fixture
def scored(make_trace: Callable[..., Trace]) -> Score:
    """Scores an answer of an agent that was given two papers, shown as a snippet and read in full."""

    def score(answer: str, *events: Any, **fields: Any) -> tuple[int | None, tuple[str, ...]]:
        given = {"given": (json.dumps(MOSS), json.dumps({"results": [BEES]})), "exchanges": (MODEL,), **fields}
        return faithfulness("What happened to the 7 shelters?", make_trace(*events, answer, **given))

    return score


@pytest.mark.parametrize(
    "answer",
    [
        "They were 3.6 °C cooler ([Moss Walls](/paper/p-moss)).",
        "[Moss Walls](/paper/p-moss), of 2021, says 81 %.",
        "- 3.6 degrees\n- 81 percent\n\nSource: [Moss Walls](/paper/p-moss)",
        "Moss cools by 3.6 degrees (/paper/p-moss) and there were 23 nests per 100 m² (/paper/p-bees).",
        "There were 23 nests.",
        "Of the 7 shelters I found nothing.",
        "Hello!",
        "",
    ],
)
def test_a_supported_answer_is_faithful(answer: str, scored: Score) -> None:
    """Every fact stands in the text cited, in what was read, or in the question; no fact is no claim."""
    assert scored(answer) == (2, ())


@pytest.mark.parametrize(
    ("answer", "score", "note"),
    [
        ("They were 9.9 degrees cooler (/paper/p-moss).", 0, "'9.9 degrees' stands under a citation of /paper/p-moss"),
        ("They were 3.6 metres high (/paper/p-moss).", 0, "'3.6 metres' stands under a citation"),
        ("They were 3.6 degrees cooler (/paper/p-mist).", 0, "cites /paper/p-mist, which no tool result"),
        ('It says "moss walls never work at all" (/paper/p-moss).', 0, "'moss walls never work at all'"),
        ("It is 42.", 0, "'42' stands in nothing that was read"),
        ("Moss, 3.6 degrees, 81 % (/paper/p-moss).\n\nThat makes 42.", 1, "'42' stands in nothing"),
        ("Moss cools by 3.6 degrees and 23 nests (/paper/p-moss).", 1, "'23' was read, but not in /paper/p-moss"),
        ("Moss cools by 3.6 degrees (/papers/p-moss).", 1, "'/papers/p-moss' leads to no source: a paper is cited as"),
        ("Moss, 3.6 degrees (/paper/p-moss).\n\n[It](/papers/x) says 97 %.", 0, "'97 %' stands under a citation of"),
        ("All is well, see [here]().", 1, "'' leads to no source: it leads nowhere"),
        ("In Oslo moss cools by 3.6 degrees, or 81 % (/paper/p-moss).", 1, "'Oslo' stands in nothing"),
    ],
)
def test_what_is_not_supported_costs(answer: str, score: int, note: str, scored: Score) -> None:
    """Fabricated under a citation, also a malformed one: 0. Misplaced, uncited, a name, or cited by what leads nowhere:
    1, unless it outnumbers what is supported."""
    found, notes = scored(answer)
    assert found == score
    assert any(note in one for one in notes), notes


def test_the_text_cited_is_what_tools_returned_about_it(make_trace: Callable[..., Trace]) -> None:
    """Objects by their id or address, JSON in texts included; plain texts by the ids and addresses they name."""
    answers = {
        "Cools by 3.6 degrees (/paper/p-moss).": ToolResult("1", "read", True, MOSS),
        "Cools by 3.6 degrees, (/paper/p-moss).": ToolResult("1", "read", True, {"results": [json.dumps(MOSS)]}),
        "Cools by 3.6 degrees; (/paper/p-moss).": ToolResult("1", "read", True, "id: p-moss\nCooler by 3.6 degrees."),
        "Cools by 3.6 degrees! (https://a.b/c).": ToolResult(
            "1", "web", True, [{"url": "https://A.b/c#x", "snippet": "by 3.6 degrees"}]
        ),
    }
    for answer, result in answers.items():
        assert faithfulness("?", make_trace(result, answer, exchanges=(MODEL,))) == (2, ())
    failed = ToolResult("1", "read", False, MOSS)
    assert faithfulness("?", make_trace(failed, "Cools by 3.6 degrees (/paper/p-moss).", exchanges=(MODEL,)))[0] == 0


def test_what_cannot_be_seen_is_not_scored(make_trace: Callable[..., Trace]) -> None:
    """Tools were called and no result is in the trace, or no call of a model can be read: the score is missing."""
    call = ToolCall("1", "read", {})
    for trace in (make_trace(call, "It is 42.", exchanges=(MODEL,)), make_trace("It is 42.")):
        score, notes = faithfulness("?", trace)
        assert score is None
        assert notes
    assert faithfulness("?", make_trace("It is 42.", exchanges=(MODEL,)))[0] == 0
    assert faithfulness("?", make_trace("Hello there")) == (2, ())


DOCUMENT = "## Paper\n\nClay jars kept vaccines at 6 degrees in Oslo. See [Jars](/paper/p-jars)."


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Clay jars kept vaccines at 6 degrees.", 2),
        ("In Oslo clay jars kept vaccines at 6 degrees (/paper/p-jars).", 2),
        ("Clay jars kept vaccines at 9 degrees.", 0),
        ('{"title": "Clay jars kept vaccines at 6 degrees", "year": 1999, "id": "p-9", "n": [7, "v8"]}', 2),
        ('{"findings": ["Clay jars kept vaccines at 9 degrees"]}', 0),
        ("I am Zelda of Trondheim.", 1),
        ('It says "clay jars […] kept vaccines at 6 degrees".', 2),
        ('It says "clay jars [sic] kept antidotes at 6 degrees" of 6 degrees.', 1),
    ],
)
def test_a_document_that_the_model_was_told_is_read(answer: str, score: int, make_trace: Callable[..., Trace]) -> None:
    """Also where no tool returned it. Of an answer in JSON its sentences are claims; a name alone is never a 0."""
    trace = make_trace(answer, exchanges=(MODEL,), prompted=(DOCUMENT, "What is it?"))
    assert faithfulness("What is it?", trace)[0] == score


def test_the_question_is_no_source_of_its_own_citation(make_trace: Callable[..., Trace]) -> None:
    """A link that only the user wrote was read by nobody."""
    question = "What does /paper/p-x say of 3 jars?"
    trace = make_trace("It says 3 (/paper/p-x).", exchanges=(MODEL,), prompted=(question,))
    assert faithfulness(question, trace)[0] == 0


def test_what_a_tool_returned_out_of_sight_is_not_held_against_its_answer(make_trace: Callable[..., Trace]) -> None:
    """An answer in JSON that passes on passages which no request shows: the score is missing, not 0."""
    events = (ToolCall("1", "retrieve", {}), ToolResult("1", "retrieve", True, {"kept": ["p-moss#1"]}))
    answer = json.dumps({"passages": [{"text": "It was 3.6 degrees cooler.", "url": "/paper/p-moss"}]})
    assert faithfulness("?", make_trace(*events, answer, exchanges=(MODEL,)))[0] is None
    told = make_trace(*events, answer, exchanges=(MODEL,), prompted=("Passage: 3.6 degrees cooler.",))
    assert faithfulness("?", told) == (2, ())


def test_notes_stay_few(scored: Score) -> None:
    """Of forty facts without support the first are named, and the others counted."""
    _, notes = scored(" ".join(f"It is {number}." for number in range(900, 940)))
    assert len(notes) == 7
    assert notes[-1] == "faithfulness: and 34 more of the kind"
