"""What `tapegate diff` does: find or run both sides, judge them alike, compare, report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tapegate.cli import options
from tapegate.cli.rendering import Report, evidence_of, leave
from tapegate.cli.sides import Place, Running, Terms, place, side_of, terms, unavailable, with_terms
from tapegate.compare.differential_ab import compare, judged_anew
from tapegate.compare.side import Side
from tapegate.errors import NotJudged, UsageError
from tapegate.load.folder import CONFIG
from tapegate.load.profiles import profile_of
from tapegate.load.suite import survey
from tapegate.model.config import Config
from tapegate.model.diff import Diff
from tapegate.oracles.plugins import catalog_of
from tapegate.report import comment, diff_file, terminal_diff
from tapegate.run.output import write_atomically
from tapegate.run.results_folder import DIFF, ResultsFolder

DEFAULT_PROFILE = "pr"
SLOTS = ("base", "head")
"""Folders in `--out` for what sides leave that are run."""


@dataclass(frozen=True, slots=True)
class Comparing:
    """The words of one `tapegate diff`."""

    base: str
    head: str
    project: Path
    evals: Path
    profile: str | None
    out: Path | None
    jobs: int
    as_json: bool
    quiet: bool


def compare_sides(words: Comparing) -> int:
    """Compare, report, and return the exit code. Raises TapegateError for words that name nothing."""
    places = [place(word, words.project, words.evals) for word in (words.base, words.head)]
    _keep_apart(words, places)
    running = Running(words.project, words.evals, words.profile or DEFAULT_PROFILE, words.jobs)
    with _out(words) as out:
        # Traces are read when they are needed: the folders must be there until the comparison is.
        base, base_terms = _side(words, running, places[0], out / SLOTS[0])
        head, head_terms = _side(words, running, places[1], out / SLOTS[1])
        diff = compare(base, head, head_terms.name, head_terms.profile)
        diff = with_terms(diff, base_terms, head_terms)
        if words.out is not None:
            # A revision's worktree is gone; what this project has recorded is shown where its bytes are the same.
            _leave(words.out, diff, base, head, places[1].project or words.project)
    return _report(words, diff, head)


def _keep_apart(words: Comparing, places: Sequence[Place]) -> None:
    """Refuse to run one side over the results of the other."""
    if words.out is None:
        return
    given = {one.results.path.resolve(): one.name for one in places if one.results is not None}
    for slot, one in zip(SLOTS, places, strict=True):
        taken = given.get((words.out / slot).resolve()) if one.results is None else None
        if taken is not None:
            raise UsageError.of(
                "side_in_out",
                f"{taken!r} is where --out {str(words.out)!r} would leave what {one.name!r} comes to",
                fix="name another --out",
            )


def _side(words: Comparing, running: Running, where: Place, out: Path) -> tuple[Side, Terms]:
    """A side, judged by this version of Tapegate, and the profile that decides over it."""
    found = where.results or ResultsFolder(out)
    if where.results is not None:
        side = side_of(where.results, where.name)
    else:
        try:
            side = running.side(where, out)
        except NotJudged as error:  # it could not be checked out, or not even begin
            side = unavailable(where, error)
    by = terms(found) if side.run is not None else None
    if by is None or (words.profile is not None and words.profile != by.name):
        name = words.profile or DEFAULT_PROFILE
        by = Terms(name, profile_of(_config(words), name))
    side = replace(side, catalog=catalog_of(words.project, words.project / words.evals))
    return judged_anew(side, by.name, by.profile) if where.results is not None else side, by


def _config(words: Comparing) -> Config | None:
    """The config of the project at hand, which may declare the profile; None where there is none that reads."""
    if not (words.project / words.evals / CONFIG).is_file():
        return None
    return survey(words.project, words.project / words.evals).config


@contextmanager
def _out(words: Comparing) -> Iterator[Path]:
    if words.out is not None:
        yield words.out
    else:
        with TemporaryDirectory(prefix="tapegate-") as name:
            yield Path(name)


def _leave(out: Path, diff: Diff, base: Side, head: Side, project: Path | None) -> None:
    write_atomically(out / "comment.md", comment.render(diff, head.run).encode())
    if head.run is not None:
        report = Report(head.run, head.digest, diff, replace(evidence_of(head, project), base=base.run))
        leave(report, out, ["report.html", "results.sarif"])
    # Last: whoever finds diff.json finds all that belongs to it.
    write_atomically(out / DIFF, diff_file.to_bytes(diff))


def _report(words: Comparing, diff: Diff, head: Side) -> int:
    if words.as_json:
        click.echo(diff_file.to_bytes(diff).decode(), nl=False)
    elif not words.quiet or not diff.gate.passed:
        text = terminal_diff.render(diff, head.run, width=options.columns(), color=options.colored())
        click.echo(text, nl=False)
    return diff.gate.exit_code
