"""`tapegate lint`: tasks, config, recordings and pins checked before anything runs, and a change against its base."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from tapegate.cli import options

if TYPE_CHECKING:
    from tapegate.standard.base import Base
    from tapegate.standard.finding import LintReport

FORMATS = ("text", "json", "sarif", "github", "markdown")


@click.command()
@options.PROJECT
@options.EVALS
@click.option("--against", metavar="REV", help="Check the change since this branch, tag or commit, too.")
@click.option(
    "--base-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Like --against, with a folder that holds the base's files: where there is no git.",
)
@click.option(
    "--message",
    type=click.File(encoding="utf-8"),
    help="A text that may say why, as commit messages may: of a commit-msg hook, or - for standard input.",
)
@click.option("--fix", is_flag=True, help="Put right what needs no decision first.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How findings are printed. github: annotations, and the checklist in the step's summary.",
)
@options.JSON
@options.QUIET
@click.pass_context
def lint(
    ctx: click.Context,
    project: Path,
    evals: Path,
    *,
    against: str | None,
    base_dir: Path | None,
    message: TextIO | None,
    fix: bool,
    form: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check tasks, config, recordings, pins and changes. Exit 0 clean, 1 with findings, 2 when something is unreadable.

    With --against or --base-dir it also answers the standard's checklist for the change; exit 3 where git cannot tell.
    """
    # A short life with a million small objects that hold no cycles: collecting them takes a third of it, for nothing.
    gc.disable()
    from tapegate.github.description import description
    from tapegate.standard.fix import fix as put_right
    from tapegate.standard.lint import lint as check

    if against is not None and base_dir is not None:
        raise click.UsageError("--against and --base-dir both name a base; give one of them.")
    folder = project / evals
    fixed = put_right(project, folder) if fix else ()
    said = [description(os.environ), *([message.read()] if message is not None else [])]
    base = _base(project, against, base_dir)
    report = replace(check(project, folder, base=base, described=said), fixed=fixed)
    _print(report, "json" if as_json else form, project, quiet=quiet)
    ctx.exit(report.exit_code)


def _base(project: Path, against: str | None, folder: Path | None) -> Base | None:
    from tapegate.standard.base import CommitBase, FolderBase

    if against is not None:
        return CommitBase.of(project, against)
    return FolderBase.of(project, folder) if folder is not None else None


def _print(report: LintReport, form: str, project: Path, *, quiet: bool) -> None:
    from tapegate.github.step import prefix
    from tapegate.standard import render

    if form == "json":
        click.echo(render.as_json(report), nl=False)
    elif form == "markdown":
        click.echo(render.markdown(report), nl=False)
    elif form == "sarif":
        from tapegate.standard.sarif import sarif

        click.echo(sarif(report, prefix(project, os.environ)), nl=False)
    elif form == "github":
        _annotate(report, prefix(project, os.environ))
    elif not quiet or report.exit_code:
        click.echo(render.text(report), nl=False)


def _annotate(report: LintReport, prefix: str) -> None:
    from tapegate.github.annotations import of_problems
    from tapegate.model.problem import Problem
    from tapegate.report.inert import log_safe
    from tapegate.standard import render

    kinds: dict[str, list[Problem]] = {"error": [], "notice": []}
    for found in sorted(report.findings, key=lambda found: found.severity != "unreadable"):
        kind = "notice" if found.severity == "note" else "error"
        kinds[kind].append(Problem(found.id, found.message, found.file, found.line, fix=found.fix or None))
    for kind, problems in kinds.items():
        for command in of_problems(problems, prefix, kind):
            click.echo(command)
    click.echo(log_safe(render.summary(report)))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with suppress(OSError), Path(summary).open("a", encoding="utf-8") as file:
            file.write(render.markdown(report))
