"""The tools, and what model and user each get of them."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from paperdesk.library import Library
from paperdesk.tools import Outcome, Toolbox


def run(toolbox: Toolbox, name: str, arguments: dict[str, Any] | None) -> Outcome:
    return asyncio.run(toolbox.run(name, arguments))


@pytest.fixture
def toolbox(library: Library) -> Toolbox:
    return Toolbox(library, "http://127.0.0.1:1")


def test_wire_names(toolbox: Toolbox) -> None:
    """Every name sent to a provider is one that it accepts, and maps back to the name the user sees."""
    wire = [param["function"]["name"] for param in toolbox.params()]
    assert wire == ["search_local", "read_paper", "Skill__knowledge__paper__read", "web_search"]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in wire)
    assert [toolbox.name(name) for name in wire] == [
        "search_local",
        "read_paper",
        "Skill:knowledge.paper.read",
        "web_search",
    ]
    assert toolbox.name("unheard_of") == "unheard_of"


def test_no_web_without_a_service(library: Library) -> None:
    """Without a search service the model is not offered a web search."""
    assert "web_search" not in [param["function"]["name"] for param in Toolbox(library, None).params()]


def test_schemas(toolbox: Toolbox) -> None:
    """Each tool takes one required string and nothing else."""
    for param in toolbox.params():
        schema: Any = param["function"]["parameters"]
        (argument,) = schema["required"]
        assert schema["properties"][argument]["type"] == "string"
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", ["read_paper", "Skill__knowledge__paper__read"])
def test_reading(toolbox: Toolbox, name: str) -> None:
    """Both reading tools give the model the paper with notes and file, and show the user neither."""
    outcome = run(toolbox, name, {"paper_id": "p-peat-11"})
    assert outcome.ok
    assert "44 hours before the satellite" in str(outcome.given)
    assert "BW-77" in str(outcome.given)
    assert outcome.given["file"].startswith("/Users/")
    assert outcome.shown["id"] == "p-peat-11"
    assert "BW-77" not in str(outcome.shown)
    assert "/Users" not in str(outcome.shown)


def test_search(toolbox: Toolbox) -> None:
    """A search gives ids, titles and snippets; the model also learns which words matched."""
    outcome = run(toolbox, "search_local", {"query": "drag index of kelp"})
    assert list(outcome.shown["results"][0]) == ["id", "title", "snippet"]
    assert outcome.given["results"][0]["matched"] == ("drag", "index", "of", "kelp")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("teleport", {}, r"There is no tool 'teleport': there are search_local, read_paper, "),
        ("read_paper", None, "read_paper needs a JSON object with the string 'paper_id'"),
        ("read_paper", {}, "read_paper needs"),
        ("read_paper", {"paper_id": 7}, "read_paper needs"),
        ("search_local", {"query": "  "}, "search_local needs"),
        ("read_paper", {"paper_id": "p-none-1"}, "The library has no paper 'p-none-1'"),
        ("Skill__knowledge__paper__read", {"paper_id": "\ud800"}, "The library has no paper '\\?'"),
    ],
)
def test_misuse(toolbox: Toolbox, name: str, arguments: dict[str, Any] | None, message: str) -> None:
    """A call that cannot be carried out is answered with what is wrong."""
    outcome = run(toolbox, name, arguments)
    assert not outcome.ok
    assert re.match(message, outcome.given["error"])
    assert outcome.shown == outcome.given
