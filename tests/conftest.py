"""What tests of several rooms share: the project's own files, and copies of it to break."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings

from tapegate.cli.main import main

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
COPIED = ("evals", "cassettes", "src/paperdesk")
PYTHON_SUBJECT = """\
  paperdesk:
    kind: python
    entry: ENTRY
    arguments: {message: "{input}"}
    pythonpath: [src]
    stream: mixed
    env: {PAPERDESK_DB: "{db}", PAPERDESK_MODEL: scripted-librarian-2026-11-01, PAPERDESK_SEED: "{seed}"}

"""
COMMAND_SUBJECT = """\
  program:
    kind: command
    command: ["{python}", "-m", "paperdesk", "ask", "--lines", INPUT]
    stream: mixed
    env:
      PYTHONPATH: "{project}/src"
      PAPERDESK_DB: "{db}"
      PAPERDESK_MODEL: scripted-librarian-2026-11-01
      PAPERDESK_SEED: "{seed}"

"""
HTTP_SUBJECT = re.compile(r"^  paperdesk:\n    kind: http\n(?:    .*\n|\n)*", re.MULTILINE)

# No time decides a test: a loaded machine is no counterexample.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")

MAY_SKIP: dict[str, Callable[[], bool]] = {
    r"the standard|\.\./shared|the golden values": lambda: not SHARED.exists(),
    r"no node on this machine": lambda: shutil.which("node") is None,
    r"no C compiler on this machine": lambda: not any(map(shutil.which, ("cc", "gcc", "clang"))),
    r"no static C library": lambda: True,
    r"uvloop is not installed": lambda: sys.platform == "win32",
    r"peak memory is read from /proc": lambda: sys.platform != "linux",
    r"only root can stand in for sudo": lambda: os.geteuid() != 0,
    # Root's interpreter, or its checkout, may stand where nobody else may read.
    r"needs root, to become nobody|not readable by others|no namespace to nobody": lambda: True,
}
"""Reasons for which a test may be skipped in CI too, each with when that is true. Any other skip fails there: a check
that silently does not run is no check."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """See `meant`."""
    return meant((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """See `meant`."""
    return meant((yield))


Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def meant(report: Report) -> Report:
    """`report`, made a failure where it is a skip in CI for a reason that `MAY_SKIP` does not know."""
    if report.outcome == "skipped" and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(re.search(reason, why) and holds() for reason, holds in MAY_SKIP.items()):
            report.outcome = "failed"
            report.longrepr = f"{why}: in CI this must run, or its reason must stand in MAY_SKIP of tests/conftest.py"
    return report


def environment() -> dict[str, str]:
    """The variables that are no word to Tapegate, nor of a job that these tests run in."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "TAPEGATE_"))}


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
        """Run the command line here, in this process: to start a Python that imports it all costs as much as to ask
        an agent."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in set(os.environ) - set(environment()):
                patch.delenv(name)
            for name, value in {"NO_COLOR": "1", **env}.items():
                patch.setenv(name, value)
            patch.chdir(self.root)
            patch.setattr(sys, "argv", ["tapegate", *words])
            with pytest.raises(SystemExit) as ended:
                main()
        assert isinstance(ended.value.code, int)
        return Done(ended.value.code, *(stream.buffer.getvalue().decode() for stream in (out, err)))

    def process(self, *words: str, **env: str) -> Done:
        """Run the command line here, in a process of its own, whose Python hears what `env` tells it."""
        done = subprocess.run(  # noqa: PLW1510 - a code that is not 0 is what many tests look for
            [sys.executable, "-m", "tapegate", *words],
            cwd=self.root,
            env={**environment(), "NO_COLOR": "1", **env},
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

    def only(self, *keys: str) -> None:
        """Keep these tasks and their recordings alone, for a test that needs no others."""
        for kept in ("evals", "cassettes"):
            for path in list((self.root / kept).glob("*/*@*")):
                if path.name.removesuffix(".yaml") not in keys:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()

    def in_process(self, entry: str) -> None:
        """Make the shipped HTTP subject a Python callable."""
        path = self.root / "evals" / "tapegate.yaml"
        text, count = HTTP_SUBJECT.subn(lambda _: PYTHON_SUBJECT.replace("ENTRY", entry), path.read_text("utf-8"))
        assert count == 1
        path.write_text(text, "utf-8")

    def as_command(self, asked: str = '"--", "{input}"', stdin: str = "") -> None:
        """Make path A1 ask a program, which hears its input as the words `asked` or on standard input."""
        made = COMMAND_SUBJECT.replace("INPUT", asked)
        made = made.replace("    stream", f"    stdin: {stdin}\n    stream") if stdin else made
        path = self.root / "evals" / "tapegate.yaml"
        text = path.read_text("utf-8").replace("\nsubjects:\n", f"\nsubjects:\n{made}", 1)
        path.write_text(text.replace("    subject: paperdesk\n", "    subject: program\n", 1), "utf-8")

    def results(self) -> bytes:
        """The bytes of the last run's results."""
        return (self.root / "out" / "results.json").read_bytes()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh copy of the shipped evals, cassettes and Paperdesk."""
    return copied(tmp_path / "project")


@pytest.fixture(scope="session")
def copy_project() -> Callable[[Path], Project]:
    """Makes a copy of the shipped project at a place of the test's choosing."""
    return copied


def copied(to: Path) -> Project:
    """A copy of what a run of the shipped evals needs."""
    for part in COPIED:
        shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    return Project(to)
