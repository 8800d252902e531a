"""What `tapegate github refresh` does: commit what was recorded, push it, see to its pull request."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.cli.recording import PR_EVENTS
from tapegate.cli.sides import side_of
from tapegate.errors import BadInput, UsageError
from tapegate.github.branch import Branch
from tapegate.github.client import Client
from tapegate.github.install import output
from tapegate.github.place import Place
from tapegate.github.refresh import Refresh, Refreshed
from tapegate.model.diff import Diff
from tapegate.model.run import Run
from tapegate.report import diff_file
from tapegate.report import refresh as description
from tapegate.report.inert import log_safe
from tapegate.run.results_folder import DIFF, ResultsFolder

RECORDINGS = ("cassettes",)
AUDIT = "audit.md"
HEAD = "head"
"""Where `tapegate diff --out` keeps the results of a head that it ran."""


@dataclass(frozen=True, slots=True)
class Refreshing:
    """The words of one `tapegate github refresh`."""

    project: Path
    paths: tuple[str, ...]
    branch: str
    base: str | None
    title: str
    results: Path | None
    audit: Path | None
    gate: str
    remote: str | None


def refresh_recordings(words: Refreshing, environ: Mapping[str, str]) -> int:
    """Refresh; returns 0. Raises TapegateError where it cannot be done, with what to set."""
    event = environ.get("GITHUB_EVENT_NAME", "")
    if event in PR_EVENTS:
        raise UsageError.of(
            "refresh_in_pr",
            f"no branch is pushed in a {event!r} event: code of a pull request must not write to the repository",
            fix="let the scheduled workflow do it",
        )
    base = words.base or environ.get("GITHUB_REF_NAME", "")
    if not base or base == words.branch:
        raise UsageError.of("no_base", f"the branch {words.branch!r} is for {base!r}; expected another branch (--base)")
    if not words.title.strip() or not words.title.isprintable():
        raise UsageError.of("bad_title", f"{words.title!r:.200} is no title: expected one line")
    place = Place.of(environ)
    token = environ.get("GITHUB_TOKEN", "")
    with Client(place, token) as client:
        branch = Branch(words.project, words.branch, words.remote or f"{place.server}/{place.name}.git", token)
        change = branch.change(words.paths or RECORDINGS, words.title)
        if change is None:
            click.echo("nothing to refresh: no recording has changed")
            return 0
        text = description.render(change.files, *_compared(words.results), _audit(words.audit))
        done = Refresh(client, branch, base, words.gate).put(change, words.title, text)
    _tell(done, environ)
    return 0


def _compared(folder: Path | None) -> tuple[Diff | None, Run | None]:
    """The comparison and the head of a folder that `diff` or `run` wrote."""
    if folder is None:
        return None, None
    diff = diff_file.parse((folder / DIFF).read_bytes(), str(folder / DIFF)) if (folder / DIFF).is_file() else None
    found = ResultsFolder.at(folder) or ResultsFolder.at(folder / HEAD)
    if diff is None and found is None:
        raise BadInput.of("no_results", f"{str(folder)!r} holds neither diff.json nor results.json")
    return diff, side_of(found, "head").run if found is not None else None


def _audit(folder: Path | None) -> str:
    if folder is None:
        return ""
    try:
        return (folder / AUDIT).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput.of("no_audit", f"{str(folder / AUDIT)!r} cannot be read: {error}") from None


def _tell(done: Refreshed, environ: Mapping[str, str]) -> None:
    click.echo(log_safe(f"pull request #{done.number} {done.state}: {done.url}"))
    if done.checks:
        click.echo(log_safe(done.checks))
    with suppress(OSError):
        output(environ, "pull-request", str(done.number))
        output(environ, "pull-request-url", done.url)
