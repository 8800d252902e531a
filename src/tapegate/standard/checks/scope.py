"""The scope table is complete: every path has files that exist, and evals."""

from __future__ import annotations

from collections.abc import Iterator
from glob import iglob
from pathlib import Path

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground


def covers(project: Path, pattern: str) -> bool:
    """Whether a path or glob of the scope table names a file of the project."""
    # A path may hold brackets, `app/[id]/page.tsx`: what exists under its name is no glob.
    if (project / pattern).is_file():
        return True
    # Path.glob raises for patterns like `a**b`; this one takes every text.
    found = iglob(pattern, root_dir=project, recursive=True, include_hidden=True)  # noqa: PTH207
    return any((project / name).is_file() for name in found)


def _files(ground: Ground) -> Iterator[Problem]:
    project = ground.survey.project
    for path_id, path in ground.config.paths.items():
        for index, pattern in enumerate(path.files):
            if covers(project, pattern):
                continue
            folder = (project / pattern).is_dir()
            yield ground.at(
                "scope_files",
                f"path {path_id!r} covers {pattern!r}, which " + ("is a folder" if folder else "no file matches"),
                *("paths", path_id, "files", index),
                fix=f"write {pattern.rstrip('/')}/**" if folder else "correct it, or remove it where the file is gone",
            )


def _evals(ground: Ground) -> Iterator[Problem]:
    tested = {task.path_id for task in ground.survey.tasks}
    for path_id in ground.config.paths:
        if path_id not in tested:
            yield ground.at(
                "scope_evals",
                f"path {path_id!r} is in the scope table, and no task tests it",
                *("paths", path_id),
                fix=f"add evals/<suite>/<id>@{path_id}.yaml",
            )


CHECKS = (
    Check("scope_files", "Every path of the scope table covers files that exist.", "finding", _files),
    Check("scope_evals", "Every path of the scope table has an eval.", "finding", _evals),
)
