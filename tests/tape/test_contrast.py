"""What differs between two recordings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tapegate.tape.cassette import AgentStream, Cassette, Chunks, Interaction, Provenance, Request, Response
from tapegate.tape.contrast import contrast

URL = "https://api.example/v1/chat"
MADE = Provenance("tapegate", "2026-01-01T00:00:00Z", "none", "linux", "live", "live", "the provider")
TALK = {
    "model": "m-1",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
    "tools": [{"name": "search"}],
}


def asked(body=TALK, answer=b'{"a": 1}', *, uri=URL, status=200, method="POST"):
    return Interaction(
        "model",
        Request(method, uri, {}, body if isinstance(body, bytes) else json.dumps(body).encode()),
        Response(status, "", {}, answer),
        Chunks(0, (len(answer),), (5,), 5),
    )


def recording(*interactions, stream=b"answer"):
    return Cassette("A@B", 1, MADE, AgentStream("text", stream, Chunks(0, (len(stream),), (1,), 1)), interactions)


def told(old, new, **more):
    return [(one.title.removeprefix(f"POST {URL}"), one.old, one.new) for one in contrast(old, new, **more)]


def test_the_same_traffic_has_no_difference():
    """Times, chunks and provenance are not compared."""
    old = recording(asked())
    (interaction,) = old.interactions
    new = replace(
        old,
        provenance=replace(MADE, commit="other", recorded_at="2026-02-02T00:00:00Z"),
        interactions=(replace(interaction, chunks=Chunks(7, (4, 4), (8, 9), 10)),),
    )
    assert contrast(old, new) == []


@pytest.mark.parametrize(
    ("body", "answer", "status", "title", "line"),
    [
        (
            {**TALK, "messages": [{"role": "system", "content": "Be long."}, TALK["messages"][1]]},
            b'{"a": 1}',
            200,
            ": system prompt changed",
            'messages[0].content: recorded "Be brief.", now "Be long."',
        ),
        (
            {**TALK, "tools": []},
            b'{"a": 1}',
            200,
            ": tools changed",
            'tools[0]: recorded {"name": "search"}, now absent',
        ),
        ({**TALK, "model": "m-2"}, b'{"a": 1}', 200, ": parameters changed", 'model: recorded "m-1", now "m-2"'),
        (
            {**TALK, "messages": [TALK["messages"][0], {"role": "user", "content": "Bye"}]},
            b'{"a": 1}',
            200,
            ": conversation changed",
            'message 1.content: recorded "Hello", now "Bye"',
        ),
        (TALK, b'{"a": 2}', 200, ": answer changed", "a: recorded 1, now 2"),
        (TALK, b'{"a": 1}', 429, ": status changed", "status: recorded 200, now 429"),
        (b"no JSON", b'{"a": 1}', 200, ": request changed", None),
        (TALK, b"no JSON", 200, ": answer changed", None),
    ],
)
def test_what_changed_of_an_exchange_is_named(body, answer, status, title, line):
    """System prompt, tools, parameters, conversation, status or answer, and the JSON path at which it did."""
    old, new = recording(asked()), recording(asked(body, answer, status=status))
    assert told(old, new) == [(title, 0, 0)]
    if line is not None:
        assert contrast(old, new)[0].lines == (line,)


def test_requests_of_one_route_are_paired_in_order():
    """What is new and what is gone stands for itself; another route is another request."""
    old = recording(asked(b"1"), asked(b"2"), asked(b"x", uri="https://api.example/v1/embed"))
    new = recording(asked(b"1"), asked(b"3"), asked(b"4"))
    assert told(old, new) == [
        (": request changed", 1, 1),
        (" is new", None, 2),
        ("POST https://api.example/v1/embed is gone", 2, None),
    ]


def test_a_changed_query_is_a_change_of_the_same_request():
    """As a search whose words changed."""
    old, new = recording(asked(b"", uri=f"{URL}?q=a")), recording(asked(b"", uri=f"{URL}?q=b"))
    assert told(old, new) == [(": query changed", 0, 0)]


def test_an_answer_that_a_reader_tells_is_compared_by_what_it_says():
    """Ids and the cuts of a stream do not count then."""
    old, new = recording(asked(answer=b"id-1: yes")), recording(asked(answer=b"id-2: yes"))
    assert told(old, new) == [(": answer changed", 0, 0)]
    assert told(old, new, reader=lambda one: {"said": one.response.body[6:].decode()}) == []


def test_the_agents_own_answer_is_compared():
    """As lines of text."""
    (one,) = contrast(recording(stream=b"a\nb\n"), recording(stream=b"a\nc\n"))
    assert one.title == "the agent's own answer changed"
    assert [line.strip() for line in one.lines] == ["line 1:", "a", "-b", "+c"]


@pytest.mark.parametrize("body", [b'{"a": 1, "a": 2}', b"\xff\xfe", b""])
def test_any_body_can_be_compared(body):
    """With itself and with others."""
    assert contrast(recording(asked(body, body)), recording(asked(body, body))) == []
    assert contrast(recording(asked(body, body)), recording(asked(b"{}", b"{}"))) != []
