"""`tapegate github …` as a step of a workflow runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from github_server import GitHubServer

from tapegate.github.marker import Marker
from tapegate.model.run import Run
from tapegate.report.results import Results

HEAD = "b" * 40


def step(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with these variables of a runner's and no others."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "TAPEGATE_"))}
    line = [sys.executable, "-P", "-m", "tapegate", "github", *words]
    return subprocess.run(line, env={**plain, **env}, capture_output=True, text=True, timeout=120, check=False)


def test_a_step_puts_the_comment(server: GitHubServer, tmp_path: Path, failed: Run) -> None:
    """From the words and the variables alone."""
    server.token(pull_requests="write")
    server.pull(7, HEAD)
    (tmp_path / "results.json").write_bytes(Results.of(failed).to_bytes())
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": HEAD}}}))
    environ = {**server.environ, "GITHUB_TOKEN": "ghs_default", "GITHUB_EVENT_NAME": "pull_request"}
    environ |= {"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_RUN_ID": "10"}
    # A proxy that is not there: nobody asks one for this machine.
    environ |= {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    done = step("comment", str(tmp_path), "--suite", "agents/evals", **environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("comment: created ")
    assert server.bodies[0].startswith(Marker("agents/evals", HEAD, 10).line())


@pytest.mark.parametrize(
    ("words", "event", "code", "expected"),
    [
        (["comment", "nowhere"], "push", 0, "comment: none"),
        (["comment", "nowhere", "--mode", "sometimes"], "push", 2, "'sometimes' is not one of"),
        (["baseline", "main", "--out", "x"], "push", 2, "no_commit"),
        (["refresh"], "pull_request", 2, "refresh_in_pr"),
    ],
)
def test_each_ends_with_its_own_code(words: list[str], event: str, code: int, expected: str) -> None:
    """0 where only a comment is lost, 2 for words that cannot be meant."""
    done = step(*words, GITHUB_EVENT_NAME=event, GITHUB_REPOSITORY="octo/library")
    assert done.returncode == code
    assert expected in done.stdout + done.stderr
