"""`tapegate record`: record tasks through a live provider or a stand-in."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from tapegate.cli import options


class Dollars(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.5 on
    """An amount in US dollars, kept as it was written: no float makes another of it."""

    name = "USD"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The amount. Fails for anything but a decimal."""
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", value):
            self.fail(f"{value!r} is no amount in US dollars; expected a decimal like 2.50", param, ctx)
        return value


@click.command()
@options.SELECT
@options.PROJECT
@options.EVALS
@click.option("--missing", is_flag=True, help="Record the trials that have no recording.")
@click.option("--stale", is_flag=True, help="Record those, and the trials that the code has left behind.")
@click.option("--all", is_flag=True, help="Record every trial anew.")
@click.option("--source", help="What to record from, as `sources` declares it. [default: the config's, or live]")
@click.option("--trials", type=click.IntRange(1, 20), help="Trials of each task. [default: what the task says]")
@click.option(
    "--max-cost",
    "cap_usd",
    metavar="USD",
    type=Dollars(),
    help="Stop before a task once so much is spent, by the prices that the project pins.",
)
@click.option(
    "--services-of",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="PROJECT",
    help="Refuse where that project declares other services or sources: for code that is not trusted with a key.",
)
@options.QUIET
@click.pass_context
def record(ctx: click.Context, /, **words: object) -> None:
    """Record SELECT, or every task, and pin what was recorded. Exactly one of --missing, --stale and --all is needed.

    Keys stay with the gateway: the agent gets a placeholder, and no cassette holds one. A recording that breaks off
    writes nothing.
    """
    from tapegate.cli.recording import Recording, record_tasks

    which = tuple(name for name in ("missing", "stale", "all") if words.pop(name))
    words["which"] = which[0] if len(which) == 1 else None
    ctx.exit(record_tasks(Recording(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
