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

COOLER = {
    "name": "cooling",
    "value": 3.6,
    "abs": 0.05,
    "units": {"degrees": 1, "°C": 1},
    "with": ["cooler", "cools"],
}
DUE = {"name": "due", "date": "2026-03-04", "within_days": 1}
TITLES = {"name": "titles", "items": ["moss", {"any_of": ["kelp", "seaweed"]}]}
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string", "minLength": 1}},
    "required": ["title"],
    "additionalProperties": False,
}

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
    ("long enough", slots(sentences_min=2), ["One. Two."], []),
    ("too short", slots(sentences_min=2), ["One."], ["too_few_sentences"]),
    ("a number", slots(numbers=[COOLER]), ["It is 3.6 degrees cooler."], []),
    ("a number within its tolerance", slots(numbers=[COOLER]), ["About 3.65 °C cooler."], []),
    ("a number beyond it", slots(numbers=[COOLER]), ["It is 3.66 degrees cooler."], ["number_missing"]),
    ("a number in another unit", slots(numbers=[COOLER]), ["It is 3.6 metres tall and cooler."], ["number_missing"]),
    ("a number across chunks", slots(numbers=[COOLER]), ["It is 3", ".6 deg", "rees cooler."], []),
    ("a number of something else", slots(numbers=[COOLER]), ["3.6 degrees. It is cooler."], ["number_missing"]),
    ("a day", slots(dates=[DUE]), ["Due on 3 March 2026."], []),
    ("another day", slots(dates=[DUE]), ["Due on 6 March 2026."], ["date_missing"]),
    ("a list in any order", slots(lists=[TITLES]), ["Found:\n- Kelp farms\n- Moss shelters\n"], []),
    ("half a list", slots(lists=[TITLES]), ["- Moss shelters"], ["list_differs"]),
    ("JSON", slots(json={"items[*].id": {"$type": "integer"}, "ok": True}), ['{"ok":true,"items":[{"id":1}]}'], []),
    ("other JSON", slots(json={"ok": True}), ['{"ok": 1}'], ["json_differs"]),
    ("no JSON", slots(json={"ok": True}), ['Sure: {"ok": true}'], ["not_json"]),
    ("JSON in a fence", slots(json={"ok": True}, json_fenced=True), ['Sure:\n```json\n{"ok": true}\n```\n'], []),
    ("JSON in a fence that nobody wants", slots(json={"ok": True}), ['```json\n{"ok": true}\n```'], ["not_json"]),
    ("the schema", slots(json_schema=SCHEMA), ['{"title": "Moss"}'], []),
    ("not the schema", slots(json_schema=SCHEMA), ['{"title": ""}'], ["schema_broken"]),
    ("the language", slots(language="en"), ["Moss cools the shelter and that is what it is for."], []),
    ("one of the languages", slots(language={"any_of": ["de", "en"]}), ["Das Moos kühlt und das ist gut so."], []),
    ("another language", slots(language="en"), ["Das Moos kühlt und das ist gut so."], ["other_language"]),
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


def test_what_was_found_instead_is_shown(make_task, make_trace):
    """A missing number shows the numbers that stand there, a broken schema the rule and the place."""
    task = make_task({"required_slots": {"numbers": [{"name": "n", "value": 3}], "json_schema": SCHEMA}})
    found = list(SchemaContract().unmet(0, task.expect.accepted_outcomes[0], task, make_trace('{"title": 4}')))
    assert [(one.expected, one.got) for one in found] == [("3", "4"), ("type: 'string' at title", "4")]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"sentences_min": 2, "sentences_max": 2}, []),
        ({"sentences_min": 3, "sentences_max": 2}, ["unreachable_outcome"]),
        ({"json_fenced": True, "prefix": "a"}, ["vacuous_slot"]),
    ],
)
def test_contradictions_are_found_at_load(make_task, values, codes):
    """A minimum over its maximum, and a fence around nothing."""
    assert [problem.code for problem in SchemaContract().problems(make_task(slots(**values)["outcome"]))] == codes


@pytest.mark.parametrize(
    ("slot", "value", "code"),
    [
        ("numbers", [], "vacuous_slot"),
        ("numbers", ["3"], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": "3"}], "bad_slot_value"),
        ("numbers", [{"value": 3}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3, "unit": "m"}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3, "units": {}}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3, "units": {"m": 0}}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3, "abs": -1}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3, "with": []}], "bad_slot_value"),
        ("numbers", [{"name": "n", "value": 3}, {"name": "n", "value": 4}], "duplicate_entry"),
        ("dates", [{"name": "d", "date": "4 March 2026"}], "bad_slot_value"),
        ("dates", [{"name": "d", "date": "20260304"}], "bad_slot_value"),
        ("dates", [{"name": "d", "date": "2026-02-31"}], "bad_slot_value"),
        ("dates", [{"name": "d", "date": "2026-03-04", "within_days": 0.5}], "bad_slot_value"),
        ("lists", [{"name": "l"}], "bad_slot_value"),
        ("lists", [{"name": "l", "items": []}], "vacuous_slot"),
        ("lists", [{"name": "l", "items": ["a"], "order": "fixed"}], "bad_slot_value"),
        ("json", {}, "bad_slot_value"),
        ("json", {"a..b": 1}, "bad_slot_value"),
        ("json", {"a": {"$regex": "("}}, "bad_pattern"),
        ("json_schema", {}, "bad_slot_value"),
        ("json_schema", {"type": "text"}, "bad_slot_value"),
        ("json_schema", {"$ref": "https://example.org/schema"}, "bad_slot_value"),
        ("json_schema", {"$ref": "#/$defs/x"}, "bad_slot_value"),
        ("json_schema", {"pattern": "(?=x)"}, "bad_pattern"),
        ("json_schema", {"patternProperties": {"a": True}}, "bad_slot_value"),
        ("language", "english", "bad_slot_value"),
        ("language", ["en"], "bad_slot_value"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(slot, value, code):
    """Each slot says what it takes, at load."""
    assert code in [flaw.code for flaw in SchemaContract.slots[slot].flaws(value)]


def test_two_facts_of_one_name_are_refused(make_task):
    """A report could not tell them apart."""
    task = make_task({"required_slots": {"facts": [SIZE, {**BOTH, "name": "sample size"}]}})
    assert [problem.code for problem in SchemaContract().problems(task)] == ["duplicate_entry"]
