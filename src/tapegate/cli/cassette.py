"""`tapegate cassette`: work with recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from tapegate.cli import options
from tapegate.cli.cassette_diff import diff
from tapegate.cli.cassette_import import import_
from tapegate.cli.cassette_scan import scan
from tapegate.errors import CassetteError, UsageError
from tapegate.report.inert import log_safe
from tapegate.tape import store, verify

KEY = click.argument("key", metavar="KEY")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cassette() -> None:
    """Work with recordings."""


for command in (import_, scan, diff):
    cassette.add_command(command)


@cassette.command("list")
@options.PROJECT
@options.JSON
def list_(project: Path, *, as_json: bool) -> None:
    """List every recording: what recorded it, from which commit, how large it is."""
    entries = verify.entries(project.resolve())
    if as_json:
        click.echo(json.dumps([_entry(entry) for entry in entries], indent=2))
        return
    if not entries:
        click.echo("no recordings: `tapegate record --missing` makes them")
        return
    click.echo(_table(entries), nl=False)


@cassette.command()
@KEY
@click.option("--trial", type=click.IntRange(min=1), default=1, show_default=True, help="Trial to show.")
@options.PROJECT
@options.JSON
def show(key: str, trial: int, project: Path, *, as_json: bool) -> None:
    """Show one recording: its provenance, every interaction, and the answer that was recorded with it."""
    suite = _suite_of(project, key)
    loaded = store.load(project.resolve(), suite, key, trial)
    rows = [_interaction(number, loaded) for number in range(len(loaded.cassette.interactions))]
    made = loaded.cassette.provenance
    facts = {
        "file": loaded.file,
        "sha256": loaded.sha256,
        "source": f"{made.source} ({made.source_kind}): {made.source_description}",
        "recorded_at": made.recorded_at,
        "commit": made.commit,
        "machine": made.machine,
        "recorder": made.recorder,
        "answer": f"{loaded.cassette.stream.dialect}, {len(loaded.cassette.stream.body):,} bytes",
    }
    if as_json:
        click.echo(json.dumps({**facts, "interactions": rows}, indent=2))
        return
    for name, value in facts.items():
        click.echo(f"{name:12} {log_safe(value)}")
    for number, row in enumerate(rows, 1):
        click.echo(
            f"{number:>3}. {row['method']} {log_safe(row['uri'])} → {row['status']}, {row['bytes']:,} bytes, "
            + (f"in {row['chunks']} chunks, {row['ms']} ms, {row['ended']}" if loaded.cassette.timed else "untimed")
        )


@cassette.command("verify")
@options.PROJECT
@click.pass_context
def verify_(ctx: click.Context, project: Path) -> None:
    """Hold every recording against its pins and search it for secrets.

    Exit 0 where each is what its pin says and holds none, else 2.
    """
    problems = verify.verify(project.resolve())
    for problem in problems:
        click.echo(str(problem), err=True)
    if problems:
        ctx.exit(CassetteError.exit_code)
    count = len(verify.entries(project.resolve()))
    if not count:
        raise CassetteError.of(
            "no_recordings",
            f"{str(project / 'cassettes')!r} holds no recording: nothing was verified",
            fix="run it in the project's root, or name that with -C; `tapegate record --missing` makes recordings",
        )
    click.echo(f"{count} {'recording agrees with its pin' if count == 1 else 'recordings agree with their pins'}")


@cassette.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
@options.PROJECT
def pin(keys: tuple[str, ...], project: Path) -> None:
    """Derive the pins of each KEY again from the recordings that lie there.

    For a person who knows why a recording changed: from here on, it is what replays.
    """
    for key in keys:
        pins = store.repin(project.resolve(), _suite_of(project, key), key)
        click.echo(f"pinned {key}: {', '.join(sorted(pins.cassettes))}")


def _suite_of(project: Path, key: str) -> str:
    """The suite whose recordings hold `key`. Raises UsageError where none or several do."""
    places = verify.places(project.resolve())
    found = sorted(place.suite for place in places if place.key == key)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError.of("ambiguous_key", f"{key!r} is recorded in the suites {', '.join(found)}")
    known = ", ".join(sorted(place.key for place in places)[:20]) or "nothing"
    raise UsageError.of(
        "unknown_key", f"nothing is recorded under {key!r}; recorded is {known}", fix=f"tapegate record {key} --missing"
    )


def _interaction(number: int, loaded: store.Loaded) -> dict[str, Any]:
    interaction = loaded.cassette.interactions[number]
    chunks = interaction.chunks
    return {
        "service": interaction.service,
        "method": interaction.request.method,
        "uri": interaction.request.uri,
        "status": interaction.response.status,
        "bytes": len(interaction.response.body),
        "chunks": len(chunks.sizes),
        "ms": -(-(chunks.ended_us - chunks.started_us) // 1000) if loaded.cassette.timed else None,
        "ended": chunks.ended,
        "redacted": interaction.redacted,
    }


def _entry(entry: verify.Entry) -> dict[str, Any]:
    return {
        "suite": entry.suite,
        "key": entry.key,
        "trial": entry.trial,
        "file": entry.file,
        "present": entry.present,
        "pin": entry.pin.model_dump(mode="json") if entry.pin is not None else None,
    }


def _table(entries: list[verify.Entry]) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("recording", "source", "model", "recorded", "commit"):
        table.add_column(name, no_wrap=name != "model")
    for name in ("calls", "bytes"):
        table.add_column(name, justify="right", no_wrap=True)
    for entry in entries:
        name = f"{entry.key} trial {entry.trial}"
        if entry.pin is None:
            table.add_row(Text(name), "not pinned")
            continue
        models = ", ".join(sorted({model.resolved or model.requested or "?" for model in entry.pin.models})) or "–"
        table.add_row(
            Text(name),
            Text(f"{entry.pin.source} ({entry.pin.source_kind})" if entry.present else "file is gone"),
            Text(log_safe(models)),
            entry.pin.recorded_at,
            _short(entry.pin.commit),
            f"{entry.pin.interactions:,}",
            f"{entry.pin.bytes:,}",
        )
    out = StringIO()
    Console(
        file=out, width=options.columns(), highlight=False, color_system="standard" if options.colored() else None
    ).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _short(commit: str) -> str:
    """A commit as a column has room for it; that the work tree differed from it is part of what it says."""
    sha, dirty, _ = commit.partition("+dirty")
    return sha[:12] + dirty
