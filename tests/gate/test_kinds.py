"""One agent, asked in every way there is: the same recordings give the same bytes of results.json."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ALONE = """\
import threading, time
from paperdesk.chat import ask

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
"""
"""Leaves a thread where it is imported, so that each trial imports it for itself and hears the gateway."""


def test_an_agent_that_is_imported_for_each_trial_gives_the_same_bytes(project: Any) -> None:
    """A Python subject at the gateway, where a fork would be unsafe: as over HTTP, and as in process."""
    results = []
    (project.root / "src/alone.py").write_text(ALONE)
    for change in (
        lambda: None,
        lambda: project.in_process("paperdesk.chat:ask"),
        lambda: project.replace("evals/tapegate.yaml", "paperdesk.chat:ask", "alone:ask"),
    ):
        change()
        done = project.tapegate("run", "RET-04")
        assert done.code == 0, done.out + done.err
        results.append(project.results())
    assert results[0] == results[1] == results[2]


DROPPED = 24
"""PR_CAPBSET_DROP of linux/prctl.h; 1 and 2 are what lets root ignore the modes of files."""


def mortal() -> None:
    """Be bound by file modes after the next exec, as every user but root is."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(DROPPED, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities of Linux")
def test_replay_needs_no_right_to_write_recordings(project: Any, tmp_path: Path) -> None:
    """PRO-04: with cassettes and evals read-only, a run passes; recording says that it cannot write."""
    shut = [project.root / "cassettes", project.root / "evals"]
    places = [path for root in shut for path in (root, *root.rglob("*"))]
    before = {path: path.read_bytes() for path in places if path.is_file()}
    for path in reversed(places):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        codes = {
            words[0]: subprocess.run(
                [sys.executable, "-m", "tapegate", *words],
                cwd=project.root,
                env={**os.environ, "GITHUB_EVENT_NAME": ""},
                preexec_fn=mortal,
                capture_output=True,
                text=True,
                check=False,
            )
            for words in (
                ["run", "RET-03", "--out", str(tmp_path / "out")],
                ["record", "RET-03", "--all", "--trials", "1"],
            )
        }
    finally:
        for path in places:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert codes["run"].returncode == 0, codes["run"].stdout + codes["run"].stderr
    assert codes["record"].returncode == 3
    assert "write_failed" in codes["record"].stderr
    assert {path: path.read_bytes() for path in before} == before


def test_a_trial_that_came_to_no_trace_leaves_none(project: Any) -> None:
    """What an earlier run wrote of it is gone; what its subject wrote stands in the provenance."""
    assert project.tapegate("run", "RET-03").code == 0
    traces = project.root / "out/traces/RET-03@A1"
    assert len(list(traces.iterdir())) == 2
    project.replace("src/paperdesk/__main__.py", "import sys\n", "raise SystemExit('no desk')\n")
    done = project.tapegate("run", "RET-03", "--json")
    assert done.code == 3, done.out + done.err
    assert list(traces.iterdir()) == []
    (task,) = json.loads(done.out)["tasks"]
    assert {finding["code"] for finding in task["findings"]} == {"subject_not_started"}
    assert str(project.root) not in done.out
    logs = json.loads((project.root / "out/provenance.json").read_bytes())["logs"]
    assert set(logs) == {"RET-03@A1[1]", "RET-03@A1[2]"}
    assert "no desk" in logs["RET-03@A1[1]"]


@pytest.mark.parametrize("event", ["pull_request_review", "pull_request_review_comment", "issue_comment"])
def test_recording_is_refused_wherever_a_stranger_may_start_it(project: Any, event: str) -> None:
    """A review or a comment on a pull request is none of the maintainer's decisions."""
    done = project.tapegate("record", "--all", GITHUB_EVENT_NAME=event)
    assert (done.code, "nothing is recorded" in done.err) == (2, True)
