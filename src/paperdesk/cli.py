"""`paperdesk serve | ask | sync-preferences | init | export-sql`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from paperdesk import chat, database, hint, preference_sync, stream
from paperdesk.settings import Settings, SettingsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code (0 done, 1 the answer failed, 2 it could not start)."""
    parser = argparse.ArgumentParser(prog="paperdesk", description="A research assistant on your own papers.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="answer over HTTP")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000, help="0 takes a free one (default: %(default)s)")
    ask = commands.add_parser("ask", help="answer one question here")
    ask.add_argument("question", help="- reads it from standard input")
    ask.add_argument("--as-page", action="store_true", help="send what the chat page would send (needs Node)")
    ask.add_argument("--lines", action="store_true", help="print the lines of the stream as they are")
    commands.add_parser("sync-preferences", help="sum up what you prefer, from what you have said")
    commands.add_parser("init", help="build the library from the bundled papers")
    export = commands.add_parser("export-sql", help="print the library as SQL")
    export.add_argument("database", nargs="?", type=Path, help="default: the library that PAPERDESK_DB names")
    options = parser.parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
        if options.command == "serve":
            return _serve(settings, options.host, options.port)
        if options.command == "ask":
            return _ask(options)
        if options.command == "sync-preferences":
            return _print_text(preference_sync.sync())
        if options.command == "init":
            return _init(settings)
        return _export(options.database or settings.database)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (SettingsError, database.DatabaseError, hint.NoNode, OSError) as error:
        print(f"paperdesk: {error}", file=sys.stderr)
        return 2


def _serve(settings: Settings, host: str, port: int) -> int:
    from paperdesk import app, loopback

    database.connect(settings.database).close()
    loopback.serve(app.create_app(settings), host, port, "paperdesk")
    return 0


def _ask(options: argparse.Namespace) -> int:
    question = sys.stdin.read() if options.question == "-" else options.question
    lines = chat.ask(hint.added(question) if options.as_page else question)
    return _print_lines(lines) if options.lines else _print_text(lines)


def _print_lines(lines: Iterable[str]) -> int:
    for line in lines:
        sys.stdout.write(line)
        sys.stdout.flush()
    return 0


def _print_text(lines: Iterable[str]) -> int:
    failed = False
    for line in lines:
        kind, value = stream.parse(line)
        if kind == "0":
            print(value, end="", flush=True)
        elif kind == "data" and value["type"] == "error":
            failed = True
            print(f"paperdesk: {value['message']}", file=sys.stderr)
        elif kind == "data" and "status" in value:
            print(f"\n({value['status'].replace('_', ' ')})", end="")
    print()
    return int(failed)


def _init(settings: Settings) -> int:
    if settings.database.exists():
        print(f"paperdesk: {settings.database} exists already; it stays as it is", file=sys.stderr)
        return 2
    database.connect(settings.database).close()
    print(f"built {settings.database}")
    return 0


def _export(path: Path) -> int:
    if not path.exists():
        raise database.DatabaseError(f"there is no library {str(path)!r}; `paperdesk init` builds one")
    with closing(database.connect(path)) as connection:
        for statement in database.export(connection):
            print(statement)
    return 0
