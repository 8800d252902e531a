"""A comparison on the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tapegate.model.diff import Diff
from tapegate.model.run import Gate, Run
from tapegate.report import terminal_diff

REGRESSED = """\
REGRESSION RET-02@A1  pass → fail
  accepted as  searches, then reads → –
  tools        search_local → -read_paper → +web_search
  answer     - It is 3.6 degrees.
  answer     + It is 3.7 degrees.
  + citation_contract · too_few_local_citations
    evals/retrieval/RET-02@A1.yaml:21
    The answer cites too few local papers.
    expected  at least 1 link to /paper/{id}
    got       none
  +312 tokens (+25 %), 1,234 → 1,546
  latency not comparable, not recorded in base: – → 9 ms

STALE AGT-08@A1
  replay · prompt_changed
    evals/retrieval/AGT-08@A1.yaml:1
    the system prompt changed
      messages[0].content:
        -Local first.
        +Web first.
    fix       tapegate record AGT-08@A1 --stale

base  main (bbbbbbbbbbbb) · 3 of 3 pass (100 %, 95 % interval 20 % to 90 %)
head  HEAD (bbbbbbbbbbbb) · 1 of 3 pass (33 %, 95 % interval 20 % to 90 %)
not safe to merge · 1 task passed before and fails now; 1 task is stale now and must be recorded again.
  1 task passed and fails: RET-02@A1
exit code 1
"""


def test_the_worst_comes_first_and_the_verdict_last(regressed: Diff, failed: Run) -> None:
    """Where a terminal stops scrolling stands whether it is safe."""
    assert terminal_diff.render(regressed, failed) == REGRESSED


def test_an_exit_code_names_its_gate(regressed: Diff, failed: Run) -> None:
    """Where only head's own gate fails, 0 is the comparison's answer, and the line says whose it is."""
    passed = replace(regressed, gate=Gate(True, 0, ()))
    text = terminal_diff.render(passed, failed)
    assert "not safe to merge" in text
    assert "\n  1 task failed: RET-02@A1\n" in text
    assert text.endswith("exit code 0 of the comparison; head's own gate: 1\n")


def test_color_is_only_added(regressed: Diff, failed: Run) -> None:
    """Without its escape codes, the colored report is the plain one."""
    colored = terminal_diff.render(regressed, failed, color=True)
    assert "\x1b[" in colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in plain.split("\n")] == REGRESSED.split("\n")


def test_an_agents_words_are_no_command_to_a_runner(hostile_diff: Any) -> None:
    """No text of a stranger starts a workflow command, moves the cursor or sets rich's markup."""
    hostile = "\n::set-env name=X::1\n  ::error::x\nmid ##[error]x \x1b[2J \u202e [bold]b[/bold] [/nonsense]"
    text = terminal_diff.render(hostile_diff(hostile), None, width=200)
    assert not [line for line in text.split("\n") if line.strip().startswith("::") or "##[" in line]
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)
    assert "[bold]b[/bold] [/nonsense]" in text
