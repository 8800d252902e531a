"""The commit of a work tree, in every state that git may be in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tapegate.run.commit import NONE, commit_of


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch, tmp_path):
    """No settings of this machine, and a name to commit under."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)


def git(folder: Path, *words: str) -> str:
    """Run git."""
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository of one commit, with a project in a folder of it."""
    root = tmp_path / "repository"
    (root / "project" / "cassettes").mkdir(parents=True)
    for file in ("project/code.py", "project/cassettes/trial-1.yaml", "elsewhere.py"):
        (root / file).write_text("one\n")
    git(tmp_path, "init", "-q", str(root))
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


def test_a_clean_tree_is_its_commit(repository):
    """Files that git does not track do not make it another."""
    (repository / "project" / "out").mkdir()
    (repository / "project" / "out" / "results.json").write_text("{}")
    assert commit_of(repository / "project") == git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize("change", ["edit", "delete", "stage"])
def test_a_tree_that_differs_is_dirty(repository, change):
    """Edited, deleted or staged: what ran is not what the commit holds."""
    file = repository / "project" / "code.py"
    if change == "delete":
        file.unlink()
    else:
        file.write_text("two\n")
    if change == "stage":
        git(repository, "add", ".")
    assert commit_of(repository / "project") == git(repository, "rev-parse", "HEAD") + "+dirty"


def test_only_the_project_counts(repository):
    """In a repository of several projects, a change beside this one is none of it."""
    (repository / "elsewhere.py").write_text("two\n")
    assert not commit_of(repository / "project").endswith("+dirty")


def test_recordings_do_not_make_the_code_dirty_that_they_were_made_with(repository):
    """A second task recorded in one go is recorded from the same code as the first."""
    (repository / "project" / "cassettes" / "trial-1.yaml").write_text("two\n")
    assert commit_of(repository / "project").endswith("+dirty")
    assert commit_of(repository / "project", beside="cassettes") == git(repository, "rev-parse", "HEAD")
    (repository / "project" / "code.py").write_text("two\n")
    assert commit_of(repository / "project", beside="cassettes").endswith("+dirty")


def test_a_detached_head_is_a_commit_like_any_other(repository):
    """ENV-03: works by SHA, without a branch."""
    sha = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "--detach")
    assert commit_of(repository / "project") == sha


def test_a_shallow_clone_and_a_worktree_have_their_commit(repository, tmp_path):
    """What a workflow checks out, and what compares with a base."""
    sha = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "clone"))
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert commit_of(tmp_path / "clone" / "project") == commit_of(tmp_path / "tree" / "project") == sha


def test_without_a_repository_there_is_none(tmp_path, repository):
    """ENV-01: no repository, a repository without a commit, no folder: said, and no reason to stop."""
    git(tmp_path, "init", "-q", str(tmp_path / "empty"))
    assert commit_of(tmp_path) == commit_of(tmp_path / "empty") == commit_of(tmp_path / "nowhere") == NONE


def test_without_git_there_is_none(repository, monkeypatch, tmp_path):
    """ENV-01: a machine without git runs all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(repository) == NONE


def test_what_git_cannot_say_is_not_called_clean(repository):
    """A broken index: the commit is known, and whether the tree is that commit is not."""
    (repository / ".git" / "index").write_bytes(b"broken")
    assert commit_of(repository).endswith("+dirty")


def test_asking_changes_nothing(repository):
    """Not even git's own index, so that it works beside other git commands and on a read-only checkout."""
    os.utime(repository / "project" / "code.py", (1, 1))
    before = (repository / ".git" / "index").read_bytes()
    commit_of(repository)
    assert (repository / ".git" / "index").read_bytes() == before
