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


@pytest.fixture
def one(project: Any) -> Any:
    """The project with one task."""
    project.only("RET-03@A1")
    return project


ALONE = """\
import threading, time
from paperdesk.chat import ask

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
"""
"""Leaves a thread where it is imported, so that each trial imports it for itself and hears the gateway."""


def test_an_agent_gives_the_same_bytes_whatever_kind_of_subject_it_is(one: Any) -> None:
    """Over HTTP, as a program with the input as argument or on standard input, and as a callable.

    A callable in process, and at the gateway, where it is imported for each trial since a fork would be unsafe.
    """
    results = []
    (one.root / "src/alone.py").write_text(ALONE)
    http = (one.root / "evals/tapegate.yaml").read_text()
    for change in (
        lambda: None,
        one.as_command,
        lambda: one.as_command('"-"', '"{input}"'),
        lambda: one.in_process("paperdesk.chat:ask"),
        lambda: one.in_process("alone:ask"),
    ):
        (one.root / "evals/tapegate.yaml").write_text(http)
        change()
        done = one.tapegate("run", "RET-03@A1")
        assert done.code == 0, done.out + done.err
        results.append(one.results())
    assert set(results) == {results[0]}


PRINTS = "    return _print(lines, raw=options.lines)\n"


@pytest.mark.parametrize(
    ("prints", "code"),
    [("    _print(lines, raw=True)\n    return 3\n", "exited"), ("    list(lines)\n    return 0\n", "empty_output")],
)
def test_a_program_that_does_not_end_well_fails_its_task(prints: str, code: str, one: Any) -> None:
    """A whole answer under an exit status other than 0, and no answer under 0, are failures like any other."""
    one.as_command()
    one.replace("src/paperdesk/cli.py", PRINTS, prints)
    done = one.tapegate("run", "RET-03@A1", "--json")
    assert done.code == 1, done.out + done.err
    (task,) = json.loads(done.out)["tasks"]
    assert task["verdict"] == "fail"
    assert code in {finding["code"] for finding in task["findings"] if finding["severity"] == "fail"}


DROPPED = 24
"""PR_CAPBSET_DROP of linux/prctl.h; 1 and 2 are what lets root ignore the modes of files."""


def mortal() -> None:
    """Be bound by file modes after the next exec, as every user but root is."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(DROPPED, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities of Linux")
def test_replay_needs_no_right_to_write_recordings(one: Any, tmp_path: Path) -> None:
    """PRO-04: with cassettes and evals read-only, a run passes; recording says that it cannot write."""
    shut = [one.root / "cassettes", one.root / "evals"]
    places = [path for root in shut for path in (root, *root.rglob("*"))]
    before = {path: path.read_bytes() for path in places if path.is_file()}
    for path in reversed(places):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        codes = {
            words[0]: subprocess.run(
                [sys.executable, "-m", "tapegate", *words],
                cwd=one.root,
                env={**os.environ, "GITHUB_EVENT_NAME": ""},
                preexec_fn=mortal,
                capture_output=True,
                text=True,
                check=False,
            )
            for words in (
                ["run", "RET-03@A1", "--out", str(tmp_path / "out")],
                ["record", "RET-03@A1", "--all", "--trials", "1"],
            )
        }
    finally:
        for path in places:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert codes["run"].returncode == 0, codes["run"].stdout + codes["run"].stderr
    assert codes["record"].returncode == 3
    assert "write_failed" in codes["record"].stderr
    assert {path: path.read_bytes() for path in before} == before


def test_a_trial_that_came_to_no_trace_leaves_none(one: Any) -> None:
    """What an earlier run wrote of it is gone; what its subject wrote stands in the provenance."""
    assert one.tapegate("run", "RET-03@A1").code == 0
    traces = one.root / "out/traces/RET-03@A1"
    assert len(list(traces.iterdir())) == 2
    one.replace("src/paperdesk/__main__.py", "import sys\n", "raise SystemExit('no desk')\n")
    done = one.tapegate("run", "RET-03@A1", "--json")
    assert done.code == 3, done.out + done.err
    assert list(traces.iterdir()) == []
    (task,) = json.loads(done.out)["tasks"]
    assert {finding["code"] for finding in task["findings"]} == {"subject_not_started"}
    assert str(one.root) not in done.out
    logs = json.loads((one.root / "out/provenance.json").read_bytes())["logs"]
    assert set(logs) == {"RET-03@A1[1]", "RET-03@A1[2]"}
    assert "no desk" in logs["RET-03@A1[1]"]


@pytest.mark.parametrize("event", ["pull_request_review", "pull_request_review_comment", "issue_comment"])
def test_recording_is_refused_wherever_a_stranger_may_start_it(one: Any, event: str) -> None:
    """A review or a comment on a pull request is none of the maintainer's decisions."""
    done = one.tapegate("record", "--all", GITHUB_EVENT_NAME=event)
    assert (done.code, "nothing is recorded" in done.err) == (2, True)
