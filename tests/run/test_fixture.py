"""Stream fixtures: read as what an agent answered, or put to a function, in one piece and in every other way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.model.finding import Verdict
from tapegate.run import fixture
from tapegate.run.fixture import Fixture
from tapegate.tape.verify import entries

FILTER = """
import re

def naive(chunks):
    for chunk in chunks:
        yield re.sub(r"<think>.*?</think>", "", chunk)

def sound(chunks):
    shown = re.sub(r"<think>.*?</think>", "", "".join(chunks))
    yield re.sub(r"<think>.*|<t?h?i?n?k?$", "", shown)

def of_bytes(pieces):
    assert all(isinstance(piece, bytes) for piece in pieces)
    yield from sound([b"".join(pieces).decode()])

def strict(chunks):
    if len(chunks) > 2:
        raise ValueError("too many pieces")
    yield from sound(chunks)
"""
STREAM = "Ah <think>no, it is 5</think>4."
CONDITIONS = {"split_invariant": True, "visible_text": "Ah 4.", "hidden_by_tags": ["think"]}
FILTERED: dict[str, Any] = {
    "mode": "stream_fixture",
    "setup": {"stream": "answer", "chunking": "all_splits"},
    "expect": {
        "required_invariants": ["no_hidden_tag_leak"],
        "accepted_outcomes": [{"required_slots": CONDITIONS}],
    },
    "grading": {"deterministic_metrics": ["content_filter_contract", "output_hygiene"]},
}


@pytest.fixture
def filtered(kit):
    """A task over a filter of the agent's, by its name."""

    def build(name: str, stream: bytes = STREAM.encode(), arguments: Any = None, **task: Any) -> Any:
        kit.agent(FILTER)
        kit.subject.update(entry=f"agent:{name}", arguments=arguments or {"chunks": "{chunks}"})
        (kit.root / "evals" / "fixtures").mkdir(parents=True, exist_ok=True)
        (kit.root / "evals" / "fixtures" / "answer.txt").write_bytes(stream)
        kit.task("T-1", **{**FILTERED, **task})
        return kit

    return build


def test_a_filter_that_holds_back_passes_every_cut(filtered):
    """All 496 ways to cut the stream in up to three pieces and into its characters; nothing needs recording."""
    kit = filtered("sound")
    trace = kit.replay()
    assert trace.text == "Ah 4."
    assert trace.splits is not None
    assert (trace.splits.tried, trace.splits.possible, trace.splits.variants) == (496 - 30, 496 - 30, ())
    (task,) = kit.judge().tasks
    assert (task.verdict, task.findings) == (Verdict.PASS, ())
    assert task.trials[0].cassette_sha256 == Fixture("x", STREAM.encode()).sha256
    assert entries(kit.root) == []


def test_a_naive_filter_leaks_at_some_cuts_and_is_told_where(filtered):
    """In one piece it looks right: only the cuts show it."""
    kit = filtered("naive")
    assert kit.replay().text == "Ah 4."
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.FAIL
    assert {one.code for one in task.findings} >= {"split_changes_answer", "hidden_shown", "hidden_tag"}
    assert any("cut at byte 4" in one.message for one in task.findings)


def test_bytes_are_cut_within_characters(filtered):
    """A function that takes bytes gets them, cut anywhere."""
    kit = filtered("of_bytes", stream="Ah 🙂.".encode(), arguments={"pieces": "{byte_chunks}"}, expect=VISIBLE)
    trace = kit.replay()
    assert trace.text == "Ah 🙂."
    assert trace.splits is not None
    assert trace.splits.tried == 7 + 21 + 1
    assert kit.judge().tasks[0].verdict is Verdict.PASS


VISIBLE = {"accepted_outcomes": [{"required_slots": {"visible_text": "Ah 🙂."}}]}


def test_a_cut_that_makes_the_function_raise_is_an_answer_that_differs(filtered):
    """The others are tried all the same."""
    trace = filtered("strict").replay()
    assert trace.splits is not None
    assert trace.splits.tried == trace.splits.possible
    (variant,) = trace.splits.variants
    assert (variant.ending.kind, variant.ending.detail) == ("raised", "ValueError: too many pieces")
    assert len(variant.cuts) == 2


def test_a_stream_is_read_as_what_the_agent_answered(kit):
    """Where the subject takes no pieces nothing runs: its dialect reads the stream, and every cut gives the same."""
    lines = [{"type": "text", "text": "🙂"}, {"type": "finish", "reason": ""}]
    (kit.root / "evals" / "fixtures").mkdir(parents=True)
    compact = {"ensure_ascii": False, "separators": (",", ":")}
    stream = "".join(json.dumps(line, **compact) + "\n" for line in lines)
    (kit.root / "evals" / "fixtures" / "answer.jsonl").write_text(stream)
    kit.subject.update(stream="ndjson", entry="no_such_module:x")
    kit.task(
        "T-1",
        mode="stream_fixture",
        setup={"stream": "answer", "chunking": "all_splits"},
        expect={
            "required_invariants": ["stream_complete"],
            "accepted_outcomes": [{"required_slots": {"split_invariant": True, "visible_text": "🙂"}}],
        },
        grading={"deterministic_metrics": ["content_filter_contract", "output_hygiene"]},
    )
    trace = kit.replay()
    assert (trace.text, trace.ending.kind) == ("🙂", "completed")
    assert trace.splits is not None
    assert (trace.splits.tried, trace.splits.variants) == (trace.splits.possible, ())
    assert kit.judge().tasks[0].verdict is Verdict.PASS


def test_a_sample_of_the_cuts_is_said_to_be_one(filtered):
    """A note in the results says how many were tried; it changes no verdict."""
    kit = filtered("sound", stream=("Ah " * 400 + STREAM[3:]).encode(), expect=SPLIT)
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.PASS
    (note,) = task.findings
    assert (note.code, note.severity) == ("cuts_sampled", "note")
    assert "2,000 of " in note.message


SPLIT = {"accepted_outcomes": [{"required_slots": {"split_invariant": True}}]}


def test_a_function_that_calls_its_provider_after_all_is_stale(filtered):
    """Nothing is recorded for it, and so nothing is answered."""
    kit = filtered("calling")
    kit.agent(
        "import os, urllib.request\n"
        "def calling(chunks):\n"
        "    urllib.request.urlopen(os.environ['MODEL_URL'] + '/chat', b'{}').read()\n"
    )
    (task,) = kit.judge().tasks
    assert task.verdict is Verdict.STALE


@pytest.mark.parametrize(
    ("stream", "size", "code"), [(b"x" * 11, 10, "bad_fixture"), (b"x" * 1_100_000 + b"\n", None, "line_limit")]
)
def test_a_fixture_that_nobody_can_read_is_bad_input(kit, monkeypatch, stream, size, code):
    """STR-13: too large, or a line without end: exit 2, told at the task or the fixture."""
    if size is not None:
        monkeypatch.setattr(fixture, "SIZE", size)
    (kit.root / "evals" / "fixtures").mkdir(parents=True)
    (kit.root / "evals" / "fixtures" / "answer.txt").write_bytes(stream)
    kit.subject.update(stream="ndjson")
    kit.task(
        "T-1",
        **{
            **FILTERED,
            "setup": {"stream": "answer"},
            "expect": {"accepted_outcomes": [{"required_slots": {"visible_text": "x"}}]},
            "grading": {"deterministic_metrics": ["content_filter_contract"]},
        },
    )
    run = kit.judge()
    assert run.gate.exit_code == 2
    assert [one.code for one in run.tasks[0].findings] == [code]
    (recording,) = [trial.recording for trial in kit.trials(kit.suite())]
    assert isinstance(recording, LoadError if size else Fixture)
