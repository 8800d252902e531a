"""The wire dialect."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperdesk import stream

TEXT = st.text(st.characters(blacklist_categories=["Cs"]))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (stream.text('a "b"\n'), '0:"a \\"b\\"\\n"\n'),
        (
            stream.tool_call("call_1", "search_local", {"query": "x"}),
            'd:{"type":"tool_call","id":"call_1","name":"search_local","args":{"query":"x"}}\n',
        ),
        (
            stream.tool_result("call_1", "search_local", ok=True, content=[1]),
            'd:{"type":"tool_result","id":"call_1","name":"search_local","ok":true,"content":[1]}\n',
        ),
        (stream.session("s1"), 'data:{"type":"session","session_id":"s1"}\n'),
        (stream.error("No."), 'data:{"type":"error","message":"No."}\n'),
        (stream.finish("stop", 2), 'data:{"type":"finish","reason":"stop","message_id":2}\n'),
        (stream.finish("error"), 'data:{"type":"finish","reason":"error"}\n'),
    ],
)
def test_lines(line: str, expected: str) -> None:
    """Each kind of line has one fixed shape."""
    assert line == expected


@given(TEXT)
def test_text_round_trip(text: str) -> None:
    """Any text, line separators of every kind among it, travels in one line and comes back the same."""
    line = stream.text(text)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert stream.parse(line.encode().decode()) == ("0", text)


def test_lone_surrogates() -> None:
    """Half a character that a model sent in a tool call does not keep the line from being sent."""
    line = stream.tool_call("call_1", "x", {"query": json.loads('"\\ud800"')})
    assert stream.parse(line.encode().decode())[1]["args"] == {"query": "?"}


@pytest.mark.parametrize("line", ["", "e:{}", "0;1", "0:", "d:{"])
def test_parse_refuses(line: str) -> None:
    """A line of another kind, or one that holds no JSON, is an error."""
    with pytest.raises(ValueError, match=r"a line of kind|Expecting"):
        stream.parse(line)
