"""The commit that a project's work tree is at."""

from __future__ import annotations

import subprocess
from pathlib import Path

NONE = "none"
"""Without git, or outside a repository."""


def commit_of(project: Path) -> str:
    """The git SHA of `project`, with `+dirty` where tracked files differ from it; `none` where git cannot say."""
    sha = _git(project, "rev-parse", "--verify", "HEAD")
    if sha is None:
        return NONE
    changed = _git(project, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return f"{sha}+dirty" if changed else sha


def _git(project: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-C", str(project), *words],  # noqa: S607 - git is where the user's PATH has it
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
