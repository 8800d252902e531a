"""`tapegate merge`: the parts of a run as the whole that they are."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@click.argument("parts", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the whole run.")
@options.PROJECT
@options.EVALS
@click.option("--github", is_flag=True, help="Write the step summary, annotations and outputs of a workflow step.")
@click.option("--annotations/--no-annotations", default=True, help="With --github: annotate findings.")
@options.JSON
@options.QUIET
@click.pass_context
def merge(ctx: click.Context, /, **words: object) -> None:
    """Join the folders that `tapegate run --shard 1/N` to `N/N` wrote, and exit with the gate's code over all of them.

    Each DIR is such a folder, or holds them. The joined results are byte for byte those of the run in one piece. Exit 2
    where a part is missing, is there twice, or is of another commit, config, selection or profile.
    """
    from tapegate.cli.merging import Merging, merge_parts

    ctx.exit(merge_parts(Merging(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
