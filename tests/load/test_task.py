"""Task files: the standard's schema, strict types, and every problem at its line with its fix."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.load.document import Document
from tapegate.load.reader import parse_document
from tapegate.load.task import read_task
from tapegate.model.problem import Problem

Read = Callable[..., Document]
EXAMPLE = Path(__file__).with_name("data") / "standard_example.json"
TASK = b"""\
id: RET-01
suite: retrieval
path_id: A1
mode: single_turn
input: |
  What is known
  of gates?
setup: {db_snapshot: base, fixtures: [one, "two"]}
expect:
  required_invariants: [no_hidden_tag_leak]
  accepted_outcomes:
    - tool_path_policy: fixed_order
      order_critical: the second call needs the first one's answer
      any_allowed_path:
        - [search_local, read_paper]
      tool_counts: {read_paper: {min: 1, max: 2}}
      required_slots: {citations_local_min: 1}
grading:
  deterministic_metrics: [tool_trace, citation_contract]
trials: 2
"""
SHARED = Path(__file__).parents[2].parent / "shared"


def test_the_standards_example_loads_word_for_word(read: Read) -> None:
    """The example of the standard is a task, with its fixtures and its anchored path pattern as they stand."""
    document = read(EXAMPLE.read_bytes(), EXAMPLE.name)
    task, problems = read_task(document)
    assert problems == []
    assert task is not None
    assert task.key == "RET-01@A1"
    assert task.setup.fixtures == ("paper_fixture_001",)
    assert task.expect.forbidden_patterns[2] == "^/(Users|home|var|tmp)/"
    assert task.source.line("expect", "forbidden_patterns", 2) == 28
    assert task.model_dump(mode="json", exclude_unset=True) == json.loads(EXAMPLE.read_bytes())


def test_our_copy_of_the_example_is_the_standards() -> None:
    """The input above is the text of the standard, byte for byte."""
    standard = SHARED / "spec" / "agent-evaluation-standard.md"
    if not standard.exists():
        pytest.skip("the standard's text is not on this machine")
    (block,) = re.findall(r"```json\n(.*?)```", standard.read_text(), re.DOTALL)
    assert block == EXAMPLE.read_text()


def test_a_sound_task_knows_its_lines(read: Read, task_text: str) -> None:
    """The task carries the file it came from, so that a finding can point into it."""
    task, problems = read_task(read(task_text))
    assert problems == []
    assert task is not None
    assert task.source.file == "x.yaml"
    assert task.source.line("expect", "accepted_outcomes", 0, "allowed_first_tools") == 8


def _one(read: Read, text: str) -> Problem:
    task, problems = read_task(read(text))
    assert task is None
    (problem,) = problems
    return problem


@pytest.mark.parametrize(
    ("old", "new", "line", "code", "message", "fix"),
    [
        ("grading:", "trials: '3'\ngrading:", 9, "wrong_type", "the text '3'", "write 3 without quotes"),
        ("grading:", "trials: 2.0\ngrading:", 9, "wrong_type", "the number 2.0", "write 2"),
        ("grading:", "trials: true\ngrading:", 9, "wrong_type", "the truth value true", "write a whole number"),
        ("grading:", "trials: 1:30\ngrading:", 9, "wrong_type", "the text '1:30'", "write a whole number"),
        ("grading:", "trials: 0\ngrading:", 9, "out_of_range", "must be 1 or more, and is 0", "recorded trials"),
        ("grading:", "trials: 21\ngrading:", 9, "out_of_range", "must be 20 or less, and is 21", "recorded trials"),
        ("grading:", "blocking: no\ngrading:", 9, "wrong_type", "the text 'no'", "write false without quotes"),
        ("grading:", "blocking: 'true'\ngrading:", 9, "wrong_type", "the text 'true'", "write true without quotes"),
        ("grading:", "blocking:\ngrading:", 9, "wrong_type", "empty (null)", "write a value, or remove the key"),
        ("grading:", "triails: 2\ngrading:", 9, "unknown_key", "'triails'", "did you mean 'trials'?"),
        (
            "grading:",
            "zzz: 2\ngrading:",
            9,
            "unknown_key",
            "'zzz' is no key of the document",
            "known: beside, blocking, cases",
        ),
        ("What is known of gates?", "012", 5, "wrong_type", "the number 12", "put it in quotes"),
        ("What is known of gates?", "''", 5, "empty_text", "'input'", "write a value"),
        ("single_turn", "single_trun", 4, "unknown_value", "'single_trun'", "did you mean 'single_turn'?"),
        ("[tool_trace]", "[tool_trace]\n  runtime_llm_judge: no", 11, "unknown_value", "'no'", "known: audit, off"),
        ("[tool_trace]", "tool_trace", 10, "wrong_type", "the text 'tool_trace'", "write a list"),
        ("[tool_trace]", "[]", 10, "vacuous_suite", "would judge nothing", "name every metric"),
        ("[tool_trace]", "[3]", 10, "wrong_type", "'grading.deterministic_metrics[0]'", "put it in quotes"),
        (
            "    - allowed_first_tools: [search_local]",
            "    []",
            8,
            "too_few",
            "needs at least 1, and has 0",
            "solution shapes",
        ),
        (
            "- allowed_first_tools",
            "- alowed_first_tools",
            8,
            "unknown_key",
            "'expect.accepted_outcomes[0]'",
            "did you mean 'allowed_first_tools'?",
        ),
        (
            "[search_local]",
            "[search_local]\n      tool_counts: {a: {min: -1}}",
            9,
            "out_of_range",
            "tool_counts.a.min",
            "At least this often",
        ),
        ("[search_local]", "[search_local]\n      tool_counts: {'': {}}", 9, "empty_text", "the key ''", ""),
        (
            "[search_local]",
            "[search_local]\n      tool_path_policy: fixed_order",
            9,
            "order_not_justified",
            "does not say why",
            "add order_critical",
        ),
        (
            "[search_local]",
            "[search_local]\n      order_critical: it is",
            9,
            "order_not_fixed",
            "does not fix",
            "tool_path_policy: fixed_order",
        ),
        ("id: RET-01", "id: RET 01", 1, "bad_name", "'RET 01'", "letters, digits"),
        ("id: RET-01", "id: RÉT", 1, "bad_name", "'RÉT'", "letters, digits"),
        ("suite: retrieval", "suite: ../x", 2, "path_escape", "holds a path separator", "letters, digits"),
        ("suite: retrieval", "suite: [a]", 2, "wrong_type", "a list of 1", "write text"),
    ],
)
def test_a_wrong_value_is_told_with_its_fix(
    old: str, new: str, line: int, code: str, message: str, fix: str, read: Read, task_text: str
) -> None:
    """Nothing is coerced (TAS-02); the message names what was found, the fix what to write, the line where."""
    assert old in task_text
    problem = _one(read, task_text.replace(old, new))
    assert (problem.code, problem.line) == (code, line)
    assert message in problem.message
    assert fix in (problem.fix or "")


def test_a_missing_key_is_told_with_what_it_holds(read: Read, task_text: str) -> None:
    """The fix says what the key is for, in the model's own words."""
    problem = _one(read, task_text.replace("path_id: A1\n", ""))
    assert (problem.code, problem.line) == ("missing_key", 1)
    assert problem.message == "the document lacks the key 'path_id'"
    assert problem.fix == "add path_id: (The path in the scope table that it tests, `A1`.)"
    problem = _one(read, task_text.replace("  deterministic_metrics: [tool_trace]\n", "  runtime_llm_judge: off\n"))
    assert (problem.code, problem.line) == ("missing_key", 9)


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "a\\0b", "CON", "con.txt", "LPT1", "x.", "a\\\\b", "..", "C:x", ".hidden"],
)
@pytest.mark.parametrize("holder", ['db_snapshot: "{}"', 'fixtures: [ok, "{}"]'])
def test_a_name_that_leaves_its_folder_is_refused(name: str, holder: str, read: Read, task_text: str) -> None:
    """TAS-09: whatever would name another file on some system is `path_escape`, at its line."""
    problem = _one(read, task_text + f"setup:\n  {holder.format(name)}\n")
    assert (problem.code, problem.line) == ("path_escape", 12)


@pytest.mark.parametrize("text", ["[]", "3", "~", "a task"])
def test_a_document_that_is_no_mapping_is_told(text: str, read: Read) -> None:
    """A list, a number or a sentence is no task."""
    problem = _one(read, text)
    assert (problem.code, problem.line) == ("wrong_type", 1)
    assert "the document must be a mapping" in problem.message


def test_every_problem_of_a_file_is_told(read: Read, told: Callable[..., list[str]]) -> None:
    """Ten things wrong in one file, of the reader, the model and the rules beyond it, give ten problems."""
    text = """\
id: CON
suite: &s retrieval
path_id: A1
path_id: A2
mode: double_turn
input: 012
setup:
  fixtures: [a/b, {}]
  seeds: 1
expect:
  accepted_outcomes:
    - tool_path_policy: fixed_order
grading:
  deterministic_metrics: []
trials: .inf
"""
    task, problems = read_task(read(text))
    assert task is None
    assert told(problems) == [
        "1:5 path_escape",
        "2:8 alias_limit",
        "4:1 duplicate_key",
        "5:7 unknown_value",
        "6:8 wrong_type",
        "8:14 path_escape",
        "8:19 wrong_type",
        "9:3 unknown_key",
        "12:25 order_not_justified",
        "14:26 vacuous_suite",
        "15:9 not_finite",
    ]


def test_a_value_that_could_not_be_read_is_told_once(read: Read, task_text: str) -> None:
    """An alias where a number belongs is refused as an alias; what its type would have been is not guessed."""
    assert _one(read, task_text + "trials: *x\n").code == "alias_limit"
    assert _one(read, task_text + "setup: *x\n").code == "alias_limit"


def test_a_file_that_cannot_be_parsed_has_that_one_problem(read: Read, task_text: str) -> None:
    """After a syntax error nothing is guessed about the keys that may be missing."""
    assert _one(read, task_text + "setup: [\n").code == "yaml_syntax"


@settings(max_examples=300, deadline=None)
@given(data=st.data(), example=st.booleans())
def test_a_task_cut_or_changed_anywhere_is_a_task_or_has_problems(data: st.DataObject, example: bool) -> None:
    """A piece of a sound file replaced by anything: no error but problems at places of the file comes out."""
    raw = EXAMPLE.read_bytes() if example else TASK
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 30)))
    piece = data.draw(
        st.sampled_from([b"", b"\xff", b"\0", b"*a", b"&a ", b"!!int ", b"[", b": ", b"\n- ", b'"', b"~"])
        | st.binary(max_size=8)
    )
    document = parse_document(raw[:start] + piece + raw[end:], "x.json" if example else "x.yaml")
    task, problems = read_task(document)
    assert (task is None) is bool(problems)
    assert all(problem.file and problem.line and problem.column for problem in problems)
