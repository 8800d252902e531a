"""`traces/<KEY>/trial-<n>.jsonl`: every event, in order, in bytes that depend on nothing but the trace."""

from __future__ import annotations

import json

import pytest

from tapegate.errors import Unavailable
from tapegate.model.trace import (
    Account,
    Ending,
    Exchange,
    Miss,
    NetworkAttempt,
    Text,
    ToolCall,
    Trace,
    Unplayed,
    Usage,
)
from tapegate.run import events_file

TRACE = Trace(
    key="RET-01@A1",
    trial=2,
    events=(ToolCall("c1", "search", {"q": "tide", "deep": {"b": 1, "a": [None]}}), Text("4.2 m — high")),
    exchanges=(Exchange(0, "model", "POST", "/chat", 200, 1, 2, 3, "m-1", Usage(5, 6)),),
    account=Account(
        1,
        (Miss("model", "POST", "/chat", "diverged", "why", turn=3),),
        (Unplayed(1, "model", "POST", "/chat"),),
        (NetworkAttempt("a.example:443"),),
    ),
    ending=Ending("raised", "ValueError: x"),
)


def test_events_stand_in_their_order_and_the_end_comes_last(tmp_path):
    """What the agent did, what was played, what was missed, left and tried, and how it ended: a line each."""
    path = events_file.write(TRACE, tmp_path / "traces")
    assert path == tmp_path / "traces" / "RET-01@A1" / "trial-2.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    kinds = [line["event"] for line in lines]
    order = ["tool_call", "text", "exchange", "miss", "unplayed", "network_attempt", "ending"]
    assert [kind for kind in kinds if kind in order] == order
    call = lines[kinds.index("tool_call")]
    assert (call["name"], call["arguments"]) == ("search", {"q": "tide", "deep": {"b": 1, "a": [None]}})
    assert lines[-1]["detail"] == "ValueError: x"


def test_the_same_trace_gives_the_same_bytes(tmp_path):
    """Also where an object's keys came in another order."""
    first = events_file.write(TRACE, tmp_path / "a").read_bytes()
    other = ToolCall("c1", "search", {"deep": {"a": [None], "b": 1}, "q": "tide"})
    again = Trace(**{**vars(TRACE), "events": (other, TRACE.events[1])})
    assert events_file.write(again, tmp_path / "b").read_bytes() == first


def test_half_a_character_stays_an_escape(tmp_path):
    """The file is UTF-8 and JSON, whatever an agent's JSON escapes gave."""
    trace = Trace(**{**vars(TRACE), "events": (ToolCall("c1", "search", {"q": "\ud83d"}),)})
    raw = events_file.write(trace, tmp_path).read_bytes()
    assert '\\ud83d"' in raw.decode()
    assert any(json.loads(line).get("arguments") == {"q": "\ud83d"} for line in raw.splitlines())


def test_what_an_earlier_run_wrote_can_be_removed(tmp_path):
    """A trial that came to no trace has no file, also where it once had one; a second time changes nothing."""
    path = events_file.write(TRACE, tmp_path)
    for _ in range(2):
        events_file.remove(tmp_path, "RET-01@A1", 2)
        assert not path.exists()


def test_a_folder_that_takes_no_file_is_told(tmp_path):
    """The error names the path, and is none of the agent's."""
    (tmp_path / "traces").write_text("")
    with pytest.raises(Unavailable, match="write_failed"):
        events_file.write(TRACE, tmp_path / "traces")
