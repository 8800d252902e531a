"""Every dialect: the same events however the bytes were cut, no exception for any bytes, bounded memory."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput
from tapegate.model.trace import Finish, Text, Violation
from tapegate.stream.dialect import DIALECTS, parser

FRAMED = sorted(set(DIALECTS) - {"text"})


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_sound_sample_has_no_violation_and_one_finish(dialect, read, sample, codes):
    """A whole stream reads without a violation, and ends in its one finish (plain text has none)."""
    events = read(dialect, sample(dialect))
    assert codes(events) == []
    assert (dialect != "text") == (sum(isinstance(event, Finish) for event in events) == 1)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_events_do_not_depend_on_how_the_stream_is_cut(dialect, read, sample, split):
    """Cut at any byte, a four-byte character (STR-10) included, a stream gives the events of the one in one piece."""
    data = sample(dialect)
    assert any(len(char.encode()) == 4 for char in data.decode())
    expected = read(dialect, data)
    for chunks in split(data):
        assert expected == read(dialect, *chunks)


@pytest.mark.parametrize("dialect", FRAMED)
@pytest.mark.parametrize("end", [b"\r\n", b"\r"], ids=["CRLF", "CR"])
def test_line_ends_do_not_change_the_events(dialect, end, read, sample, split):
    """LF, CRLF and lone CR mean the same, also where CR and LF arrive in different chunks (STR-04)."""
    data = sample(dialect)
    expected = read(dialect, data)
    other = data.replace(b"\n", end)
    for chunks in split(other, 7):
        assert expected == read(dialect, *chunks)
    lines = other.split(end)
    assert expected == read(dialect, *(piece for line in lines[:-1] for piece in (line + end[:1], end[1:])), lines[-1])


@pytest.mark.parametrize("dialect", FRAMED)
def test_a_stream_without_its_end_is_truncated(dialect, read, sample, codes):
    """Whatever the stream loses before its finish, the trace says `truncated` (or that a frame broke)."""
    data = sample(dialect).rstrip()
    for end in range(len(data)):
        events = read(dialect, data[:end])
        finished = any(isinstance(event, Finish) for event in events)
        assert finished or "truncated" in codes(events), data[:end][-80:]


@pytest.mark.parametrize("dialect", FRAMED)
def test_a_stream_that_begins_again_breaks_the_protocol(dialect, read, sample, codes):
    """Frames after the finish, and a second finish, are protocol violations; one finish stays (STR-07)."""
    events = read(dialect, sample(dialect) * 2)
    assert "protocol_violation" in codes(events)
    assert sum(isinstance(event, Finish) for event in events) == 1


@pytest.mark.parametrize("dialect", FRAMED)
@pytest.mark.parametrize("other", FRAMED)
def test_two_formats_in_one_stream_are_told(dialect, other, read, sample, codes):
    """A frame of another dialect amid a stream is `mixed_format`, not a bad frame (STR-08)."""
    if dialect == other:
        return
    blank = b"\n\n" if b"\n\n" in sample(dialect) else b"\n"
    first, rest = sample(dialect).split(blank, 1)
    events = read(dialect, first + blank + sample(other) + rest)
    assert "mixed_format" in codes(events)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_invalid_utf8_is_a_violation_and_never_a_replacement_character(dialect, read, sample, split, codes):
    """A byte that is no UTF-8 is `invalid_utf8`; no U+FFFD takes its place (STR-11)."""
    data = sample(dialect).replace("🌊".encode(), b"\xff\xfe")
    assert data != sample(dialect)
    expected = read(dialect, data)
    assert "invalid_utf8" in codes(expected)
    assert "\ufffd" not in "".join(event.text for event in expected if isinstance(event, Text))
    for chunks in split(data, 5):
        assert expected == read(dialect, *chunks)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_line_without_end_is_refused_in_bounded_memory(dialect):
    """10 MB without a line end give one `line_limit`, and memory stays at the limit (STR-13)."""
    reader, chunk, found = parser(dialect), b"0" * 65_536, []
    tracemalloc.start()
    for _ in range(160):
        found += reader.feed(chunk)
    found += reader.close()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found[0].code == "line_limit"
    assert ["truncated"] * (dialect != "text") == [event.code for event in found[1:]]
    assert peak < 4_000_000


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200), cut=st.integers(0, 200))
@example(data=b'0:"\\ud83d"\n', cut=3)
@example(data=b"data: " + b"[" * 5000, cut=1)
@example(data=b"\xef\xbb\xbfdata: x\n\n", cut=2)
def test_no_bytes_raise(dialect, data, cut):
    """Any bytes, cut anywhere, give the same events, and each can be written as UTF-8."""
    whole, parts = parser(dialect), parser(dialect)
    expected = whole.feed(data) + whole.close()
    assert expected == parts.feed(data[:cut]) + parts.feed(data[cut:]) + parts.close()
    repr(expected).encode()


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_damage_raises(dialect, sample, data):
    """A sound stream with bytes changed, dropped or doubled gives events, and none that cannot be written."""
    stream = bytearray(sample(dialect))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(stream) - 1))
        length = data.draw(st.integers(0, 20))
        stream[at : at + length] = data.draw(
            st.sampled_from(
                [b"", b"null", b"{}", b"[]", b'"\\ud800"', b"\xff", b"\r", b"1e999", bytes(stream[at : at + 40])]
            )
        )
    reader = parser(dialect)
    events = reader.feed(bytes(stream)) + reader.close()
    json.dumps([_plain(event) for event in events], ensure_ascii=False).encode()
    assert sum(isinstance(event, Finish) for event in events) <= 1


def test_an_unknown_dialect_is_refused_with_the_names():
    """The name of no dialect is bad input: it says the known ones and the nearest."""
    with pytest.raises(BadInput) as caught:
        parser("openai-chat")
    problem = caught.value.problems[0]
    assert problem.code == "unknown_dialect"
    assert "'openai-chat'" in problem.message
    assert all(name in problem.message for name in DIALECTS)
    assert problem.fix == "did you mean 'openai_chat'?"


def _plain(event):
    fields = {name: getattr(event, name) for name in event.__dataclass_fields__}
    return {"type": type(event).__name__, **fields}


def test_a_violation_is_told_the_same_on_every_interpreter(read):
    """The message of a bad frame is ours alone: it holds no words of the interpreter's JSON reader."""
    assert Violation("malformed_frame", "not JSON: '{\"a\": 1,}'") == read("mixed", b'd:{"a": 1,}\n')[0]
