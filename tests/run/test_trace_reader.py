"""A trace is written, read back, and is the same trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput
from tapegate.model.trace import (
    Account,
    Data,
    Ending,
    Exchange,
    Failure,
    Finish,
    Miss,
    NetworkAttempt,
    Text,
    ToolCall,
    ToolResult,
    Trace,
    Unplayed,
    Usage,
    Violation,
)
from tapegate.run import events_file
from tapegate.run.trace_reader import parse, read

WORDS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 2**70) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
COUNT = st.integers(0, 10**9)
EVENT = st.one_of(
    st.builds(Text, WORDS),
    st.builds(ToolCall, WORDS, WORDS, st.dictionaries(WORDS, JSON, max_size=2)),
    st.builds(ToolResult, WORDS, WORDS, st.booleans(), JSON),
    st.builds(Data, JSON),
    st.builds(Failure, WORDS),
    st.builds(Finish, WORDS),
    st.builds(Violation, WORDS, WORDS),
)
USAGE = st.none() | st.builds(Usage, st.none() | COUNT, st.none() | COUNT, st.none() | COUNT)
EXCHANGE = st.builds(Exchange, COUNT, WORDS, WORDS, WORDS, COUNT, COUNT, COUNT, COUNT, st.none() | WORDS, USAGE)
MISS = st.builds(Miss, WORDS, WORDS, WORDS, st.sampled_from(["diverged", "extra_call"]), WORDS, st.none() | COUNT)
ACCOUNT = st.builds(
    Account,
    COUNT,
    st.lists(MISS, max_size=2).map(tuple),
    st.lists(st.builds(Unplayed, COUNT, WORDS, WORDS, WORDS), max_size=2).map(tuple),
    st.lists(st.builds(NetworkAttempt, WORDS), max_size=2).map(tuple),
)
TRACES = st.builds(
    Trace,
    st.just("RET-01@A1"),
    st.integers(1, 9),
    st.lists(EVENT, max_size=5).map(tuple),
    st.lists(EXCHANGE, max_size=2).map(tuple),
    ACCOUNT,
    st.builds(Ending, st.sampled_from(["completed", "raised"]), WORDS),
    st.none() | COUNT,
    st.none() | COUNT,
)


@given(trace=TRACES)
@settings(max_examples=60)
def test_what_is_written_is_read_back(trace: Trace, tmp_path_factory: Any) -> None:
    """Every event, exchange, miss and attempt, in its order, whatever text is in it."""
    folder = tmp_path_factory.mktemp("traces")
    assert read(events_file.write(trace, folder), "x") == trace


WHOLE = b"".join(
    [
        b'{"account":{"played":0},"event":"trial","key":"k","latency_e2e_ms":null,"latency_model_ms":null,"trial":1}\n',
        b'{"event":"text","text":"hi"}\n',
        b'{"detail":"","event":"ending","kind":"completed"}\n',
    ]
)


def test_the_smallest_trace_reads() -> None:
    """What the refusals below change is whole."""
    assert parse(WHOLE, "x").text == "hi"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (b'{"event":"text"', b'{"event":"txt"', None, "'txt' is none of text"),
        (b'"hi"}', b'"hi"', 2, "delimiter"),
        (b'"hi"', b"1", None, "events[0].text: 1 is no str"),
        (b'"hi"', b'"\xff"', 2, "utf-8"),
        (b'"trial":1', b'"trial":true', None, "trial: True is no int"),
        (b'"played":0', b'"played":0,"misses":[]', None, "'misses' has rows of its own"),
        (b'"event":"trial",', b'"event":"trial","odd":1,', None, "Trace has no 'odd'"),
        (b'"kind":"completed"', b'"kind":"gone"', None, "ending.kind"),
        (b'{"detail":"","event":"ending","kind":"completed"}\n', b"", None, "one row 'ending' and this has 0"),
        (b'{"event":"text","text":"hi"}', b"[]", 2, "a row is a JSON object"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(old: bytes, new: bytes, line: int | None, said: str) -> None:
    """Bad input, at its file and line; nothing is guessed."""
    assert WHOLE.count(old) == 1
    with pytest.raises(BadInput) as caught:
        parse(WHOLE.replace(old, new), "out/traces/k/trial-1.jsonl")
    (problem,) = caught.value.problems
    assert (problem.code, problem.file, problem.line) == ("bad_trace", "out/traces/k/trial-1.jsonl", line)
    assert said in problem.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A missing trace has a name and a reason."""
    with pytest.raises(BadInput, match="cannot be read"):
        read(tmp_path / "none.jsonl", "none.jsonl")
