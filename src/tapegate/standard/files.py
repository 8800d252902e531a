"""The files of a project: what a reader of its repository would see, without what tools made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import iglob
from pathlib import Path

from tapegate.errors import Unavailable
from tapegate.standard.git import Git

MADE = frozenset({"__pycache__", "node_modules", "site-packages", "vendor", "dist", "build", "target", "out"})
"""Folders that are passed over where no git says what belongs to the project; hidden ones are too."""


def files_of(project: Path) -> tuple[str, ...]:
    """Every file of a project by its path from the root, sorted: what git tracks or would track.

    Without git: everything but hidden folders, Python environments and folders that tools make (`MADE`).
    """
    try:
        return Git(project).files()
    except Unavailable:
        return walked(project)


def walked(project: Path) -> tuple[str, ...]:
    """As `files_of` without git."""
    return tuple(sorted(_walk(project, "")))


def matching(project: Path, pattern: str) -> Iterator[str]:
    """The files of a project that a path or glob of the config names."""
    # A path may hold brackets, `app/[id]/page.tsx`: what exists under its name is no glob.
    if (project / pattern).is_file():
        yield pattern
        return
    # Path.glob raises for patterns like `a**b`; this one takes every text.
    found = iglob(pattern, root_dir=project, recursive=True, include_hidden=True)  # noqa: PTH207
    yield from (name.replace(os.sep, "/") for name in found if (project / name).is_file())


def _walk(project: Path, folder: str) -> Iterator[str]:
    try:
        with os.scandir(project / folder) as found:
            entries = list(found)
    except OSError:
        return
    for entry in entries:
        name = f"{folder}{entry.name}"
        if entry.is_file():
            yield name
        elif entry.is_dir(follow_symlinks=False) and not _made(project / name):
            yield from _walk(project, f"{name}/")


def _made(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in MADE or (folder / "pyvenv.cfg").exists()
