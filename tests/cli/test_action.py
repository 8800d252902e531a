"""The action's steps: its inputs, its ends as exit codes, and that nobody speaks to the runner through them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tapegate.cli import action, action_base
from tapegate.cli.action_gate import Gated
from tapegate.cli.action_inputs import CHOICES, Inputs
from tapegate.cli.init import init
from tapegate.errors import UsageError
from tapegate.github.marker import LONGEST_SUITE


def test_inputs_that_are_not_set_have_the_actions_defaults() -> None:
    """An empty input is one that is not set: that is how a runner passes it."""
    plain = Inputs.of({})
    names = ("PROFILE", "SELECT", "EVALS", "JOBS", "BASELINE", "COMMENT", "STALE", "FAIL_ON", "SHARD", "MERGE")
    assert plain == Inputs.of({f"INPUT_{name}": "" for name in names})
    assert (plain.profile, plain.evals, plain.select, plain.jobs) == ("pr", Path("evals"), (), None)
    assert (plain.baseline, plain.comment, plain.stale, plain.fail_on) == ("auto", "auto", None, ())
    assert (plain.shard, plain.merge, plain.annotations) == (None, None, True)


def test_every_input_is_heard(tmp_path: Path) -> None:
    """Nothing that a workflow says is passed over."""
    (tmp_path / "agent").mkdir()
    found = Inputs.of(
        {
            "GITHUB_WORKSPACE": str(tmp_path),
            "INPUT_WORKING_DIRECTORY": "agent",
            "INPUT_PROFILE": "nightly",
            "INPUT_SELECT": " RET-01\n\tA1  evals/x.yaml\n",
            "INPUT_EVALS": "checks",
            "INPUT_JOBS": "3",
            "INPUT_ANNOTATIONS": "false",
            "INPUT_BASELINE": "file:kept/results",
            "INPUT_FAIL_ON": "needs_review, not_ready",
            "INPUT_STALE": "report",
            "INPUT_COMMENT": "changes",
            "INPUT_SHARD": "1/2",
        }
    )
    assert found.project == tmp_path / "agent"
    assert found.profile == "nightly"
    assert found.select == ("RET-01", "A1", "evals/x.yaml")
    assert found.evals == Path("checks")
    assert (found.jobs, found.annotations, found.baseline) == (3, False, "file:kept/results")
    assert (found.fail_on, found.stale) == (("needs_review", "not_ready"), "report")
    assert (found.comment, found.shard) == ("changes", "1/2")
    assert re.fullmatch("agent/checks nightly [0-9a-f]{8}", found.suite)


def test_the_gates_of_a_repository_are_told_apart(tmp_path: Path) -> None:
    """By folder, profile and selection, in no more characters than a comment's marker takes."""
    (tmp_path / ("x" * 120)).mkdir()
    given = [{}, {"PROFILE": "nightly"}, {"SELECT": "A1"}, {"SELECT": "A2"}, {"EVALS": "checks"}]
    given += [{"WORKING_DIRECTORY": "x" * 120}, {"WORKING_DIRECTORY": "x" * 120, "EVALS": "checks"}]
    names = [
        Inputs.of({"GITHUB_WORKSPACE": str(tmp_path), **{f"INPUT_{name}": value for name, value in one.items()}}).suite
        for one in given
    ]
    assert names[0] == "evals"
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= LONGEST_SUITE


def test_every_choice_is_taken() -> None:
    """What an error lists as a choice is one."""
    for name, choices in CHOICES.items():
        for choice in choices:
            Inputs.of({f"INPUT_{name.upper().replace('-', '_')}": choice})


@pytest.mark.parametrize(
    "select",
    [
        "--profile=dev",
        "-h",
        "--",
        "--help --project=/",
        "$(touch pwned)",
        "`touch pwned`",
        "&& touch pwned | x > y",
        "'\"\\",
        "${{ github.token }}",
        "a\n::set-env name=X::1\r\n##[error]x",
        "*",
        "\u202eevil\u2028x",
    ],
)
def test_a_selection_stays_a_selection(select: str) -> None:
    """Options, shell syntax and line breaks in it are names of tasks, as they stand."""
    found = Inputs.of({"INPUT_SELECT": select})
    assert found.select == tuple(select.split())
    assert found.profile == "pr"


def test_every_input_that_cannot_be_used_is_named() -> None:
    """All of them at once, each with what is expected."""
    wrong = {
        "INPUT_STALE": "ignore",
        "INPUT_COMMENT": "yes",
        "INPUT_BASELINE": "file:",
        "INPUT_FAIL_ON": "needs_review stale",
        "INPUT_JOBS": "0",
        "INPUT_ANNOTATIONS": "no",
        "INPUT_SHARD": "1/2",
        "INPUT_MERGE": "parts",
        "INPUT_WORKING_DIRECTORY": "nowhere",
    }
    with pytest.raises(UsageError) as caught:
        Inputs.of(wrong)
    said = [problem.message for problem in caught.value.problems]
    assert len(said) == len(wrong) - 1
    assert "the input 'stale' is 'ignore'; expected 'fail' or 'report'" in said
    assert "the input 'fail-on' is 'stale'; expected 'needs_review' or 'not_ready'" in said


@dataclass(frozen=True, slots=True)
class Ended:
    """How the step ended."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def runner(root: Path, **inputs: str) -> dict[str, str]:
    """The variables of a step, in a workspace with a project that has no evals."""
    temporary = root / "temp"
    temporary.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONUTF8": "1",
        "GITHUB_WORKSPACE": str(root),
        "GITHUB_OUTPUT": str(root / "output"),
        "GITHUB_STEP_SUMMARY": str(root / "summary"),
        "RUNNER_TEMP": str(temporary),
        **inputs,
    }


def step(root: Path, name: str = "gate", **inputs: str) -> Ended:
    """Run a step as action.yml does."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tapegate.cli.action", name],
        cwd=root,
        env=runner(root, **inputs),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return ended(root, done.returncode, done.stdout)


@pytest.fixture
def gate(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs the gate step in this process."""

    def run(**inputs: str) -> Ended:
        code = action.gate(runner(tmp_path, **inputs))
        return ended(tmp_path, code, "".join(capfd.readouterr()))

    return run


def ended(root: Path, code: int, log: str) -> Ended:
    """What a step left."""
    lines = (root / "output").read_text("utf-8").splitlines() if (root / "output").exists() else []
    outputs = {lines[at].split("<<")[0]: lines[at + 1] for at in range(0, len(lines), 3)}
    summary = (root / "summary").read_text("utf-8") if (root / "summary").exists() else ""
    return Ended(code, log, outputs, summary)


def test_a_project_without_evals_ends_with_its_own_code(tmp_path: Path) -> None:
    """The step exits as the gate does; outputs, annotation and summary say it too."""
    found = step(tmp_path)
    assert found.code == 2
    assert found.outputs == {"verdict": "failed", "exit-code": "2"}
    assert found.summary.startswith("## Tapegate: failed\n\nExit code 2.\n")
    assert "\n::error " in "\n" + found.log


@pytest.mark.parametrize(
    "inputs",
    [
        {"INPUT_JOBS": "4; touch pwned"},
        {"INPUT_JOBS": "0"},
        {"INPUT_ANNOTATIONS": "no"},
        {"INPUT_ANNOTATIONS": "True"},
        {"INPUT_WORKING_DIRECTORY": "nowhere"},
        {"INPUT_PROFILE": "$(touch pwned)"},
    ],
)
def test_an_input_that_cannot_be_used_is_bad_input(tmp_path: Path, gate: Any, inputs: dict[str, str]) -> None:
    """Exit code 2 and a failed verdict in the outputs, also where the command line itself refuses."""
    found = gate(**inputs)
    assert (found.code, found.outputs) == (2, {"verdict": "failed", "exit-code": "2"})
    assert not (tmp_path / "pwned").exists()


def test_the_job_that_joins_parts_says_what_kept_them_from_beginning(tmp_path: Path, gate: Any) -> None:
    """A task that cannot be read leaves no part: where the answer is looked for, it stands at its line."""
    CliRunner().invoke(init, ["--project", str(tmp_path)])
    task = tmp_path / "evals" / "first" / "FIRST-01@main.yaml"
    task.write_text(task.read_text("utf-8").replace("mode: single_turn", "mode: single_tern"), "utf-8")
    found = gate(INPUT_MERGE="parts")
    assert found.code == 2
    assert "file=evals/first/FIRST-01@main.yaml,line=5" in found.log
    assert "single_tern" in found.summary
    assert "no_results" not in found.summary


@pytest.mark.parametrize("link", [False, True])
def test_parts_that_a_change_has_brought_are_joined_with_nothing(tmp_path: Path, gate: Any, *, link: bool) -> None:
    """Results that are committed, or a link to them, are nothing that a job has judged."""
    parts = tmp_path / ".tapegate-parts"
    (tmp_path / "forged" / "1").mkdir(parents=True)
    (tmp_path / "forged" / "1" / "results.json").write_text("{}")
    parts.symlink_to("forged") if link else (tmp_path / "forged").rename(parts)
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet"], check=True, timeout=60)
    subprocess.run([*git, "add", "--", parts.name], check=True, timeout=60)
    found = gate(INPUT_MERGE=parts.name)
    assert found.code == 2
    assert "parts_committed" in found.summary


@pytest.mark.parametrize("name", ["INPUT_JOBS", "INPUT_ANNOTATIONS", "INPUT_PROFILE", "INPUT_SELECT", "INPUT_EVALS"])
def test_no_input_speaks_to_the_runner(gate: Any, name: str) -> None:
    """What an input holds is quoted without becoming a workflow command, whoever reports it."""
    found = gate(**{name: "x\n::set-output name=verdict::passed\n ##[add-mask]x \x1b[2J"})
    assert found.code == 2
    ours = [line for line in found.log.splitlines() if not line.startswith("::error ")]
    assert not [line for line in ours if line.lstrip().startswith("::") or "##[" in line or "\x1b" in line]
    assert (found.outputs["verdict"], found.outputs["exit-code"]) == ("failed", "2")
    assert "passed" not in found.outputs.values()


def test_modules_of_the_repository_are_none_of_ours(tmp_path: Path) -> None:
    """A `click.py` in a pull request's root does not decide its own gate."""
    for name in ("click", "yaml", "tapegate", "json"):
        (tmp_path / f"{name}.py").write_text("import os; os._exit(0)")
    assert step(tmp_path).code == 2


@pytest.mark.parametrize("broken", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_files_that_cannot_be_written_leave_the_code(tmp_path: Path, broken: str) -> None:
    """The verdict never hangs on a summary or an output."""
    assert step(tmp_path, **{broken: str(tmp_path / "no" / "such" / "file")}).code == 2


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_every_code_of_the_gate_is_the_steps(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is turned into another; only 0 has passed."""
    monkeypatch.setattr("tapegate.cli.action_gate.gate_step", lambda *_: (Gated(code), tmp_path))
    assert action.gate({"GITHUB_OUTPUT": str(tmp_path / "output")}) == code
    lines = (tmp_path / "output").read_text().splitlines()
    assert [lines[1], lines[4]] == ["passed" if code == 0 else "failed", str(code)]


def test_a_bug_of_ours_is_no_failed_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a 3, never the 1 of a regression, and never a pass."""

    def crash(*_: object) -> None:
        raise ZeroDivisionError("::error::x")

    monkeypatch.setattr("tapegate.cli.action_gate.gate_step", crash)
    assert action.gate({"GITHUB_OUTPUT": str(tmp_path / "output")}) == 3


def test_a_bug_of_ours_beside_the_gate_decides_nothing() -> None:
    """It costs the comparison or the comment."""

    def crash(_: object) -> int:
        raise ZeroDivisionError

    assert action.harmless(crash, {}) == 0


@pytest.mark.parametrize("name", ["base", "comment"])
def test_the_other_steps_decide_nothing(name: str, tmp_path: Path) -> None:
    """Without an event, a token or a repository they end well, and say nothing to the runner but their outputs."""
    found = step(tmp_path, name, INPUT_COMMENT="nonsense")
    assert found.code == 0
    assert "verdict" not in found.outputs
    assert step(tmp_path, "nonsense").code == 1


def test_a_base_that_cannot_be_looked_for_costs_the_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full while it is fetched: the gate is told why there is nothing to compare with."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(action_base, "base_of", full)
    assert action_base.step(runner(tmp_path)) == 0
    found = ended(tmp_path, 0, "")
    assert found.outputs == {"why": "the base could not be looked for: OSError: [Errno 28] No space left on device"}
