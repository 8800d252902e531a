"""Installs Tapegate for the action: an environment of its own, from hash-locked packages.

Runs under the runner's Python before anything is installed, so it needs the standard library only. Tapegate itself is
not built: the environment reads it from the action's own checkout, which the workflow pinned.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path

OLDEST = (3, 11)
ACTION = Path(__file__).resolve().parents[3]
"""The action's checkout."""
LOCK = ACTION / "requirements" / "runtime.txt"

BAD_INPUT, NOT_JUDGED = 2, 3
"""As `tapegate.errors` has them, which cannot be imported yet."""


class NotInstalled(Exception):
    """Why there is no environment, said to the author of the workflow."""

    def __init__(self, message: str, code: int = NOT_JUDGED) -> None:
        self.code = code
        super().__init__(message)


def main() -> int:
    """Make the environment and tell later steps where its Python is; else say why not, in one annotation."""
    try:
        python = install(os.environ)
        output(os.environ, "python", str(python))
    except NotInstalled as error:
        message, code = str(error), error.code
    except OSError as error:
        message, code = f"Tapegate could not be installed: {error}", NOT_JUDGED
    else:
        return 0
    print(f"::error title=Tapegate::{_data(message)}")
    output(os.environ, "exit-code", str(code))
    return code


def install(environ: Mapping[str, str]) -> Path:
    """The Python of the environment, with Tapegate and what `INPUT_INSTALL` installs. Raises NotInstalled."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        raise NotInstalled(
            f"Tapegate needs Python {'.'.join(map(str, OLDEST))} or newer, and {sys.executable!r} is {found}. "
            "Add actions/setup-python before this step, or set the input `python`.",
            BAD_INPUT,
        )
    home = _home(environ)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    made = home / "made"
    if not made.exists():
        _make(home, python)
        made.touch()
    _see(python)
    if command := environ.get("INPUT_INSTALL", "").strip():
        _bring(command, environ, home, scripts)
    return python


def output(environ: Mapping[str, str], name: str, value: str) -> None:
    """Set an output of this step. The delimiter is random, so that no value can end itself early."""
    if path := environ.get("GITHUB_OUTPUT"):
        delimiter = f"tapegate-{secrets.token_hex(16)}"
        with Path(path).open("a", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _home(environ: Mapping[str, str]) -> Path:
    """Where the environment stands: in the runner's temporary folder, where the next gate of a job finds it made."""
    temporary = environ.get("RUNNER_TEMP")
    if not temporary:
        return Path(tempfile.mkdtemp(prefix="tapegate-"))
    made_of = b"\0".join((LOCK.read_bytes(), sys.executable.encode(), sys.version.encode()))
    return Path(temporary) / f"tapegate-{hashlib.sha256(made_of).hexdigest()[:16]}"


def _make(home: Path, python: Path) -> None:
    try:
        venv.create(home, clear=True, with_pip=True, symlinks=os.name != "nt")
    except subprocess.CalledProcessError as error:
        raise NotInstalled(
            f"{sys.executable!r} could not make a virtual environment: {error}. On Debian and Ubuntu it needs the "
            "package python3-venv; actions/setup-python before this step works everywhere."
        ) from error
    # The lock names every package there is to install: nothing is left for a resolver to find.
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if subprocess.call([*pip, "--require-hashes", "-r", str(LOCK)]) != 0:  # noqa: S603
        raise NotInstalled("pip could not install Tapegate's locked dependencies; its message stands above.")


def _see(python: Path) -> None:
    """Let the environment import Tapegate from the checkout of this step's action."""
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.check_output(ask, text=True).strip()  # noqa: S603
    (Path(site) / "tapegate-action.pth").write_text(f"{ACTION / 'src'}\n", encoding="utf-8")


def _bring(command: str, environ: Mapping[str, str], home: Path, scripts: Path) -> None:
    """Run the input `install`. The workflow's author wrote it as a command: the one input that is meant for a shell."""
    made = {**environ, "PATH": f"{scripts}{os.pathsep}{environ.get('PATH', os.defpath)}", "VIRTUAL_ENV": str(home)}
    folder = environ.get("INPUT_WORKING_DIRECTORY") or "."
    # As the runner itself runs `shell: bash`.
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    code = subprocess.call(shell, env=made, cwd=folder)  # noqa: S603
    if code != 0:
        raise NotInstalled(f"the command of the input `install` ended with {code}; its message stands above.")


def _data(text: str) -> str:
    """`text` as the runner reads it in a command; see `annotations` for the colons."""
    return text.replace("::", ": :").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    sys.exit(main())
