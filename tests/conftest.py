"""What tests of several rooms share: the project's own files, and copies of it to break."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
COPIED = ("evals", "cassettes", "src/paperdesk")


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the shipped project, for one test to run and to break."""

    root: Path

    def tapegate(self, *words: str, **env: str) -> Done:
        """Run the command line here."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "TAPEGATE_"))}
        done = subprocess.run(  # noqa: PLW1510 - a code that is not 0 is what many tests look for
            [sys.executable, "-m", "tapegate", *words],
            cwd=self.root,
            env={**inherited, "NO_COLOR": "1", **env},
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace a piece of a file that stands there exactly once."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), "utf-8")

    def results(self) -> bytes:
        """The bytes of the last run's results."""
        return (self.root / "out" / "results.json").read_bytes()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh copy of the shipped evals, cassettes and Paperdesk."""
    return copied(tmp_path / "project")


@pytest.fixture
def copy_project() -> Callable[[Path], Project]:
    """Makes a copy of the shipped project at a place of the test's choosing."""
    return copied


def copied(to: Path) -> Project:
    """A copy of what a run of the shipped evals needs."""
    for part in COPIED:
        shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    return Project(to)
