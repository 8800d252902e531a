"""Installs Tapegate for the action: an environment of its own, from hash-locked packages, and one for the agent.

Runs under the runner's Python before anything is installed, so it needs the standard library only. Tapegate itself is
not built: the environment reads it from the action's own checkout, which the workflow pinned. What the agent needs goes
into an environment of the agent's, so that neither changes a version of the other's.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

OLDEST = (3, 11)
ACTION = Path(__file__).resolve().parents[3]
"""The action's checkout."""
LOCK = ACTION / "requirements" / "runtime.txt"
TELLING = frozenset({"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"})
"""Files through which a step tells the runner, and so the steps after it."""

_PYTHON = "python.exe" if os.name == "nt" else "python"
_SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"

BAD_INPUT, NOT_JUDGED = 2, 3
"""As `tapegate.errors` has them, which cannot be imported yet."""


class NotInstalled(Exception):
    """Why there is no environment, said to the author of the workflow."""

    def __init__(self, message: str, code: int = NOT_JUDGED) -> None:
        self.code = code
        super().__init__(message)


def main() -> int:
    """Make an environment and tell later steps where its Python is; else say why not, in one annotation.

    Without a word it is Tapegate's own, with `--agent` the agent's; `--on-path` makes both and puts them on the path.
    """
    words = sys.argv[1:]
    try:
        if words == ["--agent"]:
            output(os.environ, "agent", str(agent(os.environ) or ""))
        else:
            python = harness(os.environ)
            output(os.environ, "python", str(python))
            if words == ["--on-path"]:
                _on_path(os.environ, python, agent(os.environ))
    except NotInstalled as error:
        message, code = str(error), error.code
    except OSError as error:
        message, code = f"Tapegate could not be installed: {error}", NOT_JUDGED
    else:
        return 0
    print(f"::error title=Tapegate::{_data(message)}")
    output(os.environ, "exit-code", str(code))
    return code


def output(environ: Mapping[str, str], name: str, value: str) -> None:
    """Set an output of this step. The delimiter is random, so that no value can end itself early."""
    if path := environ.get("GITHUB_OUTPUT"):
        delimiter = f"tapegate-{secrets.token_hex(16)}"
        with Path(path).open("a", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _on_path(environ: Mapping[str, str], python: Path, agent: Path | None) -> None:
    """Let later steps of the job say `tapegate`, and find what the agent's packages brought."""
    folder = python.parents[1] / "commands"
    folder.mkdir(exist_ok=True)
    if os.name == "nt":
        (folder / "tapegate.cmd").write_text(f'@"{python}" -P -m tapegate %*\r\n', encoding="utf-8")
    command = folder / "tapegate"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(str(python))} -P -m tapegate "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    folders = [str(agent.parent)] if agent is not None else []
    _append(environ, "GITHUB_PATH", [*folders, str(folder)])
    if agent is not None:
        _append(environ, "GITHUB_ENV", [f"TAPEGATE_AGENT_PYTHON={agent}"])


def _append(environ: Mapping[str, str], variable: str, lines: Sequence[str]) -> None:
    if path := environ.get(variable):
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write("".join(f"{line}\n" for line in lines))


def read_outputs(text: str) -> dict[str, str]:
    """What `output` wrote."""
    lines = iter(text.splitlines())
    found = {}
    for line in lines:
        name, _, delimiter = line.partition("<<")
        value = []
        for part in lines:
            if part == delimiter:
                break
            value.append(part)
        found[name] = "\n".join(value)
    return found


def harness(environ: Mapping[str, str]) -> Path:
    """The Python of Tapegate's environment, in the runner's temporary folder, where the next gate of a job finds it.

    Nothing of the agent's is in it: its Python is the one that holds tokens and keys. Raises NotInstalled.
    """
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        raise NotInstalled(
            f"Tapegate needs Python {'.'.join(map(str, OLDEST))} or newer, and {sys.executable!r} is {found}. "
            "Add actions/setup-python before this step.",
            BAD_INPUT,
        )
    home = _place(environ) / f"tapegate-{_hash(LOCK.read_bytes(), sys.executable, sys.version)}"
    python = _scripts(home) / _PYTHON
    made = home / "made"
    if not made.exists():
        shutil.rmtree(home, ignore_errors=True)
        if not _made_by_uv(environ, home, python):
            _made_by_pip(home, python)
        made.touch()
    # Tapegate itself is read from the checkout of this step's action.
    (Path(_asked(python, _SITE)) / "tapegate-action.pth").write_text(f"{ACTION / 'src'}\n", encoding="utf-8")
    return python


def agent(environ: Mapping[str, str], folder: str | None = None) -> Path | None:
    """The Python of the agent's environment, after `INPUT_INSTALL` in `folder`, else in the working directory.

    None where there is nothing to install. Raises NotInstalled.
    """
    command = environ.get("INPUT_INSTALL", "").strip()
    if not command:
        return None
    folder = folder or environ.get("INPUT_WORKING_DIRECTORY", "").strip() or "."
    if not os.path.isdir(folder):  # noqa: PTH112 - as it is written
        raise NotInstalled(f"the input 'working-directory' is {folder!r}: no such folder", BAD_INPUT)
    interpreter = environ.get("INPUT_PYTHON", "").strip() or sys.executable
    name = f"tapegate-agent-{_hash(command, interpreter, os.path.abspath(folder))}"  # noqa: PTH100 - a name
    home = _place(environ) / name
    if not (home / "made").exists():
        _environment(interpreter, home)
        (home / "made").touch()
    _bring(command, environ, home, folder)
    return _scripts(home) / _PYTHON


def _place(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("RUNNER_TEMP") or tempfile.mkdtemp(prefix="tapegate-"))


def _made_by_uv(environ: Mapping[str, str], home: Path, python: Path) -> bool:
    """Whether uv is at hand and did it, in a tenth of the time."""
    uv = shutil.which("uv", path=environ.get("PATH"))
    if uv is None:
        return False
    # In the action's own checkout: settings of the repository under test do not say where packages come from.
    made = subprocess.call([uv, "venv", "--quiet", "--python", sys.executable, str(home)], cwd=ACTION)  # noqa: S603
    words = ["pip", "install", "--quiet", "--python", str(python), "--no-deps", "--require-hashes", "-r", str(LOCK)]
    if made == 0 and subprocess.call([uv, *words], cwd=ACTION) == 0:  # noqa: S603
        return True
    print("uv could not install Tapegate's locked dependencies; pip is asked.")
    return False


def _made_by_pip(home: Path, python: Path) -> None:
    _environment(sys.executable, home)
    # The lock names every package there is to install: nothing is left for a resolver to find.
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if subprocess.call([*pip, "--require-hashes", "-r", str(LOCK)], cwd=ACTION) != 0:  # noqa: S603
        raise NotInstalled("pip could not install Tapegate's locked dependencies; its message stands above.")


def _environment(interpreter: str, home: Path) -> None:
    try:
        code = subprocess.call([interpreter, "-I", "-m", "venv", "--clear", str(home)])  # noqa: S603
    except OSError as error:
        raise NotInstalled(f"the Python {interpreter!r} cannot be run: {error}", BAD_INPUT) from error
    if code != 0:
        raise NotInstalled(
            f"{interpreter!r} could not make a virtual environment. On Debian and Ubuntu it needs the package "
            "python3-venv; actions/setup-python before this step works everywhere."
        )


def _bring(command: str, environ: Mapping[str, str], home: Path, folder: str) -> None:
    """Run the input `install`. The workflow's author wrote it as a command: the one input that is meant for a shell."""
    scripts = _scripts(home)
    kept = {name: value for name, value in environ.items() if not name.startswith("ACTIONS_") and name not in TELLING}
    made = {**kept, "PATH": f"{scripts}{os.pathsep}{environ.get('PATH', os.defpath)}", "VIRTUAL_ENV": str(home)}
    # As the runner itself runs `shell: bash`.
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    # What it installs may be the pull request's own package: the runner obeys nothing that it prints.
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        code = subprocess.call(shell, env=made, cwd=folder)  # noqa: S603
    finally:
        # A line of its own, also where the last one of the command's was not ended.
        print(f"\n::{token}::", flush=True)
    if code != 0:
        raise NotInstalled(f"the command of the input `install` ended with {code}; its message stands above.")


def _scripts(home: Path) -> Path:
    return home / ("Scripts" if os.name == "nt" else "bin")


def _asked(python: Path, program: str) -> str:
    return subprocess.check_output([str(python), "-I", "-c", program], text=True).strip()  # noqa: S603


def _hash(*parts: object) -> str:
    raw = b"\0".join(
        part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogateescape") for part in parts
    )
    return hashlib.sha256(raw).hexdigest()[:16]


def _data(text: str) -> str:
    """`text` as the runner reads it in a command; see `annotations` for the colons."""
    return text.replace("::", ": :").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    sys.exit(main())
