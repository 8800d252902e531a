"""The kinds of values that slots take."""

from __future__ import annotations

import pytest

from tapegate.oracles import slot


def codes(kind: slot.SlotKind, value: object) -> list[str]:
    """The codes of a value's flaws."""
    return [flaw.code for flaw in kind.flaws(value)]


@pytest.mark.parametrize("value", [True, False, "1", 1.0, -1, None, [], {}])
def test_a_count_is_a_whole_number_and_nothing_else(value):
    """TAS-02: nothing is coerced; a boolean is no number."""
    assert codes(slot.at_least("n"), value) == ["bad_slot_value"]
    assert codes(slot.at_most("n"), value) == ["bad_slot_value"]


def test_a_count_begins_at_its_least_value():
    """0 where nothing may be asked or allowed, 1 where 0 would be a contradiction."""
    assert codes(slot.at_least("n"), 0) == []
    assert codes(slot.at_most("n", least=1), 0) == ["bad_slot_value"]


@pytest.mark.parametrize("value", [1, 0, "true", None, []])
def test_a_flag_is_true_or_false(value):
    """TAS-02: 1 is not true and `"true"` neither."""
    assert codes(slot.flag("f"), value) == ["bad_slot_value"]


def test_what_demands_nothing_says_so():
    """A minimum of 0 and a flag that is off are no conditions."""
    assert [slot.at_least("n").demands(count) for count in (0, 1)] == [False, True]
    assert [slot.flag("f").demands(value) for value in (False, True)] == [False, True]
    assert slot.at_most("n").demands(0)
    assert not slot.texts("known").demands(["a"])


def test_looser_values_are_known():
    """Of two bounds, two flags or two lists, the one that admits more loosens the other."""
    assert slot.at_least("n").loosens(1, 2)
    assert not slot.at_least("n").loosens(2, 1)
    assert slot.at_most("n").loosens(2, 1)
    assert not slot.at_most("n").loosens(1, 2)
    assert slot.flag("f").loosens(False, True)
    assert slot.text_list("l").loosens(["a"], ["a", "b"])
    assert not slot.text_list("l").loosens(["a", "b"], ["a"])
    assert slot.texts("known").loosens(["a", "b"], ["a"])


@pytest.mark.parametrize(
    ("value", "flaws"),
    [
        (["a", {"any_of": ["b", "c"]}], []),
        ("a", [("bad_slot_value", ())]),
        ([], [("vacuous_slot", ())]),
        (["a", ""], [("bad_slot_value", (1,))]),
        ([1], [("bad_slot_value", (0,))]),
        (["a", "a"], [("duplicate_entry", (1,))]),
        ([{"any_of": []}], [("vacuous_slot", (0, "any_of"))]),
        ([{"any_of": ["a", 2]}], [("bad_slot_value", (0, "any_of", 1))]),
        ([{"any_off": ["a"]}], [("bad_slot_value", (0,))]),
    ],
)
def test_a_list_of_texts_tells_each_flaw_at_its_place(value, flaws):
    """Entries are texts or `{any_of: [texts]}`."""
    assert [(flaw.code, flaw.path) for flaw in slot.text_list("l").flaws(value)] == flaws


@pytest.mark.parametrize(
    ("value", "good"), [("a", True), ({"any_of": ["a"]}, True), ("", False), (3, False), ([], False)]
)
def test_a_text_is_one_or_a_choice(value, good):
    """A text that is not empty, or `{any_of: [texts]}`."""
    assert (codes(slot.text("t"), value) == []) is good


def test_a_flaw_is_seen_from_further_up():
    """Its path grows at the front."""
    assert slot.Flaw("c", "m", (1,)).below("facts", 0).path == ("facts", 0, 1)
