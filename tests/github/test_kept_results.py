"""The results that main's own run of a commit has kept."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import said

from tapegate.cli.fetching import Fetching, fetch
from tapegate.errors import BadInput, GitHubError, UsageError
from tapegate.github.client import Client
from tapegate.github.kept_results import kept_results
from tapegate.model.run import Run
from tapegate.report.results import Results

BASE = "c" * 40
NAME = "tapegate-report"
Connect = Callable[..., Client]


def kept(run: Run, commit: str | None = BASE, **more: bytes) -> bytes:
    """What a run uploads."""
    into = io.BytesIO()
    files = {"results.json": Results.of(run).to_bytes(), "traces/RET-01@A1/trial-1.jsonl": b"{}\n"}
    if commit is not None:
        files["provenance.json"] = json.dumps({"code_version": commit}).encode()
    with zipfile.ZipFile(into, "w") as made:
        for name, raw in {**files, **more}.items():
            made.writestr(name, raw)
    return into.getvalue()


def test_the_newest_run_that_kept_results_is_taken(
    server: GitHubServer, connect: Connect, passed: Run, failed: Run, tmp_path: Path
) -> None:
    """Whether its gate passed or not; with all that lies beside them."""
    for number in range(130):
        server.run(BASE, workflow=f"other-{number}.yml")
    server.artifact(server.run(BASE), kept(passed))
    server.artifact(server.run(BASE, conclusion="failure"), kept(failed))
    server.run(BASE)
    for run in server.repository.runs.values():
        if run.workflow != "gate.yml":
            run.event = "issues"
    client = connect(actions="read")
    assert kept_results(client, BASE, NAME, tmp_path / "to")
    assert (tmp_path / "to" / "results.json").read_bytes() == Results.of(failed).to_bytes()
    assert (tmp_path / "to" / "traces" / "RET-01@A1" / "trial-1.jsonl").read_bytes() == b"{}\n"


@pytest.mark.parametrize(
    "changes",
    [
        {"head_sha": "d" * 40},
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"head_repository": "mallory/library"},
        {"head_repository": None},
    ],
)
def test_runs_of_others_do_not_count(
    changes: dict[str, Any], server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path
) -> None:
    """Another commit's, a pull request's, a fork's: whatever they kept under that name."""
    run = server.run(BASE)
    server.artifact(run, kept(passed))
    for name, value in changes.items():
        setattr(run, name, value)
    assert not kept_results(connect(actions="read"), BASE, NAME, tmp_path / "to")


def test_an_artifact_of_another_name_or_past_its_time_is_none(
    server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path
) -> None:
    """The next older run may still have one."""
    server.artifact(server.run(BASE), kept(passed))
    server.artifact(server.run(BASE), kept(passed), name="tapegate-report-nightly")
    server.artifact(server.run(BASE), kept(passed), expired=True)
    assert kept_results(connect(actions="read"), BASE, NAME, tmp_path / "to")
    server.repository.artifacts = {number: one for number, one in server.repository.artifacts.items() if one.expired}
    assert not kept_results(connect(), BASE, NAME, tmp_path / "none")


@pytest.mark.parametrize(
    ("artifact", "code"),
    [
        (lambda run: kept(run, "e" * 40), "other_commit"),
        (lambda run: kept(run, f"{BASE}+dirty"), "other_commit"),
        (lambda run: kept(run, None), "other_commit"),
        (lambda run: kept(replace(run, partial=True)), "partial"),
        (lambda run: kept(run, **{"../x": b""}), "bad_artifact"),
        (lambda run: kept(run, **{"results.json": b"{}"}), "bad_results"),
        (lambda run: b"<html>", "bad_artifact"),
    ],
)
def test_what_must_not_be_compared_with_is_refused(
    artifact: Any, code: str, server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path
) -> None:
    """With the reason, and nothing is written."""
    server.artifact(server.run(BASE), artifact(passed))
    with pytest.raises(BadInput) as error:
        kept_results(connect(actions="read"), BASE, NAME, tmp_path / "to")
    assert error.value.problems[0].code == code
    assert not (tmp_path / "to").exists()


@pytest.mark.parametrize("changes", [{"digest": "sha256:" + "0" * 64}, {"size": 10**12}])
def test_bytes_are_those_that_github_knows(
    changes: dict[str, Any], server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path
) -> None:
    """Of the digest that it tells, and no more than may be read."""
    server.artifact(server.run(BASE), kept(passed), **changes)
    with pytest.raises(BadInput):
        kept_results(connect(actions="read"), BASE, NAME, tmp_path / "to")


def test_an_older_github_tells_no_digest(server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path) -> None:
    """There the bytes are read all the same."""
    server.artifact(server.run(BASE), kept(passed)).digest = None
    assert kept_results(connect(actions="read"), BASE, NAME, tmp_path / "to")


def test_a_token_without_the_right_is_told_so(
    server: GitHubServer, connect: Connect, passed: Run, tmp_path: Path
) -> None:
    """The comparison is then unavailable, or made another way."""
    server.artifact(server.run(BASE), kept(passed))
    with pytest.raises(GitHubError) as error:
        kept_results(connect(contents="read"), BASE, NAME, tmp_path / "to")
    assert error.value.status == 403
    server.fault("GET", "/actions/runs", said(404, "Not Found"))
    with pytest.raises(GitHubError):
        kept_results(connect(), BASE, NAME, tmp_path / "to")


def test_the_command_fetches_them(
    server: GitHubServer, passed: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a folder that `tapegate diff` takes; or it says why it cannot."""
    server.token(actions="read")
    environ = {**server.environ, "GITHUB_TOKEN": "ghs_default"}
    with pytest.raises(GitHubError, match="no run of cccccccccccc has kept results"):
        fetch(Fetching(BASE, "evals", None, tmp_path / "to"), environ)
    server.artifact(server.run(BASE), kept(passed))
    assert fetch(Fetching(BASE, "evals", None, tmp_path / "to"), environ) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'to'}\n"
    for sha, out in (("main", tmp_path / "new"), (BASE, tmp_path / "to")):
        with pytest.raises(UsageError):
            fetch(Fetching(sha, "evals", None, out), environ)
