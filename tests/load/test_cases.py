"""A task with cases as the tasks that they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tapegate.load.cases import expanded
from tapegate.load.document import Document
from tapegate.load.select import select
from tapegate.load.suite import load_suite, survey
from tapegate.load.task import read_task

CASES = """\
setup: {seed: 7}
cases:
  - name: as recorded
  - name: no JSON
    setup: {replies: [{content: "I think so."}]}
    expect:
      accepted_outcomes:
        - allowed_first_tools: [fallback]
  - name: another question
    input: What else?
    setup: {seed: 8}
"""


@pytest.fixture
def cases(task_text: str, read: Callable[..., Document]) -> tuple[Document, list[str]]:
    """A task with three cases, and what is wrong with it."""
    document = read(task_text + CASES)
    return document, [problem.code for problem in read_task(document)[1]]


def test_each_case_is_a_task_of_its_own(cases: tuple[Document, list[str]]) -> None:
    """Numbered from 1, with what it changes and all else of the task's."""
    task, problems = read_task(cases[0])
    assert problems == []
    assert task is not None
    first, second, third = expanded(task)
    assert [one.key for one in (first, second, third)] == ["RET-01@A1[1]", "RET-01@A1[2]", "RET-01@A1[3]"]
    assert [one.case for one in (first, second, third)] == [1, 2, 3]
    assert (first.input, first.setup, first.expect) == (task.input, task.setup, task.expect)
    assert second.setup.seed == 7
    assert second.setup.replies[0].content == "I think so."
    assert second.expect.accepted_outcomes[0].allowed_first_tools == ("fallback",)
    assert (third.input, third.setup.seed) == ("What else?", 8)
    assert {one.eval for one in (first, second, third)} == {"RET-01@A1"}


def test_a_case_that_is_asked_the_same_shares_the_recording(cases: tuple[Document, list[str]]) -> None:
    """What is replied, cut or expected otherwise needs none of its own; another question does."""
    task, _ = read_task(cases[0])
    assert task is not None
    assert [one.recorded_as for one in expanded(task)] == ["RET-01@A1", "RET-01@A1", "RET-01@A1[3]"]
    assert task.recorded_as == "RET-01@A1"


def test_the_parts_of_a_case_stand_on_its_own_lines(cases: tuple[Document, list[str]]) -> None:
    """A finding points at the case where the case says it, and at the task where it does not."""
    task, _ = read_task(cases[0])
    assert task is not None
    lines = (task.source.file, cases[0].source.line("cases", 1))
    _, second, third = expanded(task)
    outcome = ("expect", "accepted_outcomes", 0, "allowed_first_tools")
    assert second.source.line(*outcome) == cases[0].source.line("cases", 1, *outcome) > lines[1]
    assert third.source.line(*outcome) == cases[0].source.line(*outcome)
    assert third.source.line("input") == cases[0].source.line("cases", 2, "input")
    assert second.source.line("setup", "replies", 0) == lines[1] + 1
    assert second.source.line() == lines[1]


def test_a_task_without_cases_is_itself(task_text: str, read: Callable[..., Document]) -> None:
    """The very same."""
    task, _ = read_task(read(task_text))
    assert task is not None
    assert expanded(task) == (task,)
    assert (task.case, task.key) == (None, "RET-01@A1")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("cases:\n  - name: a\n  - name: a\n    input: x\n", ["13:5 duplicate_case"]),
        ("cases:\n  - name: a\n    input: x\n  - name: b\n    input: x\n", ["14:5 duplicate_case"]),
        ("cases:\n  - input: x\n", ["12:5 missing_key"]),
        ("cases:\n  - {name: a, sutep: {}}\n", ["12:15 unknown_key"]),
        ("cases:\n  - {name: a, setup: {fixtures: [nul]}}\n", ["12:34 path_escape"]),
        ("cases:\n  - {name: a, setup: {stream: x}}\n", ["12:23 mode_mismatch"]),
        ("cases:\n  - {name: a, setup: {clock: '2026-02-31T00:00:00Z'}}\n", ["12:30 bad_value"]),
        ("cases:\n  - {name: a, setup: {replies: [{call: 1}]}}\n", ["12:33 bad_reply"]),
        ("setup: {replies: [{content: a, body: b}]}\n", ["11:19 bad_reply"]),
        ("setup: {replies: [{content: ''}]}\n", []),
        ("cases: []\n", []),
        ("case: 3\n", ["11:1 unknown_key"]),
    ],
)
def test_what_is_wrong_with_a_case_is_told_at_its_line(
    text: str, codes: list[str], task_text: str, read: Callable[..., Document], told: Callable[..., list[str]]
) -> None:
    """Two that are one, parts that nobody knows, setups that cannot be, replies that say nothing."""
    assert told(read_task(read(task_text + text))[1]) == codes


def test_a_suite_has_cases_and_a_survey_has_files(project: Callable[..., Path], task_text: str) -> None:
    """What runs are the cases; what lint reads is the file."""
    root = project({"evals/retrieval/RET-01@A1.yaml": task_text + CASES})
    suite = load_suite(root)
    assert [task.key for task in suite.tasks] == ["RET-01@A1[1]", "RET-01@A1[2]", "RET-01@A1[3]"]
    assert [task.key for task in survey(root).tasks] == ["RET-01@A1"]
    for words, keys in (
        (("RET-01@A1",), 3),
        (("RET-01",), 3),
        (("RET-01@A1[2]",), 1),
        (("A1",), 3),
        (("evals/retrieval/RET-01@A1.yaml",), 3),
    ):
        assert len(select(suite, words).tasks) == keys
