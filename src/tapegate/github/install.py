"""Installs Tapegate for the action: an environment of its own, from hash-locked packages.

Runs under the runner's Python before anything is installed, so it needs the standard library only. Tapegate itself is
not built: the environment reads it from the action's own checkout, which the workflow pinned.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

OLDEST = (3, 11)


def main() -> int:
    """Make the environment and tell later steps where its Python is; 2 with a clear message when that fails."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        return _fail(
            f"Tapegate needs Python {'.'.join(map(str, OLDEST))} or newer, and {sys.executable} is {found}. "
            "Add actions/setup-python before this step, or set the input `python`."
        )
    action = Path(os.environ["TAPEGATE_ACTION"])
    home = Path(tempfile.mkdtemp(prefix="tapegate-", dir=os.environ.get("RUNNER_TEMP")))
    venv.create(home, with_pip=True, symlinks=os.name != "nt")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    lock = action / "requirements" / "runtime.txt"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([*pip, "--require-hashes", "-r", str(lock)]) != 0:  # noqa: S603 - our own interpreter
        return _fail("pip could not install Tapegate's locked dependencies; its message stands above.")
    _see(python, action / "src")
    command = os.environ.get("INPUT_INSTALL", "").strip()
    if command:
        environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(home)}
        folder = os.environ.get("INPUT_WORKING_DIRECTORY") or "."
        # The workflow's author wrote this command as a command; it is the one input that is meant for a shell.
        if subprocess.call(["bash", "-euo", "pipefail", "-c", command], env=environment, cwd=folder) != 0:  # noqa: S603, S607
            return _fail("the command of the input `install` failed; its message stands above.")
    output("python", str(python))
    return 0


def output(name: str, value: str) -> None:
    """Set an output of this step. The delimiter is random, so that no value can end itself early."""
    path = os.environ.get("GITHUB_OUTPUT")
    if path:
        delimiter = f"tapegate-{secrets.token_hex(16)}"
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _see(python: Path, source: Path) -> None:
    """Let the environment import Tapegate from the action's checkout."""
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.check_output(ask, text=True).strip()  # noqa: S603 - our own interpreter
    (Path(site) / "tapegate-action.pth").write_text(f"{source.resolve()}\n", encoding="utf-8")


def _fail(message: str) -> int:
    print(f"::error title=Tapegate::{message}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
