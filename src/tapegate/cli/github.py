"""`tapegate github`: what a workflow asks GitHub for, each in a step of its own that runs no code of an agent."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tapegate.cli import options

MODES = ("auto", "always", "changes", "off")
_SUITE = click.option(
    "--suite", default="evals", show_default=True, help="Which of a repository's gates it is of; each has its own."
)


@click.group()
def github() -> None:
    """What workflows ask GitHub for: the comment, the base's results, the refresh pull request.

    The token comes in the variable GITHUB_TOKEN. No verdict depends on any of it.
    """


@github.command()
@click.argument("report", type=click.Path(path_type=Path), required=False)
@_SUITE
@click.option("--artifact", help="Name of the artifact, where REPORT is fetched. [default: the suite's]")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="When a comment is made.")
@click.pass_context
def comment(ctx: click.Context, /, **words: object) -> None:
    """Put the one comment of a suite on its pull request, or keep it up to date.

    REPORT is the folder or the zip that a gate left. In a `workflow_run` event it is fetched where it is not given, and
    nothing in it is believed but by its schema. Exits with 0 also where GitHub refuses: that costs the comment alone.
    """
    from tapegate.cli.commenting import Commenting, comment_on

    ctx.exit(comment_on(Commenting(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type


@github.command()
@click.argument("sha")
@_SUITE
@click.option("--artifact", help="Name of the artifact. [default: the suite's]")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="New folder for the results.")
@click.pass_context
def baseline(ctx: click.Context, /, **words: object) -> None:
    """Fetch the results that the repository's own run of the commit SHA has kept, for `tapegate diff`.

    Exits with 3 where there are none, or none that may be compared with; standard error says why.
    """
    from tapegate.cli.fetching import Fetching, fetch

    ctx.exit(fetch(Fetching(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type


@github.command()
@options.PROJECT
@click.option("--path", "paths", multiple=True, help="What is committed; repeat it for each. [default: cassettes]")
@click.option("--branch", default="tapegate/refresh", show_default=True, help="The one branch of it.")
@click.option("--base", help="Branch that it is for. [default: the one that the workflow runs on]")
@click.option("--title", default="Refresh the recordings", show_default=True, help="Of a pull request that is opened.")
@click.option(
    "--results",
    type=click.Path(exists=True, path_type=Path),
    help="What `tapegate diff --out` left, or `tapegate run`.",
)
@click.option("--audit", type=click.Path(exists=True, path_type=Path), help="What `tapegate audit --out` left.")
@click.option("--gate", default="", help="Workflow file to dispatch where the token's own pushes start no checks.")
@click.option("--remote", help="Address to push to. [default: the workflow's repository]")
@click.pass_context
def refresh(ctx: click.Context, /, **words: object) -> None:
    """Bring what was recorded anew into one pull request, opened or updated, with what it changes as its description.

    Give an App's token in GITHUB_TOKEN so that its checks start by themselves; with the job's own, --gate starts them.
    Exits with 3 where GitHub refuses, and says what to set.
    """
    from tapegate.cli.refreshing import Refreshing, refresh_recordings

    ctx.exit(refresh_recordings(Refreshing(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word
