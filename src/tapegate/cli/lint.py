"""`tapegate lint`: tasks, config, recordings and pins checked before anything runs."""

from __future__ import annotations

from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@options.PROJECT
@options.EVALS
@options.JSON
@options.QUIET
@click.pass_context
def lint(ctx: click.Context, project: Path, evals: Path, *, as_json: bool, quiet: bool) -> None:
    """Check tasks, config, recordings and pins. Exit 0 clean, 1 with findings, 2 when something cannot be read."""
    from tapegate.standard import render
    from tapegate.standard.lint import lint as check

    report = check(project, project / evals)
    if as_json:
        click.echo(render.as_json(report), nl=False)
    elif not quiet or report.exit_code:
        click.echo(render.text(report), nl=False)
    ctx.exit(report.exit_code)
