"""A revision of a git repository, checked out beside it for as long as it is needed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tapegate.errors import BadInput, Unavailable

TIMEOUT_S = 600
_FOLDERS = "compare two folders instead: tapegate diff BASE_FOLDER HEAD_FOLDER"


def commit(project: Path, revision: str) -> str:
    """The full SHA that a revision names: a branch, a tag, `HEAD~1`, a SHA; also where HEAD is detached.

    Raises Unavailable (`no_git`, `no_repository`) where there is no git or no repository, BadInput
    (`unknown_revision`) for a name that it does not know.
    """
    inside = _git(project, "rev-parse", "--is-inside-work-tree")
    if inside.returncode != 0:
        raise Unavailable.of(
            "no_repository",
            f"{revision!r} is no folder with results, no results.json and no project, and {str(project)!r} lies in no "
            "git repository that could know it as a revision",
            fix=_FOLDERS,
        )
    found = _git(project, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.returncode != 0:
        raise BadInput.of(
            "unknown_revision",
            f"{revision!r} is no folder with results, no results.json, no project, and no revision of this repository",
            fix="name a folder that `tapegate run --out` wrote, or fetch the revision: git fetch origin BRANCH",
        )
    return found.stdout.strip()


@contextmanager
def checked_out(project: Path, sha: str) -> Iterator[Path]:
    """The project's folder as it is in a commit, in a worktree of its own, removed at the end.

    Raises Unavailable `no_worktree` with what git says where it cannot be checked out.
    """
    prefix = _git(project, "rev-parse", "--show-prefix").stdout.strip()
    with TemporaryDirectory(prefix="tapegate-", ignore_cleanup_errors=True) as name:
        place = Path(name).resolve() / "tree"
        # Hooks are for people who check out to work there.
        added = _git(project, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", str(place), sha)
        if added.returncode != 0:
            raise Unavailable.of("no_worktree", f"git could not check out {sha}: {added.stderr.strip()}", fix=_FOLDERS)
        try:
            yield place / prefix
        finally:
            _git(project, "worktree", "remove", "--force", str(place))


def _git(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - words of ours, and names that cannot become options
            ["git", "-C", str(project), *words],  # noqa: S607 - git is where the user's PATH has it
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
            # A hook's own GIT_DIR or index would be taken for the project's.
            env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable.of("no_git", f"git cannot be run: {error}", fix=_FOLDERS) from error
