"""Commands as a whole: how long one takes to start, and to read five thousand tasks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from measured import Measured, in_turns


def starting() -> list[Measured]:
    """`tapegate --version`, against an interpreter that does nothing."""

    def ours() -> object:
        return subprocess.run([sys.executable, "-m", "tapegate", "--version"], check=True, capture_output=True)

    def other() -> object:
        return subprocess.run([sys.executable, "-c", "pass"], check=True, capture_output=True)

    mine, theirs, ratio = in_turns(ours, other)
    return [Measured("tapegate --version", f"{mine * 1000:.0f} ms", f"bare Python {theirs * 1000:.0f} ms", ratio)]


TASK = """\
id: T-{number}
suite: bench
path_id: P1
mode: single_turn
input: What is known of gates?
expect:
  required_invariants: [no_hidden_tag_leak, no_private_path_leak]
  accepted_outcomes:
    - allowed_first_tools: [search_local, read_paper]
      required_slots: {{citations_local_min: 1}}
  forbidden_patterns: [<thinking>, <private>]
grading:
  deterministic_metrics: [tool_trace, citation_contract, output_hygiene]
"""
PROJECT = """\
version: 1
paths: {P1: {title: Main prompt, status: active, files: [agent.py], subject: desk}}
subjects: {desk: {kind: python, entry: "agent:answer", stream: text}}
"""
TASKS = 5_000


def linting() -> list[Measured]:
    """`tapegate lint` over many tasks, beside reading their YAML with the C loader and doing nothing with it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        suite = root / "evals" / "bench"
        suite.mkdir(parents=True)
        (root / "agent.py").touch()
        (root / "evals" / "tapegate.yaml").write_text(PROJECT)
        for number in range(TASKS):
            (suite / f"T-{number}@P1.yaml").write_text(TASK.format(number=number))
        words = [sys.executable, "-m", "tapegate", "lint", "--quiet", "-C", folder]

        def ours() -> object:
            return subprocess.run(words, check=True)

        def other() -> object:
            return [yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader) for path in suite.iterdir()]

        mine, theirs, ratio = in_turns(ours, other)
    return [Measured(f"lint {TASKS:,} tasks", f"{mine:.1f} s", f"CSafeLoader alone {theirs:.1f} s", ratio)]
