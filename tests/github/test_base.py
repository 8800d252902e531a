"""The commit that a run is held against."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tapegate.github import base as module
from tapegate.github.base import Base, base_of, bring, bring_messages, messages
from tapegate.github.event import Event

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "someone@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *words: str) -> str:
    """What git answers."""
    line = ["git", "-c", "protocol.file.allow=always", *words]
    return subprocess.run(line, cwd=folder, env=CLEAN, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a change, and the commit that would merge it on a branch `merge`."""
    root = tmp_path_factory.mktemp("origin")
    git(root, "init", "--quiet", "--initial-branch=main")
    for name, words in (("base", ()), ("change", ("-b", "change"))):
        git(root, "checkout", "--quiet", *words) if words else None
        (root / name).write_text(name)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", name)
    git(root, "checkout", "--quiet", "-b", "merge", "main")
    git(root, "merge", "--quiet", "--no-ff", "--no-edit", "change")
    return root


def event(sha: str = "", name: str = "pull_request", **payload: Any) -> Event:
    """An event of a commit."""
    return Event(name, sha, payload)


@pytest.fixture
def shallow(origin: Path, tmp_path: Path) -> Path:
    """The merge commit alone, as actions/checkout leaves it."""
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=merge", f"file://{origin}", "work")
    return tmp_path / "work"


def test_the_base_of_a_pull_request_is_the_merge_commits_first_parent(origin: Path, shallow: Path) -> None:
    """A shallow checkout knows no parent, and its commit names both."""
    merge, main = git(origin, "rev-parse", "merge"), git(origin, "rev-parse", "main")
    assert git(shallow, "rev-list", "--count", "HEAD") == "1"
    assert base_of(shallow, event(merge)) == Base(main)


def test_a_base_that_the_checkout_lacks_is_fetched(origin: Path, shallow: Path) -> None:
    """Once, and without the history before it."""
    main = git(origin, "rev-parse", "main")
    assert bring(shallow, main, "", {}) == ""
    assert git(shallow, "cat-file", "-t", main) == "commit"
    assert bring(shallow, main, "", {}) == ""
    assert bring(shallow, "0" * 40, "", {}).startswith("the base commit 000000000000 could not be fetched: ")


def test_the_messages_of_a_pull_requests_commits_are_fetched(origin: Path, shallow: Path) -> None:
    """A shallow checkout has none but the merge's; what the target branch has is no part of them."""
    main, change = git(origin, "rev-parse", "main"), git(origin, "rev-parse", "change")
    pull = event(pull_request={"head": {"sha": change}, "base": {"ref": "main"}})
    bring(shallow, main, "", {})
    assert messages(shallow, main, change) == ()
    assert bring_messages(shallow, pull, "", {}) == ""
    assert [said.strip() for said in messages(shallow, main, change)] == ["change"]
    assert git(shallow, "rev-list", "--count", "HEAD") == "1"


def test_commits_that_cannot_be_fetched_cost_their_messages(origin: Path, shallow: Path) -> None:
    """And say so; whatever a branch is called, it is no option of git's."""
    main, change = git(origin, "rev-parse", "main"), git(origin, "rev-parse", "change")
    for head, ref in (("0" * 40, "main"), (change, "--upload-pack=touch pwned"), (change, "x;touch$IFS'pwned'`id`")):
        said = bring_messages(shallow, event(pull_request={"head": {"sha": head}, "base": {"ref": ref}}), "", {})
        assert said.startswith("the commits of the pull request could not be fetched: ")
        assert messages(shallow, main, head) == ()
    assert not list(shallow.rglob("pwned"))


def test_a_whole_checkout_fetches_no_messages(origin: Path) -> None:
    """It has the commits; neither do other events have a pull request's."""
    sha = git(origin, "rev-parse", "change")
    assert bring_messages(origin, event(pull_request={"head": {"sha": sha}, "base": {"ref": "main"}}), "", {}) == ""
    assert bring_messages(origin, event(name="push"), "", {}) == ""


def test_another_checkout_has_no_base_and_none_is_guessed(origin: Path, tmp_path: Path) -> None:
    """The pull request's own branch, another commit than the event's, and a folder that is no repository."""
    change = git(origin, "rev-parse", "change")
    git(tmp_path, "clone", "--quiet", "--branch=change", f"file://{origin}", "work")
    assert "is no merge of the pull request" in base_of(tmp_path / "work", event(change)).why_not
    assert "is checked out and not" in base_of(tmp_path / "work", event("0" * 40)).why_not
    assert "git knows no commit here" in base_of(tmp_path, event()).why_not


def test_a_checkout_of_another_user_is_said_to_be_that(shallow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a job's container: it was checked out all the same."""
    monkeypatch.setenv("HOME", str(shallow))
    # Git's own word for its tests; ours are dropped.
    monkeypatch.setattr(module, "_ran", _of_another_user(module._ran))
    found = base_of(shallow, event()).why_not
    assert "is another user's" in found
    assert f'git config --global --add safe.directory "{shallow}"' in found


def _of_another_user(ran: Any) -> Any:
    def run(*words: Any, **more: Any) -> Any:
        return ran(*words, **{**more, "env": {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}})

    return run


def test_a_merge_group_names_its_base() -> None:
    """Anything that is no commit counts as none."""
    sha = "ab" * 20
    assert base_of(Path(), event(name="merge_group", merge_group={"base_sha": sha})) == Base(sha)
    for wrong in ("main", "$(x)", "--upload-pack=x", None, 3):
        assert base_of(Path(), event(name="merge_group", merge_group={"base_sha": wrong})).sha == ""


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "workflow_run", ""])
def test_other_events_have_nothing_to_be_held_against(name: str) -> None:
    """And nothing is missing."""
    assert base_of(Path(), event(name=name)) == Base()


TOKEN = "ghs_secret"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], Mapping[str, str]]]:
    """Stands in for git, which fails and repeats all it was given; what was asked."""
    calls: list[tuple[list[str], Mapping[str, str]]] = []
    answers = {"remote": "https://github.com/owner/name.git\n", "config": ""}

    def run(line: list[str], *, env: Mapping[str, str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append((line, env))
        word = next(word for word in line if word in ("remote", "config", "fetch", "cat-file"))
        code = 0 if answers.get(word) else 1
        return subprocess.CompletedProcess(line, code, answers.get(word, ""), f"fatal: {TOKEN}\n")

    monkeypatch.setattr(module.subprocess, "run", run)
    monkeypatch.setattr(module, "answers", answers, raising=False)
    return calls


def test_the_token_goes_to_its_own_server_and_stands_nowhere(asked: list[tuple[list[str], Mapping[str, str]]]) -> None:
    """In git's environment, for one address; in no command line and no message."""
    said = bring(Path(), "ab" * 20, TOKEN, {"GITHUB_SERVER_URL": "https://github.com"})
    assert TOKEN not in said
    assert said.endswith("fatal: ***")
    (environ,) = [env for line, env in asked if "fetch" in line]
    assert environ["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraheader"
    assert environ["GIT_CONFIG_VALUE_0"].startswith("AUTHORIZATION: basic ")
    assert not [line for line, _ in asked if TOKEN in " ".join(line)]
    assert not [env for _, env in asked if "INPUT_TOKEN" in env]


@pytest.mark.parametrize(
    "server", ["https://elsewhere.invalid", "http://github.com", "https://github.com.evil.invalid"]
)
def test_another_server_gets_no_token(server: str, asked: list[tuple[list[str], Mapping[str, str]]]) -> None:
    """The checkout may come from anywhere; the token is of the workflow's own GitHub."""
    bring(Path(), "ab" * 20, TOKEN, {"GITHUB_SERVER_URL": server})
    assert not [env for _, env in asked if "GIT_CONFIG_VALUE_0" in env]


def test_a_checkout_that_was_left_with_a_token_gets_no_second(
    asked: list[tuple[list[str], Mapping[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two headers would be refused."""
    monkeypatch.setitem(module.answers, "config", "http.https://github.com/.extraheader AUTHORIZATION: basic x\n")  # type: ignore[attr-defined]
    bring(Path(), "ab" * 20, TOKEN, {"GITHUB_SERVER_URL": "https://github.com"})
    assert not [env for _, env in asked if "GIT_CONFIG_VALUE_0" in env]
