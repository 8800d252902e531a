"""`tapegate report`: results that are there, rendered again."""

from __future__ import annotations

from pathlib import Path

import click

from tapegate.cli import options

FORMATS = ("terminal", "json", "markdown", "comment", "html", "junit", "sarif", "github")


@click.command()
@click.argument("results", type=click.Path(exists=True, path_type=Path), metavar="DIR")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="terminal", show_default=True, help="What to make."
)
@click.option(
    "--base", type=click.Path(exists=True, path_type=Path), help="Results to compare with, for what compares."
)
@click.option(
    "--history",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Earlier results, the oldest first, for html. Repeat it for each.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. [default: standard output]"
)
@options.PROJECT
@click.pass_context
def report(ctx: click.Context, /, **words: object) -> None:
    """Render the results in DIR, or the results.json that it is, without running anything.

    `results.json` alone is enough. What lies beside it is used where it is there: diff.json (or --base) for what
    compares, traces and the project's recordings for the conversations in html.
    """
    from tapegate.cli.rendering import Rendering, render

    ctx.exit(render(Rendering(**words)))  # type: ignore[arg-type]  # click parsed each word to its type
