"""The report on the terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report import terminal

PASSED = """\
task       verdict  accepted as           tools                      tokens  as recorded
RET-01@A1  pass     searches, then reads  search_local → read_paper   1,234        1.3 s
RET-02@A1  pass     outcome 2             read_paper ×2               1,234        1.3 s
gate passed · 2 tasks: 2 passed
release readiness: inconclusive (aggregate, pass_rate, faithfulness_failure_rate) · 2 samples, 0 scored · fewer than 20
digest sha256:0 · exit code 0
"""

FAILED = """\
FAIL RET-02@A1
  citation_contract · too_few_local_citations · nearest outcome: searches, then reads
    evals/retrieval/RET-02@A1.yaml:21
    The answer cites too few local papers.
    expected  at least 1 link to /paper/{id}
    got       none

STALE AGT-08@A1
  replay · prompt_changed
    evals/retrieval/AGT-08@A1.yaml:1
    the system prompt changed
      messages[0].content:
        -Local first.
        +Web first.
    fix       tapegate record AGT-08@A1 --stale

task       verdict  accepted as           tools                      tokens  as recorded
AGT-08@A1  stale    –                     no tools                    1,234        1.3 s
RET-01@A1  pass     searches, then reads  search_local → read_paper   1,234        1.3 s
RET-02@A1  fail     –                     search_local → read_paper   1,234        1.3 s
gate failed · 3 tasks: 1 passed, 1 failed, 1 stale
  1 task failed: RET-02@A1
release readiness: inconclusive (aggregate, pass_rate, faithfulness_failure_rate) · 3 samples, 0 scored · fewer than 20
digest sha256:0 · exit code 1
"""


def test_a_pass_is_a_table_and_three_lines(passed: Run) -> None:
    """Where all holds, nothing but the facts is shown."""
    assert terminal.render(passed, "sha256:0") == PASSED


def test_what_failed_comes_first_with_place_expected_and_got(failed: Run) -> None:
    """The worst comes first; of several unmet outcomes the nearest is shown."""
    assert terminal.render(failed, "sha256:0") == FAILED


def test_cases_that_show_the_same_share_a_line(make_task: Any, make_finding: Any) -> None:
    """Cases stand in the order of their numbers; those that passed alike, one behind the other, are told once."""
    alike = [make_task(f"RET-08@A5[{case}]", Verdict.PASS, outcome=0, tool_path=()) for case in (1, 10, 11, 2, 4)]
    other = make_task("RET-08@A5[3]", Verdict.PASS, outcome=0)
    failed = [make_task(f"RET-09@A5[{case}]", Verdict.FAIL, make_finding(), tool_path=()) for case in (1, 2)]
    run = Run("pr", False, (*alike, other, *failed), Gate(False, 1, ()))
    table = terminal.render(run, "sha256:0").partition("task ")[2].split("\n")[1:8]
    assert [line.split("  ")[0] for line in table] == [
        "RET-08@A5[1–2]",
        "RET-08@A5[3]",
        "RET-08@A5[4]",
        "RET-08@A5[10–11]",
        "RET-09@A5[1]",
        "RET-09@A5[2]",
        "gate failed · 8 tasks: 6 passed, 2 failed",
    ]


def test_color_is_only_added(failed: Run) -> None:
    """Without its escape codes, the colored report is the plain one."""
    import re

    colored = terminal.render(failed, "sha256:0", color=True)
    assert "\x1b[" in colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in plain.split("\n")] == FAILED.split("\n")


def test_an_agents_words_are_no_command_to_a_runner(make_task: Any, make_finding: Any) -> None:
    """Text of the agent's cannot start a workflow command, move the cursor or set rich's markup."""
    hostile = "::set-env name=X::1\n  ::error::x\nmid ##[error]x \x1b[2J \u202e [bold]b[/bold] [/nonsense]"
    bad = make_finding(message=hostile, got=hostile, expected=hostile)
    gate = Gate(False, 1, (hostile,))
    run = Run("pr", False, (make_task("RET-02@A1", Verdict.FAIL, bad, tool_path=("::a", "##[b")),), gate)
    text = terminal.render(run, "sha256:0", width=200)
    assert not [line for line in text.split("\n") if line.strip().startswith("::") or "##[" in line]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]b[/bold] [/nonsense]" in text


@pytest.mark.parametrize("width", range(40, 140, 7))
def test_no_wrapping_makes_a_command_of_a_cell(make_task: Any, width: int) -> None:
    """Wherever a table breaks the name of a tool or of an outcome, its next line is no workflow command."""
    tools = ("search", "::error title=x::a", "read", "::add-mask::b", "##[error]c")
    names = ("one ::error::two ::stop-commands::three ##[warning]four \x1b[2J", None)
    run = Run(
        "pr",
        False,
        (
            make_task("A@A1", Verdict.FAIL, tool_path=tools),
            make_task("B@A1", Verdict.PASS, outcome=0, outcome_names=names),
        ),
        Gate(True, 0, ()),
    )
    text = terminal.render(run, "sha256:0", width=width)
    assert not [line for line in text.split("\n") if line.strip().startswith("::") or "##[" in line]
    assert "\x1b" not in text


def test_each_trial_has_its_row(make_task: Any) -> None:
    """A task of several trials shows each of them."""
    one = make_task("RET-01@A1", Verdict.PASS, outcome=0)
    two = replace(one, trials=(one.trials[0], replace(one.trials[0], trial=2, outcome=1)))
    text = terminal.render(Run("pr", False, (two,), Gate(True, 0, ())), "sha256:0")
    assert "  trial 2  pass     outcome 2" in text


def test_a_long_line_stays_in_one_piece(make_task: Any, make_finding: Any) -> None:
    """Hashes and paths are neither wrapped nor cut, whatever the width."""
    words = "x" * 300 + " end"
    run = Run("pr", False, (make_task("RET-02@A1", Verdict.FAIL, make_finding(message=words)),), Gate(False, 1, ()))
    assert f"    {words}\n" in terminal.render(run, "sha256:0", width=60)
