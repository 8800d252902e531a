"""The command line: how it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def test_a_reader_that_goes_away_is_no_passed_gate() -> None:
    """`tapegate … | head` ends without a traceback, and never with 0."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "tapegate", "schema", "task"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize(
    "line",
    [
        ["##[error]x\n::error::y"],
        ["run", "--jobs=##[error]x\n::error::y"],
        ["run", "--project=##[error]x\n::error::y"],
        ["run", "##[error]x\n::error::y\x1b[2J"],
    ],
)
def test_words_of_a_command_line_are_quoted_inert(line: list[str]) -> None:
    """What is refused is shown without being a command to the runner that reads the log."""
    done = subprocess.run([sys.executable, "-m", "tapegate", *line], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert not [row for row in said.splitlines() if row.lstrip().startswith("::") or "##[" in row or "\x1b" in row]
