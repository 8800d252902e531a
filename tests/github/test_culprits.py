"""The changed lines that made recordings stale."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapegate.github.annotations import all_of_culprits
from tapegate.github.culprits import MOST, Added, Culprit, added_since, culprits
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run

MESSAGE = """the system prompt changed (POST /chat/completions of service 'model': nearest is recorded request 1)
  messages[0].content:
    line 28:
       - Local first: look in the user's library before any other source.
      -- Read before citing: cite a local paper only after one of the reading tools has returned it.
      +- Read before you cite: cite a local paper only after one of the reading tools has returned it."""
NEW = "Read before you cite: cite a local paper only after one of the reading tools has returned it."
LINE = Added("src/policy.py", 7, f'    "- {NEW}",')


@pytest.fixture
def stale(make_task: Callable[..., Any], make_finding: Callable[..., Any]) -> Run:
    """A run whose tasks are stale for a changed prompt."""
    found = make_finding(metric="replay", code="prompt_changed", severity="stale", message=MESSAGE)
    tasks = tuple(make_task(f"RET-0{number}@A1", Verdict.STALE, found) for number in (1, 2))
    return Run("pr", partial=False, tasks=tasks, gate=Gate(False, 4, ()))


def test_the_line_that_holds_what_is_new_is_named_once(stale: Run) -> None:
    """With every task that it left behind; lines that hold something else are not."""
    others = [Added("src/policy.py", 8, '    "- Local first: look somewhere else now.",'), Added("a.py", 1, "x = 1")]
    (found,) = culprits(stale, [*others, LINE])
    assert found == Culprit("src/policy.py", 7, "prompt_changed", ("RET-01@A1", "RET-02@A1"), blocking=True)


def test_a_short_or_quoted_line_is_no_accident(stale: Run) -> None:
    """A piece of the text on a line of its own counts; a bracket, or a word that stands anywhere, does not."""
    piece = Added("prompt.txt", 3, "  'cite a local paper only after one of the reading tools'")
    assert [one.line for one in culprits(stale, [piece, Added("a.py", 1, ")"), Added("a.py", 2, "    cite")])] == [3]


def test_only_what_a_change_can_cause_is_looked_for(stale: Run, make_finding: Callable[..., Any]) -> None:
    """A recording that is not there yet has no line to blame; a task that passed has none either."""
    missing = make_finding(metric="replay", code="not_recorded", severity="stale", message=MESSAGE)
    tasks = tuple(replace(task, trials=(replace(task.trials[0], findings=(missing,)),)) for task in stale.tasks)
    assert culprits(replace(stale, tasks=tasks), [LINE]) == ()


def test_no_more_lines_are_named_than_leave_room_for_tasks(stale: Run) -> None:
    """A prompt that was written anew has many."""
    assert len(culprits(stale, [replace(LINE, line=number) for number in range(1, 30)])) == MOST


def test_an_annotation_stands_on_the_line(stale: Run) -> None:
    """From the repository's root, an error where a task blocks."""
    (command,) = all_of_culprits(culprits(stale, [LINE]), "agent/")["error"]
    assert command == (
        "::error file=agent/src/policy.py,line=7,title=prompt_changed%3A RET-01@A1%2C RET-02@A1::"
        "the recordings do not cover this change%0Afix: tapegate record --stale"
    )


def test_a_change_is_read_line_by_line(tmp_path: Path) -> None:
    """Every line that is new, at its number, whatever it looks like; evals and recordings aside."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "a@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def git(*words: str) -> str:
        line = ["git", *words]
        return subprocess.run(line, cwd=tmp_path, env=clean, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    (tmp_path / "evals").mkdir()
    for name in ("agent.py", "evals/task.yaml"):
        (tmp_path / name).write_text("one\ntwo\nthree\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "base")
    base = git("rev-parse", "HEAD")
    for name in ("agent.py", "evals/task.yaml"):
        (tmp_path / name).write_text("one\n++ b/elsewhere.py\n@@ -1 +9 @@\nthree\nfour\n")
    assert added_since(tmp_path, base, ("evals",)) == (
        Added("agent.py", 2, "++ b/elsewhere.py"),
        Added("agent.py", 3, "@@ -1 +9 @@"),
        Added("agent.py", 5, "four"),
    )
    assert added_since(tmp_path, "0" * 40, ()) == ()
