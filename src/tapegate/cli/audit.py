"""`tapegate audit`: the weekly audit."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@options.PROJECT
@options.EVALS
@click.option("--week", help="ISO week, 2026-W47. [default: the newest recorded one; with --record, this week]")
@click.option("--record", is_flag=True, help="Ask the judge now, and record what it says.")
@click.option("--fresh", is_flag=True, help="Record the sampled tasks anew as well, to compare; nothing of it is kept.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the reports. [default: PROJECT/out]")
@options.JSON
@options.QUIET
@click.pass_context
def audit(ctx: click.Context, /, **words: object) -> None:
    """Put a sample of the answers (15 % of the tasks at the most) before the pinned judge, beside the deterministic
    graders, and tell how old the recordings are.

    Without --record the judge is replayed from a recorded week. Writes audit.json, audit.md and audit.html. The exit
    code says whether the audit could be made, and never depends on what the judge says: 0 it was made, 2 bad input,
    3 it could not be made here, 4 the week is not recorded.
    """
    from tapegate.cli.auditing import Auditing, run_audit

    ctx.exit(run_audit(Auditing(**words), os.environ))  # type: ignore[arg-type]  # click parsed each word to its type
