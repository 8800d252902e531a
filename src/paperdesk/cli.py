"""The command line: `paperdesk serve | ask | ingest | find | query | sync-preferences | init | export-sql`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from paperdesk import database, hint, stream
from paperdesk.settings import Settings, SettingsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code (0 done, 1 the answer failed, 2 it could not start)."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options, Settings.from_env(os.environ)))
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (SettingsError, database.DatabaseError, hint.NoNode, OSError) as error:
        print(f"paperdesk: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="paperdesk", description="A research assistant on your own papers.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="the chat page, and the service behind it")
    serve.set_defaults(run=_serve)
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=_port, default=8000, help="0 takes a free one (default: %(default)s)")

    ask = commands.add_parser("ask", help="answer one question here")
    ask.set_defaults(run=_ask)
    ask.add_argument("question", help="- reads it from standard input")
    ask.add_argument("--as-page", action="store_true", help="send what the chat page would send (needs Node)")
    ask.add_argument("--lines", action="store_true", help="print the lines of the stream as they are")

    ingest = commands.add_parser("ingest", help="put papers into the library")
    ingest.set_defaults(run=_ingest)
    ingest.add_argument("files", nargs="+", type=Path, metavar="FILE", help="text, Markdown or PDF")

    find = commands.add_parser("find", help="passages of the library that answer a question, as the critic judges")
    find.set_defaults(run=_find)
    find.add_argument("question")

    query = commands.add_parser("query", help="answer from passages found by graph and vectors")
    query.set_defaults(run=_query)
    query.add_argument("question")
    query.add_argument("--mode", default="", help="naive, local, global or hybrid (the default)")
    query.add_argument("--json", action="store_true", help="print the whole response")

    sync = commands.add_parser("sync-preferences", help="sum up what you prefer, from what you have said")
    sync.set_defaults(run=_sync)

    init = commands.add_parser("init", help="build the library from the bundled papers")
    init.set_defaults(run=_init)

    export = commands.add_parser("export-sql", help="print the library as SQL")
    export.set_defaults(run=_export)
    export.add_argument("database", nargs="?", type=Path, help="default: the library that PAPERDESK_DB names")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: expected 0 to 65535")
    return int(text)


# What a command needs is imported when it runs: the provider's SDK takes most of a second.


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    from paperdesk import app, loopback

    database.connect(settings.database).close()
    loopback.serve(app.create_app(settings), options.host, options.port, "paperdesk")
    return 0


def _ask(options: argparse.Namespace, _: Settings) -> int:
    from paperdesk import chat

    question = sys.stdin.read() if options.question == "-" else options.question
    lines = chat.ask(hint.added(question) if options.as_page else question)
    return _print(lines, raw=options.lines)


def _ingest(options: argparse.Namespace, _: Settings) -> int:
    from paperdesk import ingest

    failed = False
    for line in ingest.ingest("\n".join(str(file.absolute()) for file in options.files)):
        kind, value = stream.parse(line)
        if kind == "data" and value["type"] == "ingested":
            note = " (described by rule: the model's answer was of no use)" if value["origin"] == "fallback" else ""
            print(f"{value['status']} {value['id']}: {value['title']}{note}", flush=True)
        failed |= _told(kind, value)
    return int(failed)


def _find(options: argparse.Namespace, _: Settings) -> int:
    from paperdesk.rag import retriever

    return _print(retriever.find(options.question))


def _query(options: argparse.Namespace, _: Settings) -> int:
    from paperdesk.rag import query

    return _print((query.respond if options.json else query.ask)(options.question, options.mode))


def _sync(_: argparse.Namespace, __: Settings) -> int:
    from paperdesk import preference_sync

    return _print(preference_sync.sync())


def _print(lines: Iterable[str], *, raw: bool = False) -> int:
    failed = False
    for line in lines:
        kind, value = stream.parse(line)
        failed |= _told(kind, value)
        if raw:
            print(line, end="", flush=True)
        elif kind == "0":
            print(value, end="", flush=True)
        elif kind == "data" and "status" in value:
            print(f"\n({value['status'].replace('_', ' ')})", end="")
    if not raw:
        print()
    return int(failed)


def _told(kind: str, value: dict[str, str]) -> bool:
    """Whether a line is an error, which is then told."""
    if kind != "data" or value["type"] != "error":
        return False
    print(f"paperdesk: {value['message']}", file=sys.stderr)
    return True


def _init(_: argparse.Namespace, settings: Settings) -> int:
    if settings.database.exists():
        print(f"paperdesk: {settings.database} exists already; it stays as it is", file=sys.stderr)
        return 2
    database.connect(settings.database).close()
    print(f"built {settings.database}")
    return 0


def _export(options: argparse.Namespace, settings: Settings) -> int:
    path = options.database or settings.database
    if not path.exists():
        raise database.DatabaseError(f"there is no library {str(path)!r}; `paperdesk init` builds one")
    with closing(database.connect(path)) as connection:
        for statement in database.export(connection):
            print(statement)
    return 0
