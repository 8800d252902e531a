"""Requests as the rules read them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperdesk.scripted_model.given import BadRequest, Given, Offered, Step

TOOLS = [
    ("search_local", "Search the user's own library of papers.", "query", "local"),
    ("read_paper", "Read the full text of a paper.", "paper_id", "reader"),
    ("Skill__knowledge__paper__read", "Read a paper as a structured reading.", "paper_id", "reader"),
    ("web_search", "Search the public web.", "query", "web"),
    ("lookup", "Search what is at hand.", "words", "local"),
]


def offer(name: str, description: str, argument: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(("name", "description", "argument", "role"), TOOLS)
def test_tools(name: str, description: str, argument: str, role: Any) -> None:
    """What a tool is good for follows from its name and description."""
    assert Offered.of(offer(name, description, argument)) == Offered(name, role, argument)


def test_a_useless_tool() -> None:
    """A tool that neither searches nor reads is left alone."""
    assert Offered.of(offer("paint", "Paint a wall.", "colour")) is None


def test_this_turn_only() -> None:
    """Steps are those after the last question; what was said before is known, too."""
    request = {
        "seed": 43,
        "tools": [offer(*tool[:3]) for tool in TOOLS],
        "messages": [
            {"role": "system", "content": "## Tool policy\n\n- Local first, then the web."},
            {"role": "user", "content": "old"},
            {"role": "assistant", "content": "See /paper/p-9."},
            {"role": "user", "content": [{"type": "text", "text": "How wide is a brick?"}]},
            {"role": "assistant", "content": None, "tool_calls": [call("a", "search_local", '{"query":"brick"}')]},
            {"role": "tool", "tool_call_id": "a", "content": '{"results":[{"id":"p-1","title":"Wide brick"}]}'},
            {"role": "assistant", "content": "", "tool_calls": [call("b", "read_paper", '{"paper_id":"p-1"}')]},
            {"role": "tool", "tool_call_id": "b", "content": "not JSON"},
        ],
    }
    found = Given.of(request)
    assert found.question.text == "How wide is a brick?"
    assert found.earlier == "See /paper/p-9."
    assert found.steps == (
        Step("search_local", "brick", {"results": [{"id": "p-1", "title": "Wide brick"}]}),
        Step("read_paper", "p-1", {"error": "not JSON"}),
    )
    assert found.roles == {"local", "reader"}
    assert [source.paper_id for source in found.found("local")] == ["p-1"]
    assert found.attempted == {"p-1"}
    assert found.readings == ()
    assert found.failed("reader")
    assert found.brief.policy.local_first


@pytest.mark.parametrize(
    ("seed", "name"), [(42, "read_paper"), (43, "Skill__knowledge__paper__read"), (44, "read_paper")]
)
def test_the_seed_picks_the_reader(seed: int, name: str) -> None:
    """Even seeds read with the first reading tool, odd ones with the second."""
    tools = [offer(*tool[:3]) for tool in TOOLS]
    reader = Given.of({"seed": seed, "tools": tools, "messages": [{"role": "user", "content": "x"}]}).tool("reader")
    assert reader is not None
    assert reader.name == name


def test_calls_may_be_forbidden() -> None:
    """With `tool_choice: none` there is nothing to call."""
    request = {"tool_choice": "none", "tools": [offer(*TOOLS[0][:3])], "messages": [{"role": "user", "content": "x"}]}
    assert Given.of(request).tools == ()


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"messages": []},
        {"messages": [{"role": "system", "content": "x"}]},
        {"messages": "hello"},
        {"messages": [3]},
        {"messages": [{"content": "x"}]},
        {"messages": [{"role": "user", "content": "x"}], "tools": [{}]},
        {"messages": [{"role": "user", "content": "x"}], "seed": "many"},
        {"messages": [{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "?", "content": ""}]},
        {"messages": [{"role": "user", "content": [{"type": "text"}]}]},
    ],
)
def test_bad_requests(request_: dict[str, Any]) -> None:
    """What is no chat completion request is refused as such."""
    with pytest.raises(BadRequest):
        Given.of(request_)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "x"]), inner),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["messages", "tools", "seed", "tool_choice"]), JSON))
def test_any_request(request: dict[str, Any]) -> None:
    """No request makes the reading fail in another way."""
    try:
        Given.of(request)
    except BadRequest:
        return


def test_passages_that_a_message_brings_along() -> None:
    """A message with passages is read as its question, and its passages as papers that were read, one each."""
    passages = "[1] [Moss](/paper/p-a), Findings\nMoss cools.\n\n[2] [Kelp](/paper/p-b), Limits\nKelp grows.\n\n"
    message = f"## Question\n\nWhat cools?\n\n## Passages\n\n{passages}[3] [Moss](/paper/p-a), Limits\nMoss dries.\n"
    given = Given.of({"messages": [{"role": "user", "content": message}]})
    assert given.question.text == "What cools?"
    assert [(source.paper_id, source.sentences) for source in given.readings] == [
        ("p-a", ("Moss cools.", "Moss dries.")),
        ("p-b", ("Kelp grows.",)),
    ]
    assert [source.paper_id for source in given.apt_readings] == ["p-a"]
