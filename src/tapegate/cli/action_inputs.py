"""The inputs of action.yml, parsed once. They come as `INPUT_*` variables and never pass through a shell."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from tapegate.errors import UsageError
from tapegate.github.marker import LONGEST_SUITE
from tapegate.model.problem import Problem

Stale = Literal["fail", "report"]
FailOn = Literal["needs_review", "not_ready"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "baseline": ("auto", "artifact", "worktree", "none", "file:FOLDER"),
    "fail-on": ("needs_review", "not_ready"),
    "stale": ("fail", "report"),
    "comment": ("auto", "always", "changes", "off"),
    "annotations": ("true", "false"),
}
"""What the inputs may be that are no free text."""
FILE = "file:"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the workflow's author wrote. An empty input is one that is not set: that is how a runner passes it."""

    profile: str
    evals: Path
    select: tuple[str, ...]
    baseline: str
    """`auto`, `artifact`, `worktree`, `none`, or `file:` and a folder."""
    fail_on: tuple[FailOn, ...]
    stale: Stale | None
    """None: as the profile says."""
    comment: str
    annotations: bool
    shard: str | None
    merge: Path | None
    """The folder that holds the reports of all shards."""
    jobs: int | None
    working_directory: Path
    project: Path
    """The project's root."""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Inputs:
        """Parse them. Raises UsageError with every input that cannot be used, each with what is expected."""
        given = {name: _given(environ, name) for name in [*CHOICES, "jobs", "shard", "merge"]}
        given["baseline"] = given["baseline"] or "auto"
        given["comment"] = given["comment"] or "auto"
        given["annotations"] = given["annotations"] or "true"
        fail_on = given["fail-on"].replace(",", " ").split()
        problems = [
            *(_unknown("fail-on", word) for word in fail_on if word not in CHOICES["fail-on"]),
            *(
                _unknown(name, given[name])
                for name in ("stale", "comment", "annotations")
                if given[name] and given[name] not in CHOICES[name]
            ),
        ]
        baseline = given["baseline"]
        named = baseline.startswith(FILE) and bool(baseline.removeprefix(FILE).strip())
        if not named and baseline not in CHOICES["baseline"][:-1]:
            problems.append(_unknown("baseline", baseline))
        if given["jobs"] and not (given["jobs"].isascii() and given["jobs"].isdecimal() and int(given["jobs"]) > 0):
            problems.append(Problem("bad_input", f"the input 'jobs' is {given['jobs']!r}; expected a number from 1 on"))
        if given["shard"] and given["merge"]:
            problems.append(Problem("bad_input", "the inputs 'shard' and 'merge' exclude each other"))
        workspace = Path(environ.get("GITHUB_WORKSPACE") or ".")
        folder = Path(_given(environ, "working-directory") or ".")
        if not (workspace / folder).is_dir():
            problems.append(Problem("bad_input", f"the input 'working-directory' is {str(folder)!r}: no such folder"))
        if problems:
            raise UsageError(*problems)
        return cls(
            profile=_given(environ, "profile") or "pr",
            evals=Path(_given(environ, "evals") or "evals"),
            select=tuple(_given(environ, "select").split()),
            baseline=baseline,
            fail_on=tuple(cast("FailOn", word) for word in fail_on),
            stale=cast("Stale", given["stale"]) if given["stale"] else None,
            comment=given["comment"],
            annotations=given["annotations"] == "true",
            shard=given["shard"] or None,
            merge=workspace / given["merge"] if given["merge"] else None,
            jobs=int(given["jobs"]) if given["jobs"] else None,
            working_directory=folder,
            project=workspace / folder,
        )

    @property
    def suite(self) -> str:
        """What tells the gates of a repository apart: the evals that this one runs, the profile it runs them by, and
        what it selects of them."""
        parts = [os.path.normpath(self.working_directory / self.evals).replace(os.sep, "/")]
        parts += [self.profile] if self.profile != "pr" else []
        parts += [_hash(" ".join(self.select))] if self.select else []
        name = " ".join(parts)
        return name if len(name) <= LONGEST_SUITE else f"{name[: LONGEST_SUITE - 9]} {_hash(name)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _given(environ: Mapping[str, str], name: str) -> str:
    return environ.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip()


def _unknown(name: str, value: str) -> Problem:
    return Problem("bad_input", f"the input {name!r} is {value!r}; expected {_listed(CHOICES[name])}")


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}"
