"""Options that several commands take, each declared once."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from tapegate.run.cores import cores

PROJECT = click.option(
    "--project",
    "-C",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The project's root. [default: the current folder]",
)
EVALS = click.option(
    "--evals", type=click.Path(path_type=Path), default=Path("evals"), show_default=True, help="Folder of the tasks."
)
CASSETTES = click.option(
    "--cassettes",
    type=click.Path(path_type=Path),
    default=Path("cassettes"),
    show_default=True,
    help="Folder of the recordings.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")
QUIET = click.option("--quiet", "-q", is_flag=True, help="Print errors only.")


def jobs() -> int:
    """Trials at a time where nobody says how many: one a core and one more, as trials wait too; eight at the most."""
    return min(8, cores() + 1)


JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=jobs,
    show_default="one a core, and one more",
    help="Trials at a time.",
)
SELECT = click.argument("select", nargs=-1, metavar="[SELECT]...")


def colored() -> bool:
    """Whether to print in color: on a terminal, unless `NO_COLOR` is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def columns() -> int:
    """Width of the terminal; 120 where there is none."""
    return shutil.get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 120
