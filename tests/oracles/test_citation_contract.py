"""The metric `citation_contract`."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.model.trace import ToolResult
from tapegate.oracles.citation_contract import CitationContract

FOUND = ToolResult("c1", "search_local", True, {"results": [{"id": "p1"}, {"id": "p2"}]})
PAGE = ToolResult("c2", "web_search", True, {"results": [{"url": "https://a.org/x", "snippet": "See b.org."}]})


def slots(**values: Any) -> dict[str, Any]:
    """An expectation of one outcome with these slots."""
    return {"outcome": {"required_slots": values}}


CASES: list[tuple[str, dict[str, Any], list[Any], list[str]]] = [
    ("one local citation", slots(citations_local_min=1), ["It helps [Map](/paper/p1)."], []),
    ("a citation across chunks", slots(citations_local_min=1), ["It helps [Map](/pa", "per/p", "1)."], []),
    ("no local citation", slots(citations_local_min=1), ["It helps."], ["too_few_local_citations"]),
    ("the same paper twice is one", slots(citations_local_min=2), ["/paper/p1 /paper/p1"], ["too_few_local_citations"]),
    ("too many papers", slots(citations_local_max=1), ["/paper/p1 /paper/p2"], ["too_many_local_citations"]),
    ("as many as allowed", slots(citations_local_max=1), ["/paper/p1 /paper/p1#page=2"], []),
    ("a web page is no paper", slots(citations_local_min=1), ["https://a.org/paper/p1"], ["too_few_local_citations"]),
    ("web pages", slots(citations_web_min=1), ["See https://a.org/x."], []),
    ("no web page", slots(citations_web_min=1), ["See /paper/p1."], ["too_few_web_citations"]),
    ("as many pages as allowed", slots(citations_web_max=1), ["See https://a.org and https://A.org/."], []),
    ("no web page allowed", slots(citations_web_max=0), ["See [x](https://a.org)."], ["too_many_web_citations"]),
    ("bare host on the web", slots(citations_web_max=0), ["See www.a.org"], ["too_many_web_citations"]),
    ("the web without its scheme", slots(citations_web_max=0), ["See [x](//a.org/x)"], ["too_many_web_citations"]),
    ("the web in entities", slots(citations_web_max=0), ["[x](http&colon;//a.org)"], ["too_many_web_citations"]),
    ("a page without its scheme", slots(citations_web_exist=True), [PAGE, "[x](//a.org/x)"], []),
    ("in a comment", slots(citations_local_min=1), ["It helps. <!-- /paper", "/p1 -->"], ["too_few_local_citations"]),
    ("behind a comment", slots(citations_local_min=1), ["It <!-- x --> helps: /paper/p1"], []),
    (
        "a link that nobody sees",
        slots(citations_local_min=1),
        ["It helps[\u200b](/paper/p1)."],
        ["too_few_local_citations", "malformed_citation"],
    ),
    ("a picture for a label", slots(citations_local_min=1), ["It helps [![Map](m.png)](/paper/p1)."], []),
    ("existing papers", slots(citations_local_exist=True), [FOUND, "/paper/p1 and /paper/p2"], []),
    ("an invented paper", slots(citations_local_exist=True), [FOUND, "/paper/p3"], ["unknown_paper_cited"]),
    (
        "a paper that the task knows",
        slots(citations_local_exist=True, citations_known=["p3"]),
        [FOUND, "/paper/p3 /paper/p1"],
        [],
    ),
    ("a page that a tool returned", slots(citations_web_exist=True), [PAGE, "[x](https://A.org/x/)"], []),
    ("an invented page", slots(citations_web_exist=True), [PAGE, "https://b.org/a.org/x"], ["unknown_page_cited"]),
    ("a page of no tool", slots(citations_web_exist=True), ["See www.a.org"], ["unknown_page_cited"]),
    ("a page, whether it exists or not", slots(citations_web_min=1), ["https://b.org/x"], []),
    ("a paper, whether it exists or not", slots(citations_local_min=1), ["/paper/p3"], []),
    ("the paper meant", slots(citations_local_include=["p1"]), ["/paper/p2 /paper/p1"], []),
    ("another paper", slots(citations_local_include=["p1"]), ["/paper/p2"], ["paper_not_cited"]),
    ("either paper", slots(citations_local_include=["p1", {"any_of": ["p2", "p3"]}]), ["/paper/p1 /paper/p3"], []),
    (
        "neither paper",
        slots(citations_local_include=["p1", {"any_of": ["p2", "p3"]}]),
        ["/paper/p1"],
        ["paper_not_cited"],
    ),
    ("a file path", slots(citations_local_min=1), ["/paper/p1 [x](/Users/a/x.pdf)"], ["malformed_citation"]),
    (
        "a wrong address beside none that is right",
        slots(citations_local_min=1),
        ["[Map](/papers/p1)"],
        ["too_few_local_citations", "malformed_citation"],
    ),
    ("the same wrong address twice", slots(citations_local_max=3), ["/papers/p1 /papers/p1"], ["malformed_citation"]),
    ("a label that lies", slots(citations_local_min=1), ["[/paper/p1](/paper/p2)"], ["citation_mismatch"]),
    ("nothing asked, nothing looked at", {"outcome": {"allowed_tools": ["a"]}}, ["[x](/papers/1)"], []),
    ("a minimum of 0 asks nothing", slots(citations_local_min=0), ["[x](/papers/1)"], []),
]


@pytest.mark.parametrize(("name", "expectation", "events", "codes"), CASES, ids=[case[0] for case in CASES])
def test_table(judged, name, expectation, events, codes):
    """Each slot is met by the links that it admits and by no others."""
    assert judged(CitationContract(), expectation, events) == codes


@pytest.mark.parametrize(
    ("values", "answer", "final"),
    [
        ({"citations_local_min": 1}, "", False),
        ({"citations_local_max": 0}, "/paper/p1 ", True),
        ({"citations_local_max": 0}, "[x](/paper/p1)", True),
        ({"citations_local_max": 1}, "/paper/p1 /paper/p", False),
        ({"citations_local_max": 1}, "/papers", False),
        ({"citations_web_min": 1}, "", False),
        ({"citations_web_max": 0}, "https://a.org b", True),
        ({"citations_local_exist": True}, "/paper/p1", False),
        ({"citations_web_exist": True}, "https://b.org b", False),
        ({"citations_local_include": ["p1"]}, "", False),
        ({"citations_local_max": 5}, "[x](/papers/1)", True),
        ({"citations_local_max": 5}, "[/paper/p1](/paper/p2)", True),
    ],
)
def test_what_more_text_or_tools_could_still_mend_is_not_final(make_task, make_trace, values, answer, final):
    """A missing citation may still come and a tool may still return a paper; a link that was shown stays."""
    task = make_task(slots(**values)["outcome"])
    (unmet,) = CitationContract().unmet(0, task.expect.accepted_outcomes[0], task, make_trace(answer))
    assert unmet.final is final


def test_an_unmet_slot_says_what_was_cited(make_task, make_trace):
    """The finding points at the slot and lists what the answer cites."""
    task = make_task({"required_slots": {"citations_local_max": 1}})
    answer = make_trace("/paper/p1 /paper/p2")
    (unmet,) = CitationContract().unmet(0, task.expect.accepted_outcomes[0], task, answer)
    assert unmet.path == ("expect", "accepted_outcomes", 0, "required_slots", "citations_local_max")
    assert unmet.message == "the answer cites 2 papers of the library"
    assert (unmet.expected, unmet.got) == ("at most 1", "/paper/p1, /paper/p2")


@pytest.mark.parametrize(
    ("outcome", "codes"),
    [
        (slots(citations_local_min=2, citations_local_max=1), ["unreachable_outcome"]),
        (slots(citations_web_min=1, citations_web_max=0), ["unreachable_outcome"]),
        (slots(citations_local_include=["p1", "p2"], citations_local_max=1), ["unreachable_outcome"]),
        (slots(citations_local_include=[{"any_of": ["p1"]}], citations_local_max=0), ["unreachable_outcome"]),
        (slots(citations_known=["p1"], citations_local_min=1), ["vacuous_slot"]),
        (slots(citations_local_min=1, citations_local_max=1, citations_local_exist=True), []),
        (slots(citations_local_exist=True), ["vacuous_slot"]),
        (slots(citations_local_exist=True, citations_known=["p1"]), ["vacuous_slot"]),
        (slots(citations_local_exist=True, citations_local_min=0), ["vacuous_slot"]),
        (slots(citations_local_exist=True, citations_local_include=["p1"]), []),
        (slots(citations_local_exist=True, sentences_max=3), []),
    ],
)
def test_contradictory_slots_are_found_at_load(make_task, outcome, codes):
    """TAS-11: bounds that exclude each other are refused before any run."""
    assert [problem.code for problem in CitationContract().problems(make_task(outcome["outcome"]))] == codes


def test_existence_without_any_source_is_unreachable(make_task):
    """Without a tool call and without `citations_known`, no cited paper can be known to exist."""
    outcome = {
        "tool_path_policy": "no_tools",
        "required_slots": {"citations_local_min": 1, "citations_local_exist": True},
    }
    assert [problem.code for problem in CitationContract().problems(make_task(outcome))] == ["unreachable_outcome"]
    outcome["required_slots"]["citations_known"] = ["p1"]
    assert [*CitationContract().problems(make_task(outcome))] == []
