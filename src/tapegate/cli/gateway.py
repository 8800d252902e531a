"""`tapegate gateway`: the replay or record server alone, for an agent started by hand."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@click.argument("key")
@options.PROJECT
@options.EVALS
@click.option("--trial", type=click.IntRange(min=1), default=1, show_default=True, help="Which recording.")
@click.option("--record", is_flag=True, help="Record that trial anew, in place of replaying it.")
@click.option("--source", help="What to record from. [default: the config's, or live]")
@click.option(
    "--answer",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file in which the agent's own answer lies at the end; kept with the recording.",
)
@click.option("--pace", type=click.Choice(["at_once", "recorded"]), default="at_once", show_default=True)
@options.JSON
@click.pass_context
def gateway(ctx: click.Context, /, **words: object) -> None:
    """Serve the recording of task KEY until Ctrl-C, and say then what was played and what was missed.

    Printed are the variables to start the agent with, as lines for a shell. Exit codes: 0 all that was recorded was
    asked for and nothing else; 1 the agent reached for something that is no service; 4 a request had no recording,
    or a recording was not asked for.
    """
    from tapegate.cli.serving import Serving, serve

    ctx.exit(serve(Serving(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
