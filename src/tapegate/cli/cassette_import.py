"""`tapegate cassette import`: recordings of other tools become ours."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapegate.cli import options
from tapegate.errors import CassetteError, UsageError

if TYPE_CHECKING:
    from tapegate.tape.importing.files import Outcome
    from tapegate.tape.routes import Routes


@click.command("import")
@click.argument("source", type=click.Path(exists=True, path_type=Path), metavar="FILE|DIR")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The project to write into: recordings go below its `cassettes`.",
)
@click.option("--suite", help="Suite to write into. [default: named after the folder that each file lies in]")
@click.option("--key", help="Key of the recording, of a single file: RET-01@A1. [default: named after the file]")
@options.JSON
@options.QUIET
@click.pass_context
def import_(
    ctx: click.Context, source: Path, out: Path, suite: str | None, key: str | None, *, as_json: bool, quiet: bool
) -> None:
    """Import a vcrpy cassette, or every one in a folder.

    Reads what vcrpy, pytest-recording and recorders built on them wrote, in YAML or JSON. Bodies are kept byte for
    byte where the file holds the bytes; where it holds only what was parsed or decoded, the recording says so. Chunks
    and times are not in such files. Keys are redacted as in any recording. Exit 2 where a file could not be read.
    """
    from tapegate.tape.importing.files import Import

    if key is not None and source.is_dir():
        raise UsageError.of("one_key", f"--key names one recording, and {str(source)!r} is a folder", fix="use --suite")
    outcomes = list(Import(out, _routes(out), suite, key).run(source))
    if as_json:
        click.echo(json.dumps([_as_json(outcome) for outcome in outcomes], indent=2))
    else:
        _tell(outcomes, quiet=quiet)
    refused = any(outcome.state == "refused" for outcome in outcomes)
    if refused or (source.is_file() and outcomes[0].state != "imported"):
        ctx.exit(CassetteError.exit_code)


def _routes(project: Path) -> Routes:
    """Those of the project's services; none where there is no project yet."""
    from tapegate.tape.routes import Routes

    if not (project / "evals" / "tapegate.yaml").is_file():
        return Routes({})
    from tapegate.load.suite import survey

    config = survey(project).config
    return Routes.of(config.services if config is not None else {})


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {**asdict(outcome), "problems": [asdict(problem) for problem in outcome.problems]}


def _tell(outcomes: Sequence[Outcome], *, quiet: bool) -> None:
    from tapegate.report.inert import log_safe

    for outcome in outcomes:
        if outcome.state == "refused":
            for problem in outcome.problems:
                click.echo(log_safe(str(problem)), err=True)
        elif not quiet:
            click.echo(log_safe(f"{outcome.file}: {_line(outcome)}"))
    if not quiet and len(outcomes) != 1:
        click.echo(_summary(outcomes))


def _line(outcome: Outcome) -> str:
    match outcome.state:
        case "imported":
            parts = [f"{outcome.recording}, {_count(outcome.exchanges, 'interaction')}"]
            parts += [f"{_count(outcome.others, 'more')} that is no HTTP"] if outcome.others else []
            parts += (
                [f"{_count(outcome.decoded, 'body', 'bodies')} as decoded by its recorder"] if outcome.decoded else []
            )
            parts += (
                [f"{_count(outcome.rebuilt, 'body', 'bodies')} rebuilt from parsed JSON"] if outcome.rebuilt else []
            )
            return ", ".join(parts)
        case "no_http":
            others = f": {_count(outcome.others, 'interaction')} of another kind" if outcome.others else ""
            return f"holds no HTTP{others}"
        case _:
            return "no cassette"


def _summary(outcomes: Sequence[Outcome]) -> str:
    states = Counter(outcome.state for outcome in outcomes)
    http = states["imported"] + states["refused"]
    exchanges, others = (sum(getattr(one, name) for one in outcomes) for name in ("exchanges", "others"))
    words = [f"imported {states['imported']:,} of {_count(http, 'file')}, {_count(exchanges, 'interaction')}"]
    if states["no_http"]:
        words.append(f"without HTTP: {_count(states['no_http'], 'file')}")
    if others:
        words.append(f"not HTTP: {_count(others, 'interaction')}")
    if states["not_a_cassette"]:
        words.append(f"no cassette: {_count(states['not_a_cassette'], 'file')}")
    return "; ".join(words)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
