"""The metric `schema_contract`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.oracles.schema_contract import SchemaContract


def slots(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome with these slots."""
    return {"outcome": {"required_slots": values}}


SIZE = {"name": "sample size", "any_of": ["12,500 abstracts", "/12\\.5k/"]}
BOTH = {"name": "method", "all": ["BM25", "dense retrieval"]}

CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("a fact in the task's words", slots(facts=[SIZE]), ["It has 12,500 abstracts."], []),
    ("a fact across chunks", slots(facts=[SIZE]), ["It has 12,5", "00 abst", "racts."], []),
    ("a fact in other words", slots(facts=[SIZE]), ["It has 12.5k of them."], []),
    ("a fact in another spelling", slots(facts=[BOTH]), ["**bm25** and Dense-Retrieval"], []),
    ("half a fact", slots(facts=[BOTH]), ["It uses BM25."], ["fact_missing"]),
    ("another number", slots(facts=[SIZE]), ["It has 112,500 abstracts."], ["fact_missing"]),
    ("two facts, none stated", slots(facts=[SIZE, BOTH]), ["Sorry."], ["fact_missing", "fact_missing"]),
    ("short enough", slots(sentences_max=2), ["It helps, i.e. by 3.5 points. Yes."], []),
    ("too long", slots(sentences_max=2), ["One. ", "Two. Three."], ["too_many_sentences"]),
    ("the prefix", slots(prefix="Preferences:"), ["Preferences: short answers."], []),
    ("one of the prefixes", slots(prefix={"any_of": ["A:", "B:"]}), ["B: yes"], []),
    ("no prefix", slots(prefix="Preferences:"), ["Your preferences: short."], ["prefix_missing"]),
    ("the prefix in another case", slots(prefix="Preferences:"), ["preferences: short."], ["prefix_missing"]),
    ("nothing asked", {"outcome": {"allowed_tools": ["a"]}}, ["Anything. At. All."], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each slot is met by the answers that it admits and by no others."""
    assert judged(SchemaContract(), expectation, events) == codes


@pytest.mark.parametrize(
    ("values", "answer", "final"),
    [
        ({"facts": [SIZE]}, "It has", False),
        ({"sentences_max": 1}, "One. Two.", True),
        ({"prefix": "Preferences:"}, "Prefer", False),
        ({"prefix": "Preferences:"}, "", False),
        ({"prefix": "Preferences:"}, "Prefix", True),
    ],
)
def test_what_more_text_could_still_mend_is_not_final(make_task, make_trace, values, answer, final):
    """A fact may still be stated and a prefix still be completed; a sentence too many stays."""
    task = make_task(slots(**values)["outcome"])
    (unmet,) = SchemaContract().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(answer))
    assert unmet.final is final


def test_a_missing_fact_is_named_with_its_wordings(make_task, make_trace):
    """The finding points at the fact's entry and shows what would have stated it."""
    task = make_task({"required_slots": {"facts": [BOTH, SIZE]}})
    answer = make_trace("BM25 and dense retrieval.")
    (unmet,) = SchemaContract().unmet(0, task.expect.accepted_outcomes[0], task, answer)
    assert unmet.path == ("expect", "accepted_outcomes", 0, "required_slots", "facts", 1)
    assert unmet.message == "the answer does not state the fact 'sample size'"
    assert (unmet.expected, unmet.got) == ("12,500 abstracts or /12\\.5k/", "BM25 and dense retrieval.")


def test_two_facts_of_one_name_are_refused(make_task):
    """A report could not tell them apart."""
    task = make_task({"required_slots": {"facts": [SIZE, {**BOTH, "name": "sample size"}]}})
    assert [problem.code for problem in SchemaContract().problems(task)] == ["duplicate_entry"]
