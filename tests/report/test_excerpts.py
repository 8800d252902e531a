"""What of a change is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tapegate.compare.align import align
from tapegate.compare.answer import align_answers
from tapegate.model.diff import Diff, Edit
from tapegate.model.finding import Verdict
from tapegate.model.run import Run
from tapegate.report import comment, terminal_diff
from tapegate.report.excerpts import answer_lines, nearest, path_lines


@pytest.mark.parametrize(
    ("base", "head", "lines"),
    [
        ("a b", "a c", ["  a", "- b", "+ c"]),
        ("", "a", ["+ a"]),
        ("a", "a", ["  a"]),
        (" ".join("c" * 30), " ".join("c" * 30) + " x", ["  … 24 calls …", *["  c"] * 6, "+ x"]),
        ("x " + " ".join("c" * 30), " ".join("c" * 30), ["- x", *["  c"] * 6, "  … 24 calls …"]),
    ],
)
def test_a_path_is_a_diff_a_line_a_call(base: str, head: str, lines: list[str]) -> None:
    """Long stretches without a change are told by their length."""
    assert path_lines(align(base.split(), head.split())) == lines


@pytest.mark.parametrize(
    ("base", "head", "lines"),
    [
        ("It is 3.6 degrees.", "It is 3.7 degrees.", ["- It is 3.6 degrees.", "+ It is 3.7 degrees."]),
        ("gone", "", ["- gone"]),
        ("", "new\nline", ["+ new ⏎ line"]),
        ("x" * 300, "y", [f"- {'x' * 240}… (60 more characters)", "+ y"]),
    ],
)
def test_an_answer_is_a_diff_a_line_a_side(base: str, head: str, lines: list[str]) -> None:
    """With a few words around each change, and long pieces cut."""
    assert answer_lines(align_answers(base, head)) == lines


def test_only_the_first_changes_of_an_answer_are_shown() -> None:
    """How many more there are is said."""
    base = " ".join(f"same{n} old" for n in range(10))
    lines = answer_lines(align_answers(base, base.replace("old", "new")))
    assert len(lines) == 13
    assert lines[-1] == "  … 4 more changes"


def test_of_unmet_outcomes_the_nearest_is_shown(make_finding: Any) -> None:
    """Conditions of outcomes further away only say what the agent did not try."""
    far = [make_finding(outcome=0, code=code) for code in ("a", "b")]
    near, apart = make_finding(outcome=1, code="c"), make_finding(outcome=None, code="d")
    assert nearest([*far, near, apart]) == [near, apart]
    assert nearest([]) == []


@pytest.mark.parametrize("form", ["comment", "terminal"])
def test_a_side_that_never_ran_called_and_said_nothing(form: str, regressed: Diff, failed: Run) -> None:
    """Where a file of head cannot be used, base's calls and answer are not told as taken away; the reason is."""
    changed = next(task for task in regressed.tasks if task.trials)
    gone = (Edit("removed", "read_paper"),)
    error = {"head_verdict": Verdict.ERROR}
    trial = replace(changed.trials[0], tool_path=gone, answer=(Edit("removed", "It is 3.6."),), deltas=(), **error)
    task = replace(changed, key="RET-09@A1", base_key="RET-09@A1", trials=(trial,), **error)
    diff = replace(regressed, tasks=(task,))
    text = comment.render(diff, failed) if form == "comment" else terminal_diff.render(diff, failed)
    assert "RET-09@A1" in text
    assert "too_few_local_citations" in text
    assert "It is 3.6." not in text
    assert "- read_paper" not in text.replace("-read_paper", "- read_paper")
    ran = replace(trial, answer=(Edit("removed", "It is 3.6."), Edit("added", "It is")))
    diff = replace(diff, tasks=(replace(task, trials=(ran,)),))
    text = comment.render(diff, failed) if form == "comment" else terminal_diff.render(diff, failed)
    assert "It is 3.6." in text
