"""`tapegate metrics`: the metrics that a project has, with their docs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tapegate.cli import options


@click.command()
@options.PROJECT
@options.EVALS
@options.JSON
@click.option("--page", is_flag=True, help="Print the docs page of the built-in metrics, in Markdown.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def metrics(names: tuple[str, ...], project: Path, evals: Path, *, as_json: bool, page: bool) -> None:
    """List the metrics that tasks of this project may declare, its own and those of installed packages among them.

    With a NAME, print what that metric checks, why it is deterministic, and where it may be wrong.
    """
    from tapegate.oracles.catalog import CATALOG, metric
    from tapegate.oracles.manual import manual
    from tapegate.oracles.page import page as whole_page
    from tapegate.oracles.plugins import catalog_of

    if page:
        click.echo(whole_page(CATALOG), nl=False)
        return
    catalog = catalog_of(project, project / evals)
    chosen = [metric(name, catalog) for name in names] if names else catalog
    if as_json:
        rows = [
            {"name": oracle.name, "version": oracle.version, "doc": "\n\n".join(_doc(manual(oracle)))}
            for oracle in chosen
        ]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for oracle in chosen:
        sections = manual(oracle)
        if names:
            click.echo(f"{oracle.name} {oracle.version}\n\n" + "\n\n".join(_doc(sections)) + "\n")
        else:
            click.echo(f"{oracle.name:24} {oracle.version:>2}  {' '.join(sections[''].split())}")


def _doc(sections: dict[str, str]) -> list[str]:
    """The docstring again, each section under its title."""
    return [f"{title}\n{'-' * len(title)}\n{text}" if title else text for title, text in sections.items()]
