"""`tapegate run`: the gate."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@options.SELECT
@options.PROJECT
@options.EVALS
@click.option("--profile", help="Gate profile. [default: pr; dev, which accepts a selection, when tasks are selected]")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for results and reports. [default: PROJECT/out]")
@options.JOBS
@click.option(
    "--order",
    type=click.Choice(["sorted", "reversed", "shuffled"]),
    default="sorted",
    show_default=True,
    help="Order in which trials run; no result depends on it.",
)
@click.option("--order-seed", type=int, default=0, show_default=True, help="What `--order shuffled` shuffles by.")
@click.option(
    "--pace",
    type=click.Choice(["at_once", "recorded"]),
    default="at_once",
    show_default=True,
    help="When replayed chunks come: without waiting, or each at its recorded time.",
)
@click.option("--shard", metavar="I/N", help="Run the I-th of N equal parts; `tapegate merge` joins them.")
@click.option(
    "--stale", type=click.Choice(["fail", "report"]), help="What stale recordings do. [default: the profile's]"
)
@click.option(
    "--fail-on",
    type=click.Choice(["needs_review", "not_ready"]),
    multiple=True,
    help="What fails the gate beside what the profile names. Repeat it for each.",
)
@click.option("--github", is_flag=True, help="Write the step summary, annotations and outputs of a workflow step.")
@click.option("--annotations/--no-annotations", default=True, help="With --github: annotate findings.")
@options.JSON
@options.QUIET
@click.pass_context
def run(ctx: click.Context, /, **words: object) -> None:
    """Replay the recordings of SELECT against the code here, judge what it does, and exit with the gate's code.

    SELECT is a task id, a key, a suite, a path id, a glob or a file; without it every task runs.
    """
    from tapegate.cli.gate import Gating, gate

    ctx.exit(gate(Gating(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
