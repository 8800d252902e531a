"""The scope table is complete: every path has files that exist, and evals; every prompt has a path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.files import matching
from tapegate.standard.globs import names
from tapegate.standard.ground import Ground
from tapegate.standard.prompts import sign


def covers(project: Path, pattern: str) -> bool:
    """Whether a path or glob of the scope table names a file of the project."""
    return next(matching(project, pattern), None) is not None


def _files(ground: Ground) -> Iterator[Problem]:
    """Each path or glob under `files` names a file that is there; a folder is named with `/**`."""
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
    """A path is tested by the tasks that name it in `path_id`."""
    for path_id in ground.config.paths:
        if path_id not in ground.tasks_of:
            yield ground.at(
                "scope_evals",
                f"path {path_id!r} is in the scope table, and no task tests it",
                *("paths", path_id),
                fix=f"add evals/<suite>/<id>@{path_id}.yaml",
            )


def _prompts(ground: Ground) -> Iterator[Problem]:
    """A heuristic. A file holds a prompt where a word of its name says so (`prompts/critic.md`, `SystemPrompt.ts`), or
    where its text tells a model what it is ("You are a librarian"), writes a message of the role `system` or
    `developer`, names a text a prompt (`SUMMARY_PROMPT = "…"`) or gives a client instructions. Looked at are program
    text and templates that git tracks or would track; not looked at are the evals and recordings, folders such as
    `docs` and `tests`, hidden folders, and files of more than 400 kB. A file that no eval needs to cover stands under
    `unscoped` in evals/tapegate.yaml, with the reason."""
    covered = [pattern for path in ground.config.paths.values() for pattern in path.files]
    covered += [pattern for entry in ground.config.unscoped for pattern in entry.files]
    for name in _candidates(ground):
        if not names(covered, name) and (found := sign(ground.survey.project, name)) is not None:
            yield Problem(
                "unscoped_prompt",
                f"{name!r} {found.why}, and belongs to no path of the scope table",
                name,
                found.line,
                fix="add it to the files of its path in evals/tapegate.yaml, or to `unscoped` with the reason",
            )


def _idle(ground: Ground) -> Iterator[Problem]:
    """An entry of `unscoped` is there for a file that would be found without it."""
    covered = [pattern for path in ground.config.paths.values() for pattern in path.files]
    for index, entry in enumerate(ground.config.unscoped):
        for place, pattern in enumerate(entry.files):
            named = (name for name in _candidates(ground) if names([pattern], name) and not names(covered, name))
            if not any(sign(ground.survey.project, name) is not None for name in named):
                yield ground.at(
                    "idle_unscoped",
                    f"{pattern!r} names no file that looks as if it held a prompt and belongs to no path",
                    *("unscoped", index, "files", place),
                    fix="remove it",
                )


def _candidates(ground: Ground) -> Iterator[str]:
    survey = ground.survey
    evals = survey.evals.relative_to(survey.project).as_posix() if survey.evals.is_relative_to(survey.project) else None
    aside = tuple(f"{folder}/" for folder in ("cassettes", evals) if folder)
    return (name for name in ground.files if not name.startswith(aside))


CHECKS = (
    Check(
        "scope_files",
        "Every path of the scope table covers files that exist.",
        "finding",
        _files,
        {"scope_files": "A path names a file that is not there."},
    ),
    Check(
        "scope_evals",
        "Every path of the scope table has an eval.",
        "finding",
        _evals,
        {"scope_evals": "No task tests a path."},
    ),
    Check(
        "scope_prompts",
        "Every file that holds a prompt belongs to a path of the scope table.",
        "finding",
        _prompts,
        {"unscoped_prompt": "A file looks as if it held a prompt, and no path covers it."},
    ),
    Check(
        "scope_exceptions",
        "Every exception from the scope table is needed.",
        "note",
        _idle,
        {"idle_unscoped": "An entry of `unscoped` names no file that holds a prompt."},
    ),
)
