"""Calls and their results belong together."""

from __future__ import annotations

from tapegate.model.trace import ToolCall, ToolResult, Violation
from tapegate.stream.calls import Calls, Draft, arguments_of


def _codes(events):
    return [event.code if isinstance(event, Violation) else event for event in events]


def test_a_call_is_answered_once():
    """A second result for a call, and one under another name, break the protocol; each stays in the trace."""
    calls = Calls()
    list(calls.call("1", "f", {}))
    assert _codes(calls.result("1", None, True, "a")) == [ToolResult("1", "f", True, "a")]
    assert _codes(calls.result("1", None, True, "b")) == ["protocol_violation", ToolResult("1", "f", True, "b")]
    list(calls.call("2", "f", {}))
    assert _codes(calls.result("2", "g", True, "c")) == ["protocol_violation", ToolResult("2", "g", True, "c")]


def test_an_id_is_used_once_where_there_is_one():
    """Two calls of one id break the protocol; servers that give no ids are spared."""
    calls = Calls()
    assert _codes([*calls.call("1", "f", {}), *calls.call("1", "g", {})]) == [
        ToolCall("1", "f", {}),
        "protocol_violation",
        ToolCall("1", "g", {}),
    ]
    assert _codes([*calls.call("", "f", {}), *calls.call("", "g", {})]) == [
        ToolCall("", "f", {}),
        ToolCall("", "g", {}),
    ]


def test_a_call_that_was_begun_is_made():
    """What was announced and never made is told at the finish, once."""
    calls = Calls()
    calls.begin("1", "f")
    calls.begin("2", "g")
    list(calls.call("1", "f", {}))
    assert _codes(calls.unmade()) == ["protocol_violation"]
    assert _codes(calls.unmade()) == []


def test_arguments_are_an_object_or_nothing():
    """Blank text is no arguments; text that is no object is a fault of its own."""
    assert arguments_of('{"a":1}') == ({"a": 1}, None)
    assert arguments_of("  ") == ({}, None)
    for text in ("[1]", "{", '{"a":1,"a":2}'):
        arguments, fault = arguments_of(text)
        assert arguments == {}
        assert fault.code == "malformed_frame"


def test_arguments_cut_inside_an_emoji_are_whole():
    """Pieces that end between two halves of a surrogate pair join to one character."""
    assert list(Draft("1", "f", ['{"a":"\ud83d', '\ude00"}']).made(Calls())) == [ToolCall("1", "f", {"a": "😀"})]


def test_a_call_without_a_name_is_a_fault():
    """The call stays, so that no check is blind to it."""
    assert _codes(Draft("1").made(Calls())) == ["malformed_frame", ToolCall("1", "", {})]
