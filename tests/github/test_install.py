"""The environment of the action."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tapegate.github import install
from tapegate.github.install import NotInstalled, main, output


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stands in for `venv` and for programs; the list of all that was called."""
    calls: list[list[str]] = []

    def create(home: Path, **_: Any) -> None:
        calls.append(["venv"])
        (home / "bin").mkdir(parents=True)
        (home / "site").mkdir()

    def call(argv: list[str], **_: Any) -> int:
        calls.append(argv)
        return 0

    def ask(argv: list[str], **_: Any) -> str:
        return str(Path(argv[0]).parents[1] / "site")

    monkeypatch.setattr(install.venv, "create", create)
    monkeypatch.setattr(install.subprocess, "call", call)
    monkeypatch.setattr(install.subprocess, "check_output", ask)
    return calls


def runner(tmp_path: Path, **inputs: str) -> dict[str, str]:
    """The variables that a runner sets for the step."""
    return {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out"), **inputs}


def test_locked_packages_alone_are_installed(made: list[list[str]], tmp_path: Path) -> None:
    """pip gets the lock, refuses what has no hash and looks for nothing that the lock does not name."""
    python = install.install(runner(tmp_path))
    assert made[0] == ["venv"]
    (pip,) = made[1:]
    assert pip[:4] == [str(python), "-m", "pip", "install"]
    assert {"--require-hashes", "--no-deps"} <= set(pip)
    assert pip[-2:] == ["-r", str(Path(__file__).parents[2] / "requirements" / "runtime.txt")]


def test_the_environment_sees_the_actions_checkout(made: list[list[str]], tmp_path: Path) -> None:
    """Tapegate is read from where the action was checked out; nothing is built."""
    home = install.install(runner(tmp_path)).parents[1]
    assert (home / "site" / "tapegate-action.pth").read_text() == f"{Path(__file__).parents[2] / 'src'}\n"


def test_a_second_gate_of_a_job_finds_the_environment_made(made: list[list[str]], tmp_path: Path) -> None:
    """Only the agent's own packages are asked for again."""
    first = install.install(runner(tmp_path))
    made.clear()
    assert install.install(runner(tmp_path, INPUT_INSTALL="pip install agent")) == first
    assert [call[0] for call in made] == ["bash"]


def test_an_environment_that_was_left_half_made_is_made_anew(
    made: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a whole environment counts as made."""
    with monkeypatch.context() as patched:
        patched.setattr(install.subprocess, "call", lambda *_, **__: 1)
        with pytest.raises(NotInstalled, match="locked dependencies"):
            install.install(runner(tmp_path))
    monkeypatch.setattr(install.venv, "create", lambda *_, **__: made.append(["again"]))
    install.install(runner(tmp_path))
    assert ["again"] in made


def test_without_a_runner_an_environment_is_made_elsewhere(made: list[list[str]]) -> None:
    """A missing `RUNNER_TEMP` costs nothing but the reuse."""
    first, second = install.install({"PATH": ""}), install.install({"PATH": ""})
    assert first != second


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("false; true", 1), ("false | cat", 1)])
def test_the_install_command_ends_at_its_first_failure(command: str, code: int, tmp_path: Path) -> None:
    """No failure of a part is passed over: the agent would be judged without what it needs."""
    with pytest.raises(NotInstalled, match=f"ended with {code};"):
        install._bring(command, runner(tmp_path), tmp_path, tmp_path / "bin")


def test_the_install_command_meets_the_environment_in_the_working_directory(tmp_path: Path) -> None:
    """Its `python` and `pip` are the environment's, its folder is the project's."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "pip").write_text(f'#!/bin/sh\necho "$PWD $VIRTUAL_ENV $*" >{tmp_path}/said\n')
    (scripts / "pip").chmod(0o755)
    project = tmp_path / "a project"
    project.mkdir()
    inputs = runner(tmp_path, INPUT_WORKING_DIRECTORY=str(project))
    install._bring("pip install -r x.txt", inputs, tmp_path, scripts)
    assert (tmp_path / "said").read_text() == f"{project} {tmp_path} install -r x.txt\n"


def test_an_old_python_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input: exit code 2, said in an annotation and in the outputs."""
    monkeypatch.setattr(install.sys, "version_info", (3, 10, 13))
    monkeypatch.setattr(install.os, "environ", runner(tmp_path))
    assert main() == 2
    said = capsys.readouterr().out
    assert said.startswith("::error title=Tapegate::Tapegate needs Python 3.11 or newer, and ")
    assert said.endswith("is 3.10.13. Add actions/setup-python before this step, or set the input `python`.\n")
    assert "exit-code<<" in (tmp_path / "out").read_text()


@pytest.mark.parametrize("broken", ["create", "call"])
def test_what_could_not_be_installed_is_no_verdict(
    broken: str,
    made: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing was judged: exit code 3, never the 1 of a gate that failed, and no traceback."""

    def refuse(*_: Any, **__: Any) -> int:
        raise subprocess.CalledProcessError(1, "ensurepip")

    if broken == "create":
        monkeypatch.setattr(install.venv, "create", refuse)
    else:
        monkeypatch.setattr(install.subprocess, "call", lambda *_, **__: 1)
    monkeypatch.setattr(install.os, "environ", runner(tmp_path))
    assert main() == 3
    said = capsys.readouterr().out
    assert said.startswith("::error title=Tapegate::")
    assert ("python3-venv" in said) == (broken == "create")


def test_a_message_stays_in_its_annotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a path or a program brings into a message starts no command of its own."""

    def refuse(_: Any) -> Path:
        raise NotInstalled("100%\r\n::error::x")

    monkeypatch.setattr(install, "install", refuse)
    monkeypatch.setattr(install.os, "environ", runner(tmp_path))
    assert main() == 3
    assert capsys.readouterr().out == "::error title=Tapegate::100%25%0D%0A: :error: :x\n"


@pytest.mark.parametrize(
    "value",
    ["plain", "", "two\nlines", "x\ndigest=forged", "EOF\nverdict=passed", "ghadelimiter_x\nverdict<<y\npassed\ny"],
)
def test_no_value_ends_itself_and_starts_another_output(value: str, tmp_path: Path) -> None:
    """The delimiter is random: whatever a value holds, the file has one output, and the next is untouched."""
    environ = {"GITHUB_OUTPUT": str(tmp_path / "out")}
    output(environ, "report", value)
    output(environ, "verdict", "failed")
    assert read(tmp_path / "out") == {"report": value, "verdict": "failed"}


def test_delimiters_are_never_the_same(tmp_path: Path) -> None:
    """Nobody can learn one from an earlier step."""
    for _ in range(50):
        output({"GITHUB_OUTPUT": str(tmp_path / "out")}, "a", "b")
    heads = [line for line in (tmp_path / "out").read_text().splitlines() if line.startswith("a<<")]
    assert len(set(heads)) == len(heads) == 50


def test_where_there_is_no_runner_there_are_no_outputs(tmp_path: Path) -> None:
    """A run by hand writes none."""
    output({}, "a", "b")
    assert list(tmp_path.iterdir()) == []


def test_the_installer_runs_on_the_standard_library_alone(tmp_path: Path) -> None:
    """Nothing is installed when it starts, and it starts isolated: it neither imports Tapegate nor anything near it."""
    (tmp_path / "tempfile.py").write_text("raise SystemExit(9)")
    code = (
        f"import sys, runpy; sys.argv = [{install.__file__!r}]; module = runpy.run_path({install.__file__!r}); "
        "print(sorted(name for name in sys.modules if name.startswith('tapegate')), module['OLDEST'])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] (3, 11)\n"


def test_a_real_environment_runs_tapegate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment is made whose Python imports Tapegate from this checkout; only pip is left out here."""
    # tests/action installs from the lock for real.
    monkeypatch.setattr(install.subprocess, "call", lambda *_, **__: 0)
    real = install.venv.create
    monkeypatch.setattr(
        install, "venv", SimpleNamespace(create=lambda home, **words: real(home, **{**words, "with_pip": False}))
    )
    python = install.install(runner(tmp_path))
    ask = [str(python), "-c", "import sys, tapegate; print(tapegate.__file__); print(sys.prefix)"]
    where, prefix = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.splitlines()
    assert Path(where) == Path(__file__).parents[2] / "src" / "tapegate" / "__init__.py"
    assert Path(prefix).is_relative_to(tmp_path)


def read(path: Path) -> dict[str, str]:
    """The outputs in a file, read as a runner reads them: GitHub Docs, "Workflow commands", "Multiline strings"."""
    found: dict[str, str] = {}
    lines = iter(path.read_text("utf-8").split("\n"))
    for line in lines:
        if "<<" in line and ("=" not in line or line.index("<<") < line.index("=")):
            name, delimiter = line.split("<<", 1)
            value: list[str] = []
            for each in lines:
                if each == delimiter:
                    break
                value.append(each)
            found[name] = "\n".join(value)
        elif line:
            name, _, said = line.partition("=")
            found[name] = said
    return found
