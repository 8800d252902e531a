"""The checkable facts of a text."""

from __future__ import annotations

import pytest

from tapegate.grade.scores.facts import facts


def _told(text: str) -> list[str]:
    return [f"{fact.kind}: {fact.shown}" for fact in facts(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The shelters were 3.6 degrees cooler.", ["number: 3.6 degrees"]),
        ("Some 2,300 pulses, or 81 %, in 2021.", ["number: 2300", "number: 81%", "number: 2021"]),
        ("It took 5kg and -3 °C at 20:00.", ["number: 5 kg", "number: -3 °c", "number: 20:00"]),
        ("1. The first\n2. The second", []),
        ("The coating Halite-9 and CO2 held.", ["identifier: Halite-9", "identifier: CO2"]),
        ('He said "it is a relief" of the "new" one.', ["quotation: it is a relief"]),
        ("In summer the trial in Lee Comb ended. Berlin was dry: Rome was not.", ["name: Lee Comb"]),
        ("I think so. And A too.", []),
        ("", []),
    ],
)
def test_numbers_identifiers_quotations_and_names_are_facts(text: str, expected: list[str]) -> None:
    """Enumerators, single capitals, terms in quotation marks and the first word of a sentence are none."""
    assert [told.replace(" %", "%") for told in _told(text)] == expected


@pytest.mark.parametrize(
    ("said", "read", "held"),
    [
        ("81 %", "81 percent of the words", True),
        ("3.6 °C", "were 3.6 degrees Celsius cooler", True),
        ("3.6 metres", "were 3.6 degrees cooler", False),
        ("2300 pulses", "through 2,300 pulses", True),
        ("23 pulses", "2,300 pulses", False),
        ("Halite-9", "a coating named Halite-9", True),
        ("Halite-9", "a coating named Halite-90", False),
        ("of the Street Climate Workshop", "by the street climate workshop", True),
        ('"cool a shelter  through the night"', "Can moss cool a shelter through the night?", True),
        ('"warm a shelter through the night"', "Can moss cool a shelter through the night?", False),
    ],
)
def test_a_fact_is_held_in_any_spelling(said: str, read: str, held: bool) -> None:
    """Whole numbers with the same unit, whole words, in any case and with any separators."""
    (fact,) = facts(f"They found {said}.")
    assert fact.held_by(read) is held
