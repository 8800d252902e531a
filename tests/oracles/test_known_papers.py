"""The papers that a trace shows to exist."""

from __future__ import annotations

import json

import pytest

from tapegate.model.trace import ToolResult
from tapegate.oracles.known_papers import known_papers


def known(make_trace, content, ok=True):
    """The papers known after one tool result."""
    return set(known_papers(make_trace(ToolResult("c1", "search", ok, content))))


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ({"results": [{"id": "p1", "title": "A"}, {"paper_id": "p2"}]}, {"p1", "p2"}),
        ({"ids": ["p1", "p2"]}, {"p1", "p2"}),
        ({"id": 7}, {"7"}),
        ({"id": True, "paper": {"title": "p9"}}, set()),
        ({"title": "p1", "pages": 12}, set()),
        (json.dumps({"papers": [{"id": "p1"}]}), {"p1"}),
        ({"content": json.dumps([{"paperId": "p1"}])}, {"p1"}),
        ("1. A map of X, /paper/p1.\n2. B (id: p2)", {"p1", "p2"}),
        ("[p1] looks like JSON and is none", set()),
        (None, set()),
    ],
)
def test_ids_are_read_from_what_a_tool_returned(make_trace, content, ids):
    """Values of id keys count, in objects and in JSON given as text; so do `/paper/{id}` and `id: …` in prose."""
    assert known(make_trace, content) == ids


def test_a_failed_tool_shows_nothing(make_trace):
    """`{"id": "p1", "error": "no such paper"}` does not make p1 exist."""
    assert known(make_trace, {"id": "p1"}, ok=False) == set()


def test_a_result_of_any_depth_is_read(make_trace):
    """Nesting does not end the search in a recursion error."""
    content: object = {"id": "p1"}
    for _ in range(50_000):
        content = [content]
    assert known(make_trace, content) == {"p1"}
    assert known(make_trace, "[" * 100_000) == set()
