"""No check goes missing in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = """
import pytest

def test_in_the_test():
    pytest.skip({reason!r})

@pytest.mark.skip({reason!r})
def test_by_a_mark():
    raise AssertionError

@pytest.fixture
def late():
    pytest.skip({reason!r})

def test_in_a_fixture(late):
    raise AssertionError

@pytest.mark.xfail(strict=True)
def test_that_is_known_to_fail():
    raise AssertionError
"""
WHOLE_FILE = "import pytest\npytest.skip({reason!r}, allow_module_level=True)\n"


def run(root: Path, reason: str, ci: str, *words: str) -> tuple[int, str]:
    """Exit code and closing line of a session whose tests skip for `reason`."""
    folder = root / "tests"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_each.py").write_text(SKIPPING.format(reason=reason))
    (folder / "test_whole.py").write_text(WHOLE_FILE.format(reason=reason))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(folder)],
        cwd=root,
        env={**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "two workers"])
def test_an_unknown_skip_fails_in_ci(tmp_path: Path, words: tuple[str, ...]) -> None:
    """However it is skipped, and whoever ran it, the session is red."""
    code, last = run(tmp_path, "the moon is full", "true", *words)
    # One error while collecting ends a plain session before its tests, and workers at once.
    assert code != 0
    assert "error" in last


def test_each_skip_of_its_own_fails_in_ci(tmp_path: Path) -> None:
    """In a test, by a mark and in a fixture alike; what is expected to fail is no skip."""
    code, last = run(tmp_path, "the moon is full", "true", "--continue-on-collection-errors")
    assert code == 1
    assert last.startswith("1 failed, 1 xfailed, 3 errors in ")


@pytest.mark.parametrize(("reason", "ci"), [("no static C library here", "true"), ("the moon is full", "")])
def test_known_reasons_and_other_machines_may_skip(reason: str, ci: str, tmp_path: Path) -> None:
    """A reason on the list, and any on a developer's machine, stays a skip."""
    code, last = run(tmp_path, reason, ci)
    assert code == 0
    assert last.startswith("4 skipped, 1 xfailed in ")


def test_data_that_is_there_is_no_reason(tmp_path: Path) -> None:
    """Where ../shared lies beside the project, nothing may be skipped for want of it."""
    (tmp_path / "project").mkdir()
    (tmp_path / "shared").mkdir()
    assert run(tmp_path / "project", "no ../shared", "true")[0] != 0
    (tmp_path / "other" / "project").mkdir(parents=True)
    assert run(tmp_path / "other" / "project", "no ../shared", "true")[0] == 0
