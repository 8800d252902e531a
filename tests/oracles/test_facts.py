"""The slot `facts`."""

from __future__ import annotations

import pytest

from tapegate.oracles.facts import FACTS, missing


def test_any_of_needs_one_and_all_needs_each():
    """What is missing is said in the words of the task."""
    fact = {"name": "size", "any_of": ["12,500", "12.5k"], "all": ["abstracts", "/(?i)pubmed/"]}
    assert missing(fact, "12500 abstracts of PubMed") == ""
    assert missing(fact, "12.5k abstracts") == "/(?i)pubmed/"
    assert missing(fact, "PubMed abstracts") == "12,500 or 12.5k"
    assert missing(fact, "") == "abstracts and /(?i)pubmed/ and 12,500 or 12.5k"


def test_a_wording_between_slashes_is_a_pattern():
    """It is matched against the text as it stands, line by line; a single slash is a word like any other."""
    assert missing({"name": "n", "any_of": [r"/^0\.9[12]$/"]}, "It is\n0.92\nhere") == ""
    assert missing({"name": "n", "any_of": [r"/^0\.9[12]$/"]}, "It is 0.92") != ""
    assert missing({"name": "n", "any_of": ["a/b"]}, "an A/B test") == ""


@pytest.mark.parametrize("wording", ["0.92", r"/0\.9[12]/"])
def test_what_a_comment_says_nobody_is_told(wording):
    """An HTML comment is not shown, and states no fact, whichever way it is looked for."""
    assert missing({"name": "n", "any_of": [wording]}, "It is high. <!-- 0.92\n -->") != ""
    assert missing({"name": "n", "any_of": [wording]}, "<!-- sure? --> It is 0.92.") == ""


@pytest.mark.parametrize(
    ("value", "flaws"),
    [
        ([{"name": "n", "any_of": ["a"]}], []),
        ([{"name": "n", "all": ["a", "/b+/"], "any_of": ["c"]}], []),
        ("a", [("bad_slot_value", ())]),
        ([], [("vacuous_slot", ())]),
        (["a"], [("bad_slot_value", (0,))]),
        ([{"any_of": ["a"]}], [("bad_slot_value", (0,))]),
        ([{"name": "n"}], [("vacuous_slot", (0,))]),
        ([{"name": "n", "any_of": []}], [("vacuous_slot", (0, "any_of"))]),
        ([{"name": "n", "any_of": "a"}], [("bad_slot_value", (0, "any_of"))]),
        ([{"name": "n", "any_of": [92]}], [("bad_slot_value", (0, "any_of", 0))]),
        ([{"name": "n", "any_of": ["a", "a"]}], [("duplicate_entry", (0, "any_of", 1))]),
        ([{"name": "n", "all": ["a", "/(?=b)/"]}], [("bad_pattern", (0, "all", 1))]),
        ([{"name": "n", "all": ["/b*/"]}], [("vacuous_pattern", (0, "all", 0))]),
        ([{"name": "n", "all": [r"/\w/"]}], [("vacuous_pattern", (0, "all", 0))]),
        ([{"name": "n", "any_of": ["/[a-z]/"]}], [("vacuous_pattern", (0, "any_of", 0))]),
        ([{"name": "n", "any_of": ["/[0-9]/", r"/\b[aA]\b/"]}], []),
        ([{"name": "n", "any_of": ["/../"]}], [("vacuous_slot", (0,))]),
        ([{"name": "n", "any_of": ["moss", "/(?s).{3,}/"]}], [("vacuous_slot", (0,))]),
        ([{"name": "n", "all": [r"/\w\w/", "/[a-z]+ [a-z]+/"]}], [("vacuous_slot", (0,))]),
        ([{"name": "n", "any_of": ["do not know", "went wrong", "cannot be answered"]}], []),
        ([{"name": "n", "any_of": ["/..+/"], "all": ["moss"]}], []),
        ([{"name": "n", "all": ["**"]}], [("vacuous_slot", (0, "all", 0))]),
        ([{"name": "n", "al": ["a"], "any_of": ["b"]}], [("bad_slot_value", (0, "al"))]),
    ],
)
def test_a_value_that_does_not_fit_is_told_at_its_place(value, flaws):
    """Wrong types, patterns that do not compile and wordings that say nothing, each where it stands."""
    assert [(flaw.code, flaw.path) for flaw in FACTS.flaws(value)] == flaws
