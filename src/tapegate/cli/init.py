"""`tapegate init`: a first task, a config and workflows for a repository that has none."""

from __future__ import annotations

import click

from tapegate.cli import options


@click.command()
@options.PROJECT
@click.option(
    "--entry",
    default="agent:answer",
    show_default=True,
    metavar="MODULE:CALLABLE",
    help="The agent, a Python callable.",
)
@click.option("--argument", default="input", show_default=True, help="The callable's parameter that takes the input.")
@click.option("--files", multiple=True, help="Files that make the agent. Repeat it. [default: the module of --entry]")
@click.option("--github", is_flag=True, help="Write workflows for GitHub Actions too.")
@click.option(
    "--action",
    metavar="OWNER/NAME@SHA",
    help="The action that the workflows use, by its whole commit. [default: the one that this Tapegate is]",
)
@click.option("--install", default="", help="Command that installs what the agent needs, for the workflows.")
@click.pass_context
def init(ctx: click.Context, /, **words: object) -> None:
    """Write evals/tapegate.yaml, a first task and .gitattributes; with --github also workflows, each action by its SHA.

    What is there already is kept and named: nothing is written over.
    """
    from tapegate.cli.starting import Starting, start

    ctx.exit(start(Starting(**words)))  # type: ignore[arg-type]  # click parsed each word to its type
