"""The refresh pull request: one branch, one pull request, and checks on it."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from github_server import GitHubServer
from github_server.server import NO_PULLS, said

from tapegate.cli.refreshing import Refreshing, refresh_recordings
from tapegate.compare.differential_ab import compare
from tapegate.compare.side import Side
from tapegate.errors import BadInput, GitHubError, Unavailable, UsageError
from tapegate.github.branch import TRAILER, Branch
from tapegate.github.client import Client
from tapegate.github.place import Place
from tapegate.load.profiles import profile_of
from tapegate.model.run import Run
from tapegate.report import diff_file
from tapegate.report.results import Results, digest

REFRESH = "tapegate/refresh"
RIGHTS = {"contents": "write", "pull_requests": "write", "actions": "write"}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "someone@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *words: str) -> str:
    """What git answers."""
    done = subprocess.run(["git", *words], cwd=folder, env=CLEAN, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass
class Weekly:
    """A checkout of main in a job of the weekly workflow, and the GitHub it is of."""

    server: GitHubServer
    folder: Path
    bare: Path
    capsys: pytest.CaptureFixture[str]

    def refresh(self, token: str = "ghs_default", **words: Any) -> str:
        """Run the command; returns what it printed."""
        given = Refreshing(self.folder, (), REFRESH, "main", "Refresh the recordings", None, None, "gate.yml", None)
        for name, value in words.items():
            object.__setattr__(given, name, value)
        environ = {**self.server.environ, "GITHUB_TOKEN": token, "GITHUB_EVENT_NAME": "schedule"}
        assert refresh_recordings(given, environ) == 0
        return self.capsys.readouterr().out

    def record(self, text: str, key: str = "RET-01@A1") -> None:
        """A recording is made anew."""
        place = self.folder / "cassettes" / "retrieval" / key / "trial-1.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def branch(self, name: str = REFRESH) -> str:
        """The commit that a branch is at on GitHub."""
        return git(self.bare, "rev-parse", f"refs/heads/{name}")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a recording in it, to copy."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "--quiet", "--initial-branch=main", "work")
    work = root / "work"
    (work / "cassettes" / "retrieval" / "RET-01@A1").mkdir(parents=True)
    (work / "cassettes" / "retrieval" / "RET-01@A1" / "trial-1.yaml").write_text("old\n")
    (work / "cassettes" / "retrieval" / "RET-01@A1" / "pins.json").write_text("{}\n")
    (work / "app.py").write_text("print()\n")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "first")
    git(root, "clone", "--quiet", "--bare", "work", "bare.git")
    git(root / "bare.git", "config", "http.receivepack", "true")
    return root


@pytest.fixture
def weekly(
    server: GitHubServer, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Weekly]:  # fmt: skip
    """A checkout as a weekly job has it: one commit deep, a recording changed, and an unrelated file too."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    bare = tmp_path / "root" / "octo" / "library.git"
    bare.parent.mkdir(parents=True)
    subprocess.run(["cp", "-R", str(repository / "bare.git"), str(bare)], check=True)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{bare}", "checkout")
    server.git_root = tmp_path / "root"
    server.token(**RIGHTS)
    made = Weekly(server, tmp_path / "checkout", bare, capsys)
    made.record("new\n")
    (made.folder / "app.py").write_text("print('changed by an install step')\n")
    yield made
    server.git_root = None


def test_it_is_opened_once_with_what_was_recorded(weekly: Weekly, server: GitHubServer) -> None:
    """One commit on main's, with the recordings and nothing else; the work tree stays as it is."""
    main = weekly.branch("main")
    weekly.record("more\n", "RET-02@A1")
    shown = weekly.refresh()
    (pull,) = server.repository.pulls.values()
    assert (pull.head_ref, pull.base_ref, pull.title) == (REFRESH, "main", "Refresh the recordings")
    assert pull.head_sha == weekly.branch()
    assert git(weekly.bare, "rev-parse", f"{REFRESH}^") == main
    assert git(weekly.bare, "diff", "--name-only", main, REFRESH).split() == [
        "cassettes/retrieval/RET-01@A1/trial-1.yaml",
        "cassettes/retrieval/RET-02@A1/trial-1.yaml",
    ]
    assert git(weekly.bare, "log", "-1", "--format=%B", REFRESH).splitlines() == ["Refresh the recordings", "", TRAILER]
    assert "2 files: 1 new, 1 changed" in (pull.body or "")
    assert "`cassettes/retrieval/RET-02@A1/trial-1.yaml`" in (pull.body or "")
    assert f"pull request #{pull.number} opened" in shown
    assert git(weekly.folder, "status", "--porcelain").split("\n") == [
        "M app.py",
        " M cassettes/retrieval/RET-01@A1/trial-1.yaml",
        "?? cassettes/retrieval/RET-02@A1/",
    ]


def test_the_same_again_changes_nothing(weekly: Weekly, server: GitHubServer) -> None:
    """No push, no new description, no second pull request, no second run of the checks."""
    weekly.refresh()
    tip, started = weekly.branch(), list(server.repository.started)
    assert "unchanged" in weekly.refresh()
    assert (weekly.branch(), server.repository.started) == (tip, started)
    assert server.asked("PATCH") == 0
    assert len(server.repository.pulls) == 1


def test_other_recordings_update_it(weekly: Weekly, server: GitHubServer) -> None:
    """The branch is made anew on main, its description with it; a title that somebody gave it stays."""
    weekly.refresh()
    (pull,) = server.repository.pulls.values()
    pull.title = "My words"
    weekly.record("newer\n", "RET-03@A1")
    assert "updated" in weekly.refresh()
    assert list(server.repository.pulls.values()) == [pull]
    assert pull.title == "My words"
    assert "RET-03@A1" in (pull.body or "")
    assert pull.head_sha == weekly.branch()
    assert git(weekly.bare, "rev-list", "--count", f"main..{REFRESH}") == "1"


def test_a_recording_that_is_gone_is_removed(weekly: Weekly, server: GitHubServer) -> None:
    """And what became as it was is nothing to refresh."""
    weekly.record("old\n")
    assert "nothing to refresh" in weekly.refresh()
    assert server.requests == []
    for path in (weekly.folder / "cassettes" / "retrieval" / "RET-01@A1").iterdir():
        path.unlink()
    weekly.refresh()
    assert "2 files: 2 removed" in (next(iter(server.repository.pulls.values())).body or "")


def test_a_link_among_recordings_is_not_pushed(weekly: Weekly) -> None:
    """Nobody records one, and whoever reads it elsewhere would be led away."""
    (weekly.folder / "cassettes" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match="no plain file"):
        weekly.refresh()
    assert "tapegate" not in git(weekly.bare, "branch", "--list")


def test_its_checks_are_dispatched_where_nothing_else_starts_them(weekly: Weekly, server: GitHubServer) -> None:
    """What a workflow's own token opens starts no run: the gate is dispatched on the branch."""
    shown = weekly.refresh()
    assert server.repository.started == [("gate.yml", "workflow_dispatch", REFRESH)]
    assert "gate.yml was dispatched" in shown


def test_an_apps_pull_request_starts_its_checks_itself(weekly: Weekly, server: GitHubServer) -> None:
    """Nothing is dispatched then."""
    server.token("ghs_app", login="tapegate[bot]", default=False, contents="write", pull_requests="write")
    assert "start by themselves" in weekly.refresh("ghs_app")
    assert server.repository.started == [("gate.yml", "pull_request", REFRESH)]
    weekly.record("again\n")
    weekly.refresh("ghs_app")
    assert server.repository.started == [("gate.yml", "pull_request", REFRESH)] * 2


@pytest.mark.parametrize(
    ("gate", "rights", "on", "expected"),
    [
        ("", RIGHTS, {"workflow_dispatch"}, "give an App's token, or name the gate's workflow"),
        ("gate.yml", {**RIGHTS, "actions": "read"}, {"workflow_dispatch"}, "actions: write"),
        ("gate.yml", RIGHTS, {"pull_request"}, "on: workflow_dispatch"),
        ("other.yml", RIGHTS, {"workflow_dispatch"}, "'other.yml' could not be dispatched"),
    ],
)
def test_a_pull_request_without_checks_says_so(
    gate: str, rights: dict[str, str], on: set[str], expected: str, weekly: Weekly, server: GitHubServer
) -> None:
    """It is there all the same; what to set is said."""
    server.token(**rights)
    server.repository.workflows = {"gate.yml": on}
    shown = weekly.refresh(gate=gate)
    assert "no check starts on it" in shown
    assert expected in shown
    assert len(server.repository.pulls) == 1


def test_where_actions_may_not_open_one_it_says_what_to_set(weekly: Weekly, server: GitHubServer) -> None:
    """The setting by its name, in the repository and the organisation; and the page that opens it by hand."""
    server.repository.may_create_pulls = False
    with pytest.raises(GitHubError) as error:
        weekly.refresh()
    problem = error.value.problems[0]
    assert problem.code == "pulls_forbidden"
    assert NO_PULLS in problem.message
    assert "Allow GitHub Actions to create and approve pull requests" in (problem.fix or "")
    assert f"{server.url}/octo/library/compare/main...tapegate/refresh?expand=1" in (problem.fix or "")
    assert weekly.branch()
    # With the setting, the next run opens it, although there is nothing left to push.
    server.repository.may_create_pulls = True
    assert "opened" in weekly.refresh()
    assert server.repository.started == [("gate.yml", "workflow_dispatch", REFRESH)]


@pytest.mark.parametrize(
    ("rights", "code", "fix"),
    [
        ({"pull_requests": "write"}, "push_forbidden", "contents: write"),
        ({"contents": "write"}, "pulls_forbidden", "pull-requests: write"),
    ],
)
def test_a_right_that_lacks_is_named(
    rights: dict[str, str], code: str, fix: str, weekly: Weekly, server: GitHubServer
) -> None:
    """Which one, for which step."""
    server.token(**rights)
    with pytest.raises(GitHubError) as error:
        weekly.refresh()
    assert error.value.problems[0].code == code
    assert fix in (error.value.problems[0].fix or "")


def test_a_refusal_of_another_kind_keeps_githubs_words(weekly: Weekly, server: GitHubServer) -> None:
    """A 422 names what it does not accept."""
    server.fault("POST", "/pulls", said(422, "Validation Failed: base is invalid"))
    with pytest.raises(GitHubError, match="base is invalid") as error:
        weekly.refresh()
    assert error.value.problems[0].code == "pulls_refused"


def test_one_that_another_run_opened_first_is_taken(weekly: Weekly, server: GitHubServer) -> None:
    """And one whose answer was lost: neither is opened twice."""
    server.fault("POST", "/pulls$", lambda: server.pull(99, "c" * 40, head_ref=REFRESH) and None)
    assert "#99 updated" in weekly.refresh()
    server.repository.pulls.clear()
    server.fault("GET", "/pulls$", 0.0, lambda: server.pull(98, "c" * 40, head_ref=REFRESH) and None)
    server.fault("POST", "/pulls$", said(502, ""))
    assert "#98 updated" in weekly.refresh()
    assert list(server.repository.pulls) == [98]


def test_somebody_elses_commits_are_not_lost(weekly: Weekly, server: GitHubServer, tmp_path: Path) -> None:
    """A branch that a person has worked on is left as it is."""
    weekly.refresh()
    git(tmp_path, "clone", "--quiet", "--branch", REFRESH, str(weekly.bare), "theirs")
    (tmp_path / "theirs" / "app.py").write_text("fixed\n")
    git(tmp_path / "theirs", "commit", "--quiet", "--all", "--message", "mine")
    git(tmp_path / "theirs", "push", "--quiet", "origin", REFRESH)
    theirs = weekly.branch()
    weekly.record("newer\n")
    with pytest.raises(GitHubError) as error:
        weekly.refresh()
    assert error.value.problems[0].code == "branch_taken"
    assert weekly.branch() == theirs


def test_a_branch_that_moved_meanwhile_is_not_overwritten(weekly: Weekly) -> None:
    """What was there when it was looked at is what may be replaced."""
    weekly.refresh()
    branch = Branch(weekly.folder, REFRESH, str(weekly.bare))
    weekly.record("newer\n")
    change = branch.change(["cassettes"], "Refresh")
    assert change is not None
    for tip in ("", "1" * 40):
        with pytest.raises(GitHubError) as error:
            branch.push(change.sha, tip)
        assert error.value.problems[0].code == "branch_moved"
    branch.push(change.sha, branch.tip())
    assert branch.tip() == change.sha == weekly.branch()


def test_a_checkout_with_a_token_of_its_own_does_not_get_in_the_way(weekly: Weekly, server: GitHubServer) -> None:
    """actions/checkout may have left a header: two of them are refused by GitHub."""
    header = base64.b64encode(b"x-access-token:ghs_expired").decode()
    git(weekly.folder, "config", f"http.{server.url}/.extraheader", f"AUTHORIZATION: basic {header}")
    assert "opened" in weekly.refresh()


def test_the_token_stands_in_no_command_line_and_no_message(
    weekly: Weekly, server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither as it is nor encoded, whatever git says."""
    lines: list[str] = []
    run = subprocess.run

    def watched(line: list[str], **words: Any) -> Any:
        lines.append(" ".join(map(str, line)))
        return run(line, **words)

    monkeypatch.setattr("tapegate.github.branch.subprocess.run", watched)
    server.token("ghs_secret_token", pull_requests="write")
    with pytest.raises(GitHubError) as error:
        weekly.refresh("ghs_secret_token")
    assert any(" push " in line for line in lines)
    encoded = base64.b64encode(b"x-access-token:ghs_secret_token").decode()
    branch = Branch(weekly.folder, REFRESH, server.url, "ghs_secret_token")
    for text in [*lines, str(error.value), repr(branch), repr(Client(Place("o/x"), "ghs_secret_token"))]:
        assert "ghs_secret_token" not in text
        assert encoded not in text


@pytest.mark.parametrize(
    "name", ["-x", "a b", "a..b", "x.lock", "", "a\nb", "--upload-pack=touch x", "refs/heads/", "a~1", "@{u}"]
)
def test_a_name_that_git_would_not_take_is_refused(name: str, weekly: Weekly) -> None:
    """Before anything is asked."""
    with pytest.raises(UsageError):
        weekly.refresh(branch=name)


@pytest.mark.parametrize("name", ["$(touch${IFS}x)", "`id`", "${{x}}", "##[error]x", "x'\"x", "@everyone", "::set-env"])
def test_a_strange_name_is_a_name(name: str, weekly: Weekly, server: GitHubServer, tmp_path: Path) -> None:
    """What git takes reaches no shell; a colon it does not take."""
    before = sorted(path.name for path in weekly.folder.iterdir())
    if ":" in name:
        with pytest.raises(UsageError):
            weekly.refresh(branch=name)
        return
    if "[" in name:  # git has no such name either
        with pytest.raises(UsageError):
            weekly.refresh(branch=name)
        return
    shown = weekly.refresh(branch=name)
    assert weekly.branch(name)
    assert next(iter(server.repository.pulls.values())).head_ref == name
    assert "##[" not in shown
    assert sorted(path.name for path in weekly.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"paths": ("../x",)}, UsageError),
        ({"paths": ("/etc",)}, UsageError),
        ({"base": REFRESH}, UsageError),
        ({"base": ""}, UsageError),
        ({"title": "two\nlines"}, UsageError),
        ({"title": " "}, UsageError),
        ({"results": Path("/nowhere")}, BadInput),
        ({"audit": Path("/nowhere")}, BadInput),
    ],
)
def test_words_that_cannot_be_meant_are_refused(words: dict[str, Any], error: type[Exception], weekly: Weekly) -> None:
    """Before anything is pushed."""
    with pytest.raises(error):
        weekly.refresh(**words)
    assert "tapegate" not in git(weekly.bare, "branch", "--list")


def test_nothing_is_pushed_in_a_pull_requests_event(weekly: Weekly, server: GitHubServer) -> None:
    """Whatever the token may do."""
    given = Refreshing(weekly.folder, (), REFRESH, "main", "x", None, None, "", None)
    for event in ("pull_request", "pull_request_target", "issue_comment"):
        with pytest.raises(UsageError, match="no branch is pushed"):
            refresh_recordings(given, {**server.environ, "GITHUB_TOKEN": "x", "GITHUB_EVENT_NAME": event})


def test_outside_of_a_repository_it_says_so(server: GitHubServer, tmp_path: Path) -> None:
    """There is nothing to commit to."""
    server.token(**RIGHTS)
    given = Refreshing(tmp_path, (), REFRESH, "main", "x", None, None, "", None)
    with pytest.raises(Unavailable):
        refresh_recordings(given, {**server.environ, "GITHUB_TOKEN": "ghs_default"})


def test_the_description_holds_the_comparison_and_the_audit(
    weekly: Weekly, server: GitHubServer, tmp_path: Path, passed: Run, failed: Run
) -> None:
    """What changes first, the audit folded below it, all of it within what GitHub takes."""
    raw = Results.of(failed).to_bytes()
    (tmp_path / "head").mkdir()
    (tmp_path / "head" / "results.json").write_bytes(raw)
    sides = Side("before", passed, "sha256:" + "0" * 64), Side("after", failed, digest(raw))
    diff = compare(*sides, "weekly", profile_of(None, "weekly"))
    (tmp_path / "diff.json").write_bytes(diff_file.to_bytes(diff))
    audit = "## Weekly audit\n\n" + "\n".join(f"- line {number} @everyone" for number in range(3_000))
    (tmp_path / "audit.md").write_text(audit)
    weekly.refresh(results=tmp_path, audit=tmp_path)
    (pull,) = server.repository.pulls.values()
    body = pull.body or ""
    assert "### Regressions (1)" in body
    assert body.index("Recordings made anew") < body.index("## Tapegate: not safe") < body.index("## Weekly audit")
    assert len(body.encode()) <= 60_000
    assert body.count("<details>") == body.count("</details>")
    assert "The rest stands in `audit.md`" in body
