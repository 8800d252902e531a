"""`tapegate record`: record tasks through a live provider or a stand-in."""

from __future__ import annotations

import os

import click

from tapegate.cli import options


@click.command()
@options.SELECT
@options.PROJECT
@options.EVALS
@click.option("--missing", "which", flag_value="missing", help="Record the trials that have no recording.")
@click.option(
    "--stale", "which", flag_value="stale", help="Record those, and the trials that the code has left behind."
)
@click.option("--all", "which", flag_value="all", help="Record every trial anew.")
@click.option("--source", help="What to record from, as `sources` declares it. [default: the config's, or live]")
@click.option("--trials", type=click.IntRange(1, 20), help="Trials of each task. [default: what the task says]")
@options.QUIET
@click.pass_context
def record(ctx: click.Context, /, **words: object) -> None:
    """Record SELECT, or every task, and pin what was recorded. Exactly one of --missing, --stale and --all is needed.

    Keys stay with the gateway: the agent gets a placeholder, and no cassette holds one. A recording that breaks off
    writes nothing.
    """
    from tapegate.cli.recording import Recording, record_tasks

    ctx.exit(record_tasks(Recording(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
