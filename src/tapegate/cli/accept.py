"""`tapegate accept`: a person's decision on a task that needs review, bound to the bytes it was taken on."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@click.argument("key")
@click.option("--digest", required=True, help="Of what was looked at, as the report of the run says it.")
@click.option("--reason", required=True, help="Why it is good enough, for whoever reads the task later.")
@options.PROJECT
@options.EVALS
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The results that were looked at: a folder that a run wrote, or a results.json. [default: out]",
)
@options.JSON
@click.pass_context
def accept(
    ctx: click.Context,
    key: str,
    *,
    digest: str,
    reason: str,
    project: Path,
    evals: Path,
    out: Path | None,
    as_json: bool,
) -> None:
    """Accept what a task did where it was neither a pass nor a fail.

    The decision is written into the task's file, under `reviews`. It holds for exactly these bytes: with another
    recording, answer or contract the task needs review again. Exit 0 written, 2 where there is nothing to decide on.
    """
    from tapegate.cli.accepting import Accepting
    from tapegate.cli.accepting import accept as decide

    done = decide(Accepting(key, digest, reason, project, evals, out or project / "out"))
    if as_json:
        click.echo(json.dumps({"key": done.key, "digest": done.digest, "file": done.file, "written": done.written}))
    elif done.written:
        click.echo(f"{done.file}: {done.key} is accepted for {done.digest}; commit the file with your change")
    else:
        click.echo(f"{done.file}: {done.key} was accepted for {done.digest} already")
    ctx.exit(0)
