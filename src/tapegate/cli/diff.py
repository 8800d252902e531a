"""`tapegate diff`: what changed, and is it worse?"""

from __future__ import annotations

from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@click.argument("base")
@click.argument("head")
@options.PROJECT
@options.EVALS
@click.option("--profile", help="Gate profile of sides that are run. [default: pr]")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for diff.json, comment.md and what sides leave.")
@options.JOBS
@options.JSON
@options.QUIET
@click.pass_context
def diff(ctx: click.Context, /, **words: object) -> None:
    """Compare HEAD with BASE, and exit 1 where it became worse.

    Each is a folder that `tapegate run --out` wrote, a results.json, the folder of a project, or a git revision. A
    project is run where it stands and a revision in a worktree of its own, each with its own code, evals and
    recordings; what was recorded before is judged again by this version of Tapegate. Exit 3 where a side cannot be run.
    """
    from tapegate.cli.comparison import Comparing, compare_sides

    ctx.exit(compare_sides(Comparing(**words)))  # type: ignore[arg-type]  # click parsed each word to its type
