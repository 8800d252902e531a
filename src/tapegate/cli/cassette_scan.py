"""`tapegate cassette scan`: secrets that stand where they should not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapegate.cli import options
from tapegate.errors import CassetteError

if TYPE_CHECKING:
    from tapegate.model.problem import Problem


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[FILE|DIR]...")
@options.PROJECT
@options.JSON
@click.pass_context
def scan(ctx: click.Context, paths: tuple[Path, ...], project: Path, *, as_json: bool) -> None:
    """Search recordings for secrets: all of the project, or the files given, of whatever tool.

    Looks for keys of known formats in decoded bodies, and for credentials by the name of their header or parameter.
    Prints the rule, the place and a fingerprint, never the value. Exit 2 where something was found or not readable.
    """
    from tapegate.report.inert import log_safe

    scanned = list(_scanned(paths or (project / "cassettes",)))
    count, problems = len(scanned), [problem for found in scanned for problem in found]
    if not as_json:
        for problem in problems:
            click.echo(log_safe(str(problem)), err=True)
    if as_json:
        click.echo(json.dumps({"files": count, "problems": [asdict(problem) for problem in problems]}, indent=2))
    if problems:
        ctx.exit(CassetteError.exit_code)
    if not as_json:
        click.echo(f"no secret in {count:,} file{'' if count == 1 else 's'}")


def _scanned(paths: tuple[Path, ...]) -> Iterator[list[Problem]]:
    """The problems of each file."""
    from tapegate.tape.importing.files import recorded_files
    from tapegate.tape.importing.scanned import scan_file

    for file in (file for path in paths for file in recorded_files(path)):
        try:
            yield scan_file(file.read_bytes(), file.as_posix())
        except CassetteError as error:
            yield list(error.problems)
