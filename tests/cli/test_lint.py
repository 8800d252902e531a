"""`tapegate lint` on the command line: its exit codes, its formats, its base."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.lint import FORMATS, lint

CONFIG = """\
version: 1
paths:
  P1: {title: Main prompt, status: active, files: [src/agent.py], subject: desk}
subjects:
  desk: {kind: python, entry: agent:answer, stream: text}
"""
TASK = """\
id: RET-01
suite: chat
path_id: P1
mode: single_turn
input: What is known of gates?
expect:
  accepted_outcomes:
    - allowed_first_tools: [search_local]
grading:
  deterministic_metrics: [tool_trace]
"""
FILE = "evals/chat/RET-01@P1.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which lint notes that nothing is recorded, outside of any workflow."""
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "GIT_"))]:
        monkeypatch.delenv(name)
    root = tmp_path / "project"
    for name, text in {"evals/tapegate.yaml": CONFIG, FILE: TASK, "src/agent.py": ""}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def run(project: Path, *words: str, given: str | None = None) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(lint, ["-C", str(project), *words], input=given)


def break_task(project: Path, old: str = "[search_local]", new: str = "[search_local, search_local]") -> None:
    """A task that a run would refuse."""
    (project / FILE).write_text(TASK.replace(old, new))


@pytest.mark.parametrize("form", FORMATS)
def test_the_exit_code_says_how_it_is(project: Path, form: str) -> None:
    """0 clean, 1 with a finding, 2 where something cannot be read, whatever the format."""
    assert run(project, "--format", form).exit_code == 0
    (project / "src/critic_prompt.md").write_text("x")
    assert run(project, "--format", form).exit_code == 1
    break_task(project)
    assert run(project, "--format", form).exit_code == 2


def test_text_is_for_people(project: Path) -> None:
    """Findings and a line that sums up; with --quiet nothing where all is well."""
    assert run(project).output.endswith("lint: 1 task, clean (1 note)\n")
    assert run(project, "--quiet").output == ""
    break_task(project)
    assert f"{FILE}:8: unreadable[duplicate_entry]" in run(project, "--quiet").output


@pytest.mark.parametrize("words", [("--json",), ("--format", "json")])
def test_json_is_for_programs(project: Path, words: tuple[str, ...]) -> None:
    """Both spellings give the same object."""
    shown = json.loads(run(project, *words).output)
    assert shown["schema"] == "tapegate.lint/1"
    assert [found["id"] for found in shown["findings"]] == ["not_recorded"]
    assert [answer["number"] for answer in shown["checklist"]] == [1, 2, 3, 4, 5, 6]


def test_sarif_is_for_code_scanning(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named from the repository's root, and each id is a rule with its page."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.parent))
    (run_,) = json.loads(run(project, "--format", "sarif").output)["runs"]
    (result,) = run_["results"]
    (rule,) = run_["tool"]["driver"]["rules"]
    assert (result["ruleId"], rule["id"], result["level"]) == ("not_recorded", "not_recorded", "note")
    assert "docs/lint.md#recordings_made" in rule["help"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == f"project/{FILE.replace('@', '@')}"
    assert place["region"] == {"startLine": 1}


def test_github_is_for_a_workflow(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotations on the lines of files, notes as notices, and the checklist in the step's summary."""
    summary = project.parent / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    (project / "src/critic_prompt.md").write_text("x")
    lines = run(project, "--format", "github").output.splitlines()
    assert lines[0].startswith("::error file=src/critic_prompt.md,line=1,title=Tapegate%3A unscoped_prompt::")
    assert lines[1].startswith(f"::notice file={FILE},line=1,title=Tapegate%3A not_recorded::")
    assert lines[2:] == ["lint: 1 task, not clean (1 finding, 1 note)"]
    shown = summary.read_text()
    assert shown.startswith("before\n## Tapegate lint: 1 task, not clean")
    assert "The standard's checklist" in shown


def test_fix_puts_right_what_it_can(project: Path) -> None:
    """And says what it did; what is left is told as ever."""
    break_task(project)
    done = run(project, "--fix")
    assert done.exit_code == 0
    assert f"fixed: {FILE}: expect.accepted_outcomes.0.allowed_first_tools is [search_local]" in done.output
    assert (project / FILE).read_text() == TASK
    assert json.loads(run(project, "--fix", "--json").output)["fixed"] == []


def test_a_folder_may_be_the_base(project: Path) -> None:
    """Where there is no git, --base-dir names the base; the checklist is answered for the change."""
    base = project.parent / "base"
    shutil.copytree(project, base)
    (project / "src/agent.py").write_text("x")
    done = run(project, "--base-dir", str(base))
    assert done.exit_code == 1
    assert "finding[eval_unchanged]" in done.output
    assert "1. Does the change touch a path of the scope table? yes" in done.output
    reason = "Tapegate-Eval-Unchanged: P1: a comment\n"
    assert run(project, "--base-dir", str(base), "--message", "-", given=reason).exit_code == 0


def test_the_description_of_a_pull_request_may_say_why(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a workflow the event tells it."""
    base = project.parent / "base"
    shutil.copytree(project, base)
    (project / "src/agent.py").write_text("x")
    event = project.parent / "event.json"
    event.write_text(json.dumps({"pull_request": {"body": "Tapegate-Eval-Unchanged: a comment\r\n"}}))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert run(project, "--base-dir", str(base)).exit_code == 0


def test_two_bases_are_one_too_many(project: Path) -> None:
    """Exit 2, and both are named."""
    done = run(project, "--against", "main", "--base-dir", str(project))
    assert done.exit_code == 2
    assert "--against and --base-dir" in done.output


@pytest.mark.parametrize(
    ("words", "path", "code", "said"),
    [
        (("--against", "main"), None, 3, "is in no git repository"),
        (("--against", "main"), "/nonexistent", 3, "git cannot be run"),
        ((), "/nonexistent", 0, "clean"),
    ],
)
def test_without_git_it_is_said(project: Path, words: tuple[str, ...], path: str | None, code: int, said: str) -> None:
    """Exit 3 with the way out where a base was named in git; without one nothing needs git."""
    done = subprocess.run(
        [sys.executable, "-m", "tapegate", "lint", "-C", str(project), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(project.parent), **({"PATH": path} if path else {})},
    )
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert code == 0 or "--base-dir" in done.stderr


def test_what_files_say_is_no_command_to_a_runner(project: Path) -> None:
    """Names and values of a task are quoted inert in every format that a log shows."""
    break_task(project, "RET-01\n", '"RET-01\\n::error::x##[group]"\n')
    lines = run(project).output.splitlines()
    assert not [line for line in lines if line.startswith("::") or "##[" in line]
    lines = run(project, "--format", "github").output.splitlines()
    assert {line.split(" ")[0] for line in lines} <= {"::error", "::notice", "lint:"}
