"""What `tapegate gateway` does: serve one trial until it is told to stop, then give its account."""

from __future__ import annotations

import json
import shlex
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.cli.recording import PR_EVENTS
from tapegate.doors.current import Pace
from tapegate.errors import UsageError
from tapegate.load.select import select
from tapegate.load.suite import Suite, load_suite
from tapegate.model.task import Task
from tapegate.model.trace import Account
from tapegate.report.inert import log_safe


@dataclass(frozen=True, slots=True)
class Serving:
    """The words of one `tapegate gateway`."""

    key: str
    project: Path
    evals: Path
    trial: int
    record: bool
    source: str | None
    answer: Path | None
    pace: Pace
    as_json: bool


def serve(words: Serving, environ: Mapping[str, str]) -> int:
    """Serve until SIGINT or SIGTERM; returns the exit code. Raises TapegateError for what cannot be served."""
    suite = load_suite(words.project, words.project / words.evals)
    task = _one(suite, words.key)
    if words.record:
        if environ.get("GITHUB_EVENT_NAME", "") in PR_EVENTS:
            raise UsageError.of(
                "recording_in_pr",
                "nothing is recorded in an event of a pull request: its code must not reach a provider",
                fix="record on your own machine with your key",
            )
        return _record(words, suite, task)
    if words.source is not None or words.answer is not None:
        raise UsageError.of("not_recording", "--source and --answer say how to record; add --record")
    return _replay(words, suite, task)


def _one(suite: Suite, key: str) -> Task:
    found = select(suite, (key,), here=Path.cwd()).tasks
    if len(found) != 1:
        keys = ", ".join(task.key for task in found)
        raise UsageError.of("one_task", f"{key!r} is {len(found)} tasks ({keys}); a gateway serves one: name its key")
    return found[0]


def _replay(words: Serving, suite: Suite, task: Task) -> int:
    from tapegate.run.by_hand import replaying

    with _told_to_stop() as stop, replaying(suite, task, words.trial, words.pace) as served:
        _print(words, served.environment, f"replaying {task.key}, trial {words.trial}")
        stop.wait()
    account = served.account()
    if words.as_json:
        click.echo(json.dumps(_facts(account)))
    else:
        click.echo("\n".join(map(log_safe, _lines(account, len(served.cassette.interactions)))), err=True)
    return code_of(account)


def code_of(account: Account) -> int:
    """0 only where each recorded interaction was asked for as it was recorded, and nothing else was."""
    if account.network:
        return 1
    return 0 if account.complete and not account.alike else 4


def _record(words: Serving, suite: Suite, task: Task) -> int:
    from tapegate.run.by_hand import keep, recording
    from tapegate.run.source import ready

    with _told_to_stop() as stop, ready(suite, words.source or suite.config.default_source) as source:
        with recording(suite, task, source) as (environment, recorder):
            _print(words, environment, f"recording {task.key}, trial {words.trial}, from {source.name}")
            stop.wait()
        answer = _answer(words.answer)
        count = keep(suite, task, source, recorder, number=words.trial, answer=answer)
    said = {"recorded": count, "key": task.key, "trial": words.trial}
    if words.as_json:
        click.echo(json.dumps(said))
    else:
        click.echo(f"recorded {task.key}, trial {words.trial}: {count} interactions from {source.name}", err=True)
    return 0


def _answer(file: Path | None) -> bytes:
    try:
        return file.read_bytes() if file is not None else b""
    except OSError as error:
        raise UsageError.of(
            "no_answer", f"--answer {str(file)!r} cannot be read: {error.strerror}; nothing was written"
        ) from error


def _print(words: Serving, environment: Mapping[str, str], what: str) -> None:
    if words.as_json:
        click.echo(json.dumps({"environment": dict(environment)}))
    else:
        for name, value in environment.items():
            click.echo(f"export {name}={shlex.quote(value)}")
        click.echo(f"{what}. Start the agent with these variables; Ctrl-C ends.", err=True)


def _lines(account: Account, recorded: int) -> Iterator[str]:
    yield f"played {account.played} of {recorded} recorded interactions"
    for address in account.network:
        yield f"network: the agent reached for {address.address!r}, which is no declared service"
    for miss in account.misses:
        yield f"miss: {miss.method} {miss.path} of service {miss.service!r}\n{miss.explanation}"
    for place in account.alike:
        yield f"alike: interaction {place} was played for its conversation alone (`match: conversation`)"
    for left in account.unplayed:
        yield f"unplayed: interaction {left.index}, {left.method} {left.path} of service {left.service!r}"


def _facts(account: Account) -> dict[str, object]:
    return {
        "played": account.played,
        "misses": [
            {"service": one.service, "method": one.method, "path": one.path, "kind": one.kind, "why": one.explanation}
            for one in account.misses
        ],
        "unplayed": [
            {"index": one.index, "service": one.service, "method": one.method, "path": one.path}
            for one in account.unplayed
        ],
        "alike": list(account.alike),
        "network": [one.address for one in account.network],
    }


@contextmanager
def _told_to_stop() -> Iterator[threading.Event]:
    """Set by Ctrl-C and by SIGTERM, of which each ends the gateway well and neither leaves a traceback."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
