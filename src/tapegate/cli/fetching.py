"""What `tapegate github baseline` does: fetch the results that a run of the base has kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.errors import GitHubError, UsageError
from tapegate.github.artifact_name import artifact_name
from tapegate.github.client import Client
from tapegate.github.kept_results import kept_results
from tapegate.github.marker import SHA
from tapegate.github.place import Place


@dataclass(frozen=True, slots=True)
class Fetching:
    """The words of one `tapegate github baseline`."""

    sha: str
    suite: str
    artifact: str | None
    out: Path


def fetch(words: Fetching, environ: Mapping[str, str]) -> int:
    """Fetch them and print where they are; returns 0. Raises TapegateError where there are none."""
    if not SHA.fullmatch(words.sha):
        raise UsageError.of("no_commit", f"{words.sha!r:.100} is no commit; expected a full SHA")
    if words.out.exists() and any(words.out.iterdir()):
        raise UsageError.of("not_empty", f"{str(words.out)!r} is not empty", fix="name a new folder")
    name = words.artifact or artifact_name(words.suite)
    with Client(Place.of(environ), environ.get("GITHUB_TOKEN", "")) as client:
        if not kept_results(client, words.sha, name, words.out):
            raise GitHubError.of(
                "no_artifact",
                f"no run of {words.sha[:12]} has kept results as {name!r}",
                fix="let the gate run on every push to the base branch, and keep its report",
            )
    click.echo(str(words.out))
    return 0
