"""The environment of the action."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tapegate.github import install
from tapegate.github.install import NotInstalled, main, output


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stands in for all programs; the list of what was called. There is no uv."""
    calls: list[list[str]] = []

    def call(argv: list[str], **_: Any) -> int:
        calls.append(argv)
        if "venv" in argv:
            (Path(argv[-1]) / "bin").mkdir(parents=True)
            (Path(argv[-1]) / "site").mkdir()
        return 0

    def ask(argv: list[str], **_: Any) -> str:
        return str(Path(argv[0]).parents[1] / "site") if "purelib" in argv[-1] else "(3, 11)"

    monkeypatch.setattr(install.subprocess, "call", call)
    monkeypatch.setattr(install.subprocess, "check_output", ask)
    monkeypatch.setattr(install.shutil, "which", lambda *_, **__: None)
    return calls


def runner(tmp_path: Path, **inputs: str) -> dict[str, str]:
    """The variables that a runner sets for the step."""
    return {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out"), **inputs}


LOCK = str(Path(__file__).parents[2] / "requirements" / "runtime.txt")


def test_locked_packages_alone_are_installed(made: list[list[str]], tmp_path: Path) -> None:
    """pip gets the lock, refuses what has no hash and looks for nothing that the lock does not name."""
    python = install.harness(runner(tmp_path))
    venv, pip = made
    assert venv[:4] == [sys.executable, "-I", "-m", "venv"]
    assert pip[:4] == [str(python), "-m", "pip", "install"]
    assert {"--require-hashes", "--no-deps"} <= set(pip)
    assert pip[-2:] == ["-r", LOCK]


@pytest.fixture
def uv(made: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """`made`, with a uv on the path."""
    monkeypatch.setattr(install.shutil, "which", lambda *_, **__: "/bin/uv")
    return made


def test_uv_installs_the_same_where_it_is_at_hand(uv: list[list[str]], tmp_path: Path) -> None:
    """Locked, hashed, and nothing resolved; from the action's own folder, so that no setting of a repository counts."""
    python = install.harness(runner(tmp_path))
    venv, packages = uv
    assert venv[:2] == ["/bin/uv", "venv"]
    assert packages[:3] == ["/bin/uv", "pip", "install"]
    assert {"--require-hashes", "--no-deps", str(python)} <= set(packages)
    assert packages[-2:] == ["-r", LOCK]


def test_pip_is_asked_where_uv_fails(
    uv: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An old uv, or one without a network of its own, costs time and no verdict."""
    whole = install.subprocess.call
    monkeypatch.setattr(install.subprocess, "call", lambda argv, **_: 2 if argv[0] == "/bin/uv" else whole(argv))
    install.harness(runner(tmp_path))
    assert [call[2:4] for call in uv] == [["-m", "venv"], ["pip", "install"]]
    assert "pip is asked" in capsys.readouterr().out


def test_the_environment_sees_the_actions_checkout(made: list[list[str]], tmp_path: Path) -> None:
    """Tapegate is read from where the action was checked out; nothing is built."""
    home = install.harness(runner(tmp_path)).parents[1]
    assert (home / "site" / "tapegate-action.pth").read_text() == f"{Path(__file__).parents[2] / 'src'}\n"


def test_what_the_agent_needs_is_installed_apart(made: list[list[str]], tmp_path: Path) -> None:
    """In an environment of its own, by the Python that the workflow names; where nothing is installed there is none."""
    python = install.harness(runner(tmp_path))
    agent = install.agent(runner(tmp_path, INPUT_INSTALL="pip install agent", INPUT_PYTHON="python3.12"))
    assert agent is not None
    assert agent.parents[1] != python.parents[1]
    assert ["python3.12", "-I", "-m", "venv"] in [call[:4] for call in made]
    assert install.agent(runner(tmp_path)) is None


def test_two_agents_of_a_job_have_environments_of_their_own(made: list[list[str]], tmp_path: Path) -> None:
    """Another command or another folder is another agent; the base of a comparison is one too."""
    one = install.agent(runner(tmp_path, INPUT_INSTALL="pip install agent"))
    other = install.agent(runner(tmp_path, INPUT_INSTALL="pip install other"))
    there = install.agent(runner(tmp_path, INPUT_INSTALL="pip install agent"), folder=str(tmp_path))
    assert len({one, other, there}) == 3


def test_a_second_gate_of_a_job_finds_the_environments_made(made: list[list[str]], tmp_path: Path) -> None:
    """Only the agent's own packages are asked for again."""
    inputs = runner(tmp_path, INPUT_INSTALL="pip install agent")
    first = install.harness(inputs), install.agent(inputs)
    made.clear()
    assert (install.harness(inputs), install.agent(inputs)) == first
    assert [call[0] for call in made] == ["bash"]


def test_a_folder_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    """It is named as the gate names it, before anything is made."""
    with pytest.raises(NotInstalled, match=r"^the input 'working-directory' is 'nope': no such folder$") as caught:
        install.agent(runner(tmp_path, INPUT_INSTALL="true", INPUT_WORKING_DIRECTORY="nope"))
    assert caught.value.code == 2
    assert list(tmp_path.iterdir()) == []


def test_the_install_command_cannot_tell_the_runner_anything(tmp_path: Path) -> None:
    """Neither variables nor a path for later steps, nor outputs, nor a token of the runner's reach it."""
    told = {name: str(tmp_path / "told") for name in sorted(install.TELLING)}
    inputs = runner(tmp_path, **told, ACTIONS_ID_TOKEN_REQUEST_TOKEN="x", ACTIONS_RUNTIME_TOKEN="x", MINE="kept")
    install._bring("env >seen", inputs, tmp_path, str(tmp_path))
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert "MINE" in seen
    assert not {name for name in seen if name in told or name.startswith("ACTIONS_")}


def test_an_environment_that_was_left_half_made_is_made_anew(
    made: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a whole environment counts as made."""
    whole = install.subprocess.call
    with monkeypatch.context() as patched:
        patched.setattr(install.subprocess, "call", lambda argv, **_: "pip" in argv or whole(argv))
        with pytest.raises(NotInstalled, match="locked dependencies"):
            install.harness(runner(tmp_path))
    made.clear()
    install.harness(runner(tmp_path))
    assert len(made) == 2


def test_without_a_runner_an_environment_is_made_elsewhere(made: list[list[str]]) -> None:
    """A missing `RUNNER_TEMP` costs nothing but the reuse."""
    first, second = install.harness({"PATH": ""}), install.harness({"PATH": ""})
    assert first != second


def test_nothing_that_the_install_command_prints_is_a_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It may run code of the pull request: the runner is told to obey nothing until a word that nobody can know."""
    for _ in range(2):
        install._bring("printf '::set-output name=verdict::passed'", runner(tmp_path), tmp_path, ".")
    with pytest.raises(NotInstalled):
        install._bring("exit 1", runner(tmp_path), tmp_path, ".")
    lines = capfd.readouterr().out.splitlines()
    stops, said, starts = lines[:3]
    token = stops.removeprefix("::stop-commands::")
    assert len(token) == 32
    assert (said, starts) == ("::set-output name=verdict::passed", f"::{token}::")
    assert len({line for line in lines if line.startswith("::stop-commands::")}) == 3


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("false; true", 1), ("false | cat", 1)])
def test_the_install_command_ends_at_its_first_failure(command: str, code: int, tmp_path: Path) -> None:
    """No failure of a part is passed over: the agent would be judged without what it needs."""
    with pytest.raises(NotInstalled, match=f"ended with {code};"):
        install._bring(command, runner(tmp_path), tmp_path, ".")


def test_the_install_command_meets_the_environment_in_the_working_directory(tmp_path: Path) -> None:
    """Its `python` and `pip` are the environment's, its folder is the project's."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "pip").write_text(f'#!/bin/sh\necho "$PWD $VIRTUAL_ENV $*" >{tmp_path}/said\n')
    (scripts / "pip").chmod(0o755)
    project = tmp_path / "a project"
    project.mkdir()
    install._bring("pip install -r x.txt", runner(tmp_path), tmp_path, str(project))
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
    assert said.endswith("is 3.10.13. Add actions/setup-python before this step.\n")
    assert "exit-code<<" in (tmp_path / "out").read_text()


@pytest.mark.parametrize("broken", ["venv", "pip"])
def test_what_could_not_be_installed_is_no_verdict(
    broken: str,
    made: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing was judged: exit code 3, never the 1 of a gate that failed, and no traceback."""
    whole = install.subprocess.call
    monkeypatch.setattr(install.subprocess, "call", lambda argv, **_: broken in argv or whole(argv))
    monkeypatch.setattr(install.os, "environ", runner(tmp_path))
    assert main() == 3
    said = capsys.readouterr().out
    assert said.startswith("::error title=Tapegate::")
    assert ("python3-venv" in said) == (broken == "venv")


def test_a_python_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    """The input `python` names a program that can be run."""
    with pytest.raises(NotInstalled, match="'python9' cannot be run") as caught:
        install.agent(runner(tmp_path, INPUT_INSTALL="true", INPUT_PYTHON="python9"))
    assert caught.value.code == 2


def test_a_message_stays_in_its_annotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a path or a program brings into a message starts no command of its own."""

    def refuse(_: Any) -> Path:
        raise NotInstalled("100%\r\n::error::x")

    monkeypatch.setattr(install, "harness", refuse)
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


def test_no_package_of_the_agents_runs_in_tapegates_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Real environments: Tapegate's imports it from this checkout, and a `sitecustomize` that the install command
    leaves in the agent's is not run in the process that holds the token."""
    # tests/action installs from the lock for real; only pip is left out here.
    real = install.subprocess.call
    monkeypatch.setattr(
        install.subprocess,
        "call",
        lambda argv, **words: (
            0 if "pip" in argv else real([*argv[:-1], "--without-pip", argv[-1]] if "venv" in argv else argv, **words)
        ),
    )
    monkeypatch.setattr(install.shutil, "which", lambda *_, **__: None)
    probe = "import os; print('seen', os.environ.get('INPUT_TOKEN'))"
    where = "import pathlib, sysconfig; print(pathlib.Path(sysconfig.get_path('purelib'), 'sitecustomize.py'))"
    command = f'echo "{probe}" >"$(python -c "{where}")" && python -c ""'
    monkeypatch.setattr(install.os, "environ", runner(tmp_path, INPUT_INSTALL=command))
    for words in ([], ["--agent"]):
        monkeypatch.setattr(install.sys, "argv", ["install.py", *words])
        assert main() == 0
    assert "seen None" in capfd.readouterr().out
    python = install.read_outputs((tmp_path / "out").read_text())["python"]
    ask = [python, "-P", "-c", "import sys, tapegate; print(tapegate.__file__); print(sys.prefix)"]
    done = subprocess.run(ask, env={"INPUT_TOKEN": "ghs_secret"}, capture_output=True, text=True, check=True)
    source, prefix = done.stdout.splitlines()
    assert Path(source) == Path(__file__).parents[2] / "src" / "tapegate" / "__init__.py"
    assert Path(prefix).is_relative_to(tmp_path)


def test_outputs_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    """Also those of several lines, and none."""
    for name, value in (("a", "x\ny"), ("b", ""), ("c", "z")):
        output({"GITHUB_OUTPUT": str(tmp_path / "out")}, name, value)
    assert install.read_outputs((tmp_path / "out").read_text()) == {"a": "x\ny", "b": "", "c": "z"}


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
