"""The commit that a project's work tree is at."""

from __future__ import annotations

import subprocess
from pathlib import Path

NONE = "none"
"""Without git, or outside a repository."""


def commit_of(project: Path, *, beside: str | None = None) -> str:
    """The git SHA of `project`, with `+dirty` where tracked files differ from it; `none` where git cannot say.

    What differs in the folder `beside` does not count: recordings are no part of the code that they were made with.
    """
    sha = _git(project, "rev-parse", "--verify", "HEAD")
    if sha is None:
        return NONE
    where = [".", f":(exclude){beside}"] if beside else ["."]
    changed = _git(project, "status", "--porcelain", "--untracked-files=no", "--", *where)
    # None: git cannot say, and so nobody may call it clean.
    return sha if changed == "" else f"{sha}+dirty"


def _git(project: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", "--no-optional-locks", "-C", str(project), *words],  # noqa: S607 - git is where the user's PATH has it
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
