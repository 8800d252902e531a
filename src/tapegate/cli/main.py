"""The `tapegate` command: a table of commands, each imported only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from io import StringIO
from typing import Any, NoReturn

import click

from tapegate import __version__

COMMANDS = {
    "run": ("tapegate.cli.run:run", "Replay and judge: the gate."),
    "record": ("tapegate.cli.record:record", "Record tasks through a live provider or a stand-in."),
    "diff": ("tapegate.cli.diff:diff", "Compare two runs, projects or revisions: what changed, and is it worse?"),
    "report": ("tapegate.cli.report:report", "Render results again: terminal, markdown, html, junit, sarif."),
    "merge": ("tapegate.cli.merge:merge", "Join the parts of a run that jobs of a matrix ran."),
    "lint": ("tapegate.cli.lint:lint", "Hold evals, recordings and a change against the standard."),
    "accept": ("tapegate.cli.accept:accept", "Accept what a task did where it needs review, for exactly those bytes."),
    "gateway": ("tapegate.cli.gateway:gateway", "Replay or record for an agent that you start by hand."),
    "cassette": (
        "tapegate.cli.cassette:cassette",
        "Work with recordings: list, show, verify, pin, scan, import, diff.",
    ),
    "audit": ("tapegate.cli.audit:audit", "The weekly audit: a sampled judge beside the graders, and drift."),
    "rubric": ("tapegate.cli.rubric:rubric", "Score a file of samples by the rubric, without a suite."),
    "github": (
        "tapegate.cli.github:github",
        "For workflows: the comment, the base's results, the refresh pull request.",
    ),
    "metrics": ("tapegate.cli.metrics:metrics", "List the metrics, with their docs."),
    "init": ("tapegate.cli.init:init", "Write a first task, a config and workflows into a repository."),
    "doctor": ("tapegate.cli.doctor:doctor", "What on this machine would break a run."),
    "schema": ("tapegate.cli.schema:schema", "Print a JSON Schema: task, config, results or diff."),
}
"""Name → where the command stands, and its line in `--help`."""


class Commands(click.Group):
    """A group that knows its commands by the table above, so that `--help` and `--version` import none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command called `cmd_name`."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click's, with the nearest name when there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"There is no command {args[0]!r}.{hint} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without an import."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tapegate")
def cli() -> None:
    """Gate pull requests that change an LLM agent, by replaying recorded provider traffic.

    Exit codes: 0 the gate passed, 1 it failed, 2 bad input, 3 nothing or not everything could be judged,
    4 recordings are stale.
    """


def main() -> NoReturn:
    """Run the command line; every error ends in its own exit code, never in a traceback."""
    from tapegate.errors import TapegateError
    from tapegate.report.inert import log_safe

    try:
        code = cli(standalone_mode=False)
    except click.exceptions.Abort:
        code = 130
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        click.echo(log_safe(shown.getvalue()), err=True, nl=False)
        code = error.exit_code
    except TapegateError as error:
        click.echo(f"tapegate: {log_safe(str(error))}", err=True)
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        # An internal error must not look like a failed gate: it has an exit code of its own.
        if os.environ.get("TAPEGATE_DEBUG"):
            raise
        click.echo(
            f"tapegate: internal error: {type(error).__name__}: {log_safe(str(error))}\n"
            "    fix: this is a bug in Tapegate; run again with TAPEGATE_DEBUG=1 and report the traceback",
            err=True,
        )
        code = 3
    sys.exit(code or 0)
