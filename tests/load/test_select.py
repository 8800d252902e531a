"""The words of a command line: which tasks they mean, and what they say when they mean none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tapegate.errors import UsageError
from tapegate.load.select import select
from tapegate.load.suite import Suite, load_suite


@pytest.fixture
def suite(project: Callable[..., Path], task_text: str, config_text: str) -> Suite:
    """RET-01 on A1 and A2 in `retrieval`, AGT-08 on A1 in `agent`; no task on A3."""
    row = "{title: x, status: y, files: [z], subject: desk}"
    config = config_text.replace("subjects:", f"  A2: {row}\n  A3: {row}\nsubjects:", 1)
    return load_suite(
        project(
            {
                "evals/tapegate.yaml": config,
                "evals/retrieval/RET-01@A2.yaml": task_text.replace("A1", "A2"),
                "evals/agent/AGT-08@A1.yaml": task_text.replace("RET-01", "AGT-08").replace(": retrieval", ": agent"),
            }
        )
    )


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ((), ["AGT-08@A1", "RET-01@A1", "RET-01@A2"]),
        (("RET-01",), ["RET-01@A1", "RET-01@A2"]),
        (("RET-01@A2",), ["RET-01@A2"]),
        (("agent",), ["AGT-08@A1"]),
        (("A1",), ["AGT-08@A1", "RET-01@A1"]),
        (("RET-*",), ["RET-01@A1", "RET-01@A2"]),
        (("*@A2",), ["RET-01@A2"]),
        (("a?ent",), ["AGT-08@A1"]),
        (("evals/*/RET-*",), ["RET-01@A1", "RET-01@A2"]),
        (("evals/retrieval/RET-01@A1.yaml",), ["RET-01@A1"]),
        (("./evals/agent/../agent/AGT-08@A1.yaml",), ["AGT-08@A1"]),
        (("evals/retrieval/",), ["RET-01@A1", "RET-01@A2"]),
        (("A2", "agent", "A2"), ["AGT-08@A1", "RET-01@A2"]),
        (("*",), ["AGT-08@A1", "RET-01@A1", "RET-01@A2"]),
    ],
)
def test_words_mean_tasks(words: tuple[str, ...], keys: list[str], suite: Suite) -> None:
    """Ids, keys, suites, path ids, globs, files and folders; several words are a union, sorted by key."""
    selection = select(suite, words)
    assert [task.key for task in selection.tasks] == keys
    assert selection.partial is (len(keys) < 3)


def test_a_file_may_be_named_from_where_one_stands(suite: Suite) -> None:
    """A path is understood from the working folder as well as from the project's root, and in full."""
    here = suite.project / "evals" / "agent"
    assert [task.key for task in select(suite, ("AGT-08@A1.yaml",), here=here).tasks] == ["AGT-08@A1"]
    assert [task.key for task in select(suite, (str(here / "AGT-08@A1.yaml"),)).tasks] == ["AGT-08@A1"]


@pytest.mark.parametrize(
    ("word", "message", "fix"),
    [
        ("RET-02", "'RET-02' is no task id", "did you mean 'RET-01'?"),
        ("ret-01", "'ret-01'", "did you mean 'RET-01'?"),
        ("agnet", "'agnet'", "did you mean 'agent'?"),
        ("A3", "a path of the scope table that no task tests", "known: "),
        ("X*", "'X*'", "known: A1, A2, AGT-08"),
        ("", "''", "known: "),
        ("a\0b", "'a\\x00b'", "known: "),
        ("/etc/passwd", "'/etc/passwd'", "known: "),
    ],
)
def test_a_word_that_means_nothing_is_refused(word: str, message: str, fix: str, suite: Suite) -> None:
    """A selection is never empty and never silently smaller: every unknown word is told, with the nearest name."""
    with pytest.raises(UsageError) as caught:
        select(suite, ("RET-01", word, "nothing-like-it"))
    problem, second = caught.value.problems
    assert (problem.code, second.code) == ("unknown_selection", "unknown_selection")
    assert message in problem.message
    assert fix in (problem.fix or "")
    assert caught.value.exit_code == 2
