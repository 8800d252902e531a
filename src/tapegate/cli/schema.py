"""`tapegate schema`: the JSON Schemas of what Tapegate reads and writes."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("name", type=click.Choice(["task", "config", "results", "diff"]))
def schema(name: str) -> None:
    """Print the JSON Schema (draft 2020-12) of NAME: an editor that knows it completes and checks what you write."""
    if name == "results":
        from tapegate.report.results import json_schema

        document = json_schema()
    elif name == "diff":
        from tapegate.report import diff_file

        document = diff_file.json_schema()
    else:
        from tapegate.load.schema import config_schema, task_schema

        document = task_schema() if name == "task" else config_schema()
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
