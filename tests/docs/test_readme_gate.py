""".ci/readme_gate.py: what the README shows of the gate is what the gate printed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PRINTED = [
    "task   verdict",
    "RET-01   pass  read_paper",
    "RET-02   pass",
    "A1  Chat: RET-01 pass · RET-02 pass",
]


def script() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("readme_gate", ROOT / ".ci" / "readme_gate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


README_GATE = script()


def test_readme_shows_lines_of_the_gate():
    """The README's own block is found and holds lines, so that there is something to compare."""
    shown = README_GATE.block((ROOT / "README.md").read_text("utf-8"))
    assert len([line for line in shown if line != README_GATE.CUT]) >= 8


def test_readme_without_a_block_shows_nothing():
    """A README that lost the block, or the sentence before it, gives no lines: main() refuses it."""
    assert README_GATE.block("# Tapegate\n\n```text\ntask\n```\n") == []
    assert README_GATE.block(f"{README_GATE.BEFORE}\n\nnothing\n") == []


@pytest.mark.parametrize(
    ("shown", "wrong"),
    [
        pytest.param(["task  verdict", "…", "RET-02  pass"], None, id="lines left out"),
        pytest.param(["RET-01 pass read_paper", "A1  Chat: RET-01 pass · …"], None, id="the beginning of a line"),
        pytest.param(["RET-01  pass  search_local"], "RET-01 pass search_local", id="another line"),
        pytest.param(["RET-02  pass", "RET-01  pass  read_paper"], "RET-01 pass read_paper", id="another order"),
        pytest.param(["RET-01  pass"], "RET-01 pass", id="a part of a line"),
        pytest.param(["A1  Chat: RET-02 …"], "A1 Chat: RET-02 …", id="another beginning"),
        pytest.param(["RET-02 pass", "RET-02 pass"], "RET-02 pass", id="a line twice"),
    ],
)
def test_first_wrong_line(shown: list[str], wrong: str | None):
    """Lines may be left out and cut short where the README says so, and else stand as they were printed."""
    assert README_GATE.first_wrong(shown, PRINTED) == wrong
