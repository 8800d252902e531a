"""`tapegate cassette diff`: what a new recording changes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tapegate.cli import options
from tapegate.errors import UsageError

if TYPE_CHECKING:
    from tapegate.tape.cassette import Cassette, Interaction

PROTOCOLS = ("openai", "anthropic", "gemini", "bedrock")
"""Each tells its own calls by their path."""


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.JSON
@click.pass_context
def diff(ctx: click.Context, old: str, new: str, *, as_json: bool) -> None:
    """Show what differs between two recordings. Exit 1 where something does.

    OLD and NEW are files, or files of a git revision: `main:cassettes/s/RET-01@A1/trial-1.yaml`. Times and provenance
    are not compared.
    """
    from tapegate.report.inert import log_safe
    from tapegate.tape.contrast import contrast

    found = contrast(_cassette(old), _cassette(new), _said)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    for one in () if as_json else found:
        click.echo(log_safe(one.title))
        for line in one.lines:
            click.echo(log_safe(f"  {line}"))
    if not found and not as_json:
        click.echo("the same exchanges and the same answer")
    if found:
        ctx.exit(1)


def _said(interaction: Interaction) -> Any:
    """What a model answered, its ids and the cuts of its stream aside."""
    from tapegate.stream.provider import read_call

    request, response = interaction.request, interaction.response
    for protocol in PROTOCOLS:
        call = read_call(
            protocol,
            request.method,
            request.uri,
            response.status,
            request_headers=request.headers,
            request_body=request.body,
            response_headers=response.headers,
            response_body=response.body,
        )
        if call is not None and (call.text or call.tool_calls):
            tools = [{"name": tool.name, "arguments": tool.arguments} for tool in call.tool_calls]
            usage = asdict(call.usage) if call.usage is not None else {}
            return {"model": call.model, "finish": call.finish_reason, "text": call.text, "tools": tools, **usage}
    return None


def _cassette(name: str) -> Cassette:
    from tapegate.tape.read import read

    return read(_bytes(name), name)


def _bytes(name: str) -> bytes:
    path = Path(name)
    if path.is_file():
        return path.read_bytes()
    revision, colon, file = name.partition(":")
    if not colon or not revision or revision.startswith("-"):
        raise UsageError.of("no_recording", f"there is no file {name!r}", fix="name a file, or REVISION:FILE")
    try:
        shown = subprocess.run(["git", "show", f"{revision}:{file}"], capture_output=True, check=True)  # noqa: S603, S607
    except FileNotFoundError:
        raise UsageError.of("no_git", f"{name!r} names a git revision, and there is no git here") from None
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode("utf-8", "replace").strip()
        raise UsageError.of(
            "no_recording", f"git has no {name!r}: {why}", fix="name a file, or REVISION:FILE"
        ) from None
    return shown.stdout
