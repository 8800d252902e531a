"""The action's gate step: its inputs as words, its ends as exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from tapegate.cli import action
from tapegate.cli.action import words
from tapegate.cli.run import run

OUT = Path("/tmp/report")


def parsed(monkeypatch: pytest.MonkeyPatch, **inputs: str) -> dict[str, object]:
    """What the command line makes of the inputs."""
    heard: dict[str, object] = {}
    monkeypatch.setattr(run, "callback", lambda **given: heard.update(given))
    done = CliRunner().invoke(run, words(inputs, OUT)[1:])
    assert done.exit_code == 0, done.output
    return heard


def test_inputs_that_are_not_set_have_the_actions_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty input is one that is not set: that is how a runner passes it."""
    plain = parsed(monkeypatch)
    assert plain == parsed(monkeypatch, **{f"INPUT_{name}": "" for name in ("PROFILE", "SELECT", "EVALS", "JOBS")})
    assert plain["profile"] == "pr"
    assert plain["evals"] == Path("evals")
    assert plain["select"] == ()
    assert plain["annotations"] is True
    assert plain["github"] is True


def test_every_input_reaches_its_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that a workflow says is passed over."""
    (tmp_path / "agent").mkdir()
    found = parsed(
        monkeypatch,
        GITHUB_WORKSPACE=str(tmp_path),
        INPUT_WORKING_DIRECTORY="agent",
        INPUT_PROFILE="nightly",
        INPUT_SELECT=" RET-01\n\tA1  evals/x.yaml\n",
        INPUT_EVALS="checks",
        INPUT_JOBS="3",
        INPUT_ANNOTATIONS="false",
    )
    assert found["project"] == tmp_path / "agent"
    assert found["out"] == OUT
    assert found["profile"] == "nightly"
    assert found["select"] == ("RET-01", "A1", "evals/x.yaml")
    assert found["evals"] == Path("checks")
    assert found["jobs"] == 3
    assert found["annotations"] is False


@pytest.mark.parametrize(
    "select",
    [
        "--profile=dev",
        "-h",
        "--",
        "-",
        "--help --project=/",
        "$(touch pwned)",
        "`touch pwned`",
        ";touch pwned",
        "&& touch pwned | x > y",
        "'\"\\",
        "${{ github.token }}",
        "a\n::set-env name=X::1\r\n##[error]x",
        "*",
        "~",
        "\u202eevil\u2028x",
    ],
)
def test_a_selection_stays_a_selection(select: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, shell syntax and line breaks in it are names of tasks, as they stand."""
    found = parsed(monkeypatch, INPUT_SELECT=select)
    assert found["select"] == tuple(select.split())
    assert found["profile"] == "pr"


@pytest.mark.parametrize("value", ["--help", "-h", "--", "$(x)", "a b", "=", "a\nb"])
def test_an_option_keeps_a_value_that_looks_like_an_option(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile and the folder are what the input says."""
    found = parsed(monkeypatch, INPUT_PROFILE=value, INPUT_EVALS=value)
    assert found["profile"] == value
    assert found["evals"] == Path(value)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the step ended."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def step(root: Path, **inputs: str) -> Ended:
    """Run the gate step as action.yml does, in a workspace with a project that has no evals."""
    temporary = root / "temp"
    temporary.mkdir(exist_ok=True)
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONUTF8": "1",
        "GITHUB_WORKSPACE": str(root),
        "GITHUB_OUTPUT": str(root / "output"),
        "GITHUB_STEP_SUMMARY": str(root / "summary"),
        "RUNNER_TEMP": str(temporary),
        **inputs,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tapegate.cli.action"],
        cwd=root,
        env=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    lines = (root / "output").read_text("utf-8").splitlines() if (root / "output").exists() else []
    outputs = {lines[at].split("<<")[0]: lines[at + 1] for at in range(0, len(lines), 3)}
    summary = (root / "summary").read_text("utf-8") if (root / "summary").exists() else ""
    return Ended(done.returncode, done.stdout, outputs, summary)


def test_a_project_without_evals_ends_with_its_own_code(tmp_path: Path) -> None:
    """The step exits as the gate does; outputs, annotation and summary say it too."""
    ended = step(tmp_path)
    assert ended.code == 2
    assert ended.outputs == {"verdict": "failed", "exit-code": "2"}
    assert ended.summary.startswith("## Tapegate: failed\n\nExit code 2.\n")
    assert "\n::error " in "\n" + ended.log


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
def test_an_input_that_cannot_be_used_is_bad_input(tmp_path: Path, inputs: dict[str, str]) -> None:
    """Exit code 2 and a failed verdict in the outputs, also where the command line itself refuses."""
    ended = step(tmp_path, **inputs)
    assert ended.code == 2
    assert ended.outputs == {"verdict": "failed", "exit-code": "2"}
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("name", ["INPUT_JOBS", "INPUT_ANNOTATIONS", "INPUT_PROFILE", "INPUT_SELECT", "INPUT_EVALS"])
def test_no_input_speaks_to_the_runner(tmp_path: Path, name: str) -> None:
    """What an input holds is quoted without becoming a workflow command, whoever reports it."""
    ended = step(tmp_path, **{name: "x\n::set-output name=verdict::passed\n ##[add-mask]x \x1b[2J"})
    assert ended.code == 2
    ours = [line for line in ended.log.splitlines() if not line.startswith("::error ")]
    assert not [line for line in ours if line.lstrip().startswith("::") or "##[" in line or "\x1b" in line]
    assert ended.outputs == {"verdict": "failed", "exit-code": "2"}


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

    def gate() -> None:
        sys.exit(code)

    monkeypatch.setattr(action.command_line, "main", gate)
    for name, value in {"GITHUB_OUTPUT": str(tmp_path / "output"), "RUNNER_TEMP": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["action"])
    with pytest.raises(SystemExit) as end:
        action.main()
    assert end.value.code == code
    lines = (tmp_path / "output").read_text().splitlines()
    assert [lines[1], lines[4]] == ["passed" if code == 0 else "failed", str(code)]


def test_two_gates_of_a_job_leave_two_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second does not write over the first, whose artifact may still be uploaded."""
    seen: list[str] = []
    monkeypatch.setattr(action.command_line, "main", lambda: sys.exit(seen.append(sys.argv[4])))
    monkeypatch.setattr(sys, "argv", ["action"])
    for _ in range(2):
        action._run({"RUNNER_TEMP": str(tmp_path)})
    first, second = (Path(word.removeprefix("--out=")) for word in seen)
    assert first != second
    assert first.parent == second.parent == tmp_path
