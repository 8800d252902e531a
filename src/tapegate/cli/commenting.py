"""What `tapegate github comment` does: read a report, find its pull request, put the comment there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.errors import GitHubError, TapegateError, UsageError
from tapegate.github import pull_comment
from tapegate.github.artifact_name import artifact_name
from tapegate.github.claim import claimed
from tapegate.github.client import Client
from tapegate.github.event import Event
from tapegate.github.evidence import Evidence
from tapegate.github.install import output
from tapegate.github.marker import Marker
from tapegate.github.place import Place
from tapegate.github.reply import WorkflowRun
from tapegate.github.source_pull import source_pull
from tapegate.github.sticky import Put
from tapegate.github.untrusted import Untrusted
from tapegate.github.upload import upload
from tapegate.report.inert import log_safe


@dataclass(frozen=True, slots=True)
class Commenting:
    """The words of one `tapegate github comment`."""

    report: Path | None
    suite: str
    artifact: str | None
    mode: pull_comment.Mode
    unjudged: str = ""
    """Why a run has no report; a comment that an earlier one left then says that."""


def comment_on(words: Commenting, environ: Mapping[str, str]) -> int:
    """Put the comment; returns 0 whatever became of it, since nothing but the comment depends on it."""
    event = Event.of(environ)
    try:
        put = _put(words, event, environ)
    except TapegateError as error:
        _notice(error)
        return 0
    except Exception as error:
        # A fault of ours costs the comment too, and nothing else.
        if environ.get("TAPEGATE_DEBUG"):
            raise
        why = f"an internal error, {type(error).__name__}: {error}"
        _notice(TapegateError.of("internal", why, fix="run it again with TAPEGATE_DEBUG=1 and report the traceback"))
        return 0
    _say(f"comment: {put.state}{f' {put.url}' if put.url else ''}")
    with suppress(OSError):
        output(environ, "comment-url", put.url)
    return 0


def _put(words: Commenting, event: Event, environ: Mapping[str, str]) -> Put:
    if words.mode == "off" or (event.name != "workflow_run" and (event.number is None or not event.head)):
        return Put("none")
    place = Place.of(environ)
    with Client(place, environ.get("GITHUB_TOKEN", "")) as client:
        if event.name == "workflow_run":
            return _of_workflow_run(words, event, client)
        assert event.number is not None
        if words.report is None and not words.unjudged:
            raise UsageError.of("no_report", "what is the comment to be made of? name the folder that the gate left")
        marker = Marker(
            words.suite, event.head, _number(environ, "GITHUB_RUN_ID"), _number(environ, "GITHUB_RUN_ATTEMPT")
        )
        if words.report is None:
            return pull_comment.say_unjudged(client, event.number, marker, words.unjudged)
        told = pull_comment.tell(Evidence.of(Untrusted.at(words.report)))
        return pull_comment.post(client, event.number, marker, told, words.mode)


def _of_workflow_run(words: Commenting, event: Event, client: Client) -> Put:
    """For a run that had no right to comment: everything about it comes from GitHub, but for its report."""
    run = WorkflowRun.of(event.at("workflow_run"), "the event")
    if run.event != "pull_request":
        return Put("none")
    files: Untrusted | None = None
    found: Evidence | TapegateError
    try:
        files = (
            Untrusted.at(words.report)
            if words.report is not None
            else upload(client, run, words.artifact or artifact_name(words.suite))
        )
        found = Evidence.of(files)
    except GitHubError as error:
        if error.problems[0].code != "no_artifact":
            raise
        found = error
    except TapegateError as error:
        found = error
    claim = None
    with suppress(TapegateError):
        claim = claimed(files) if files is not None else None
    pull = source_pull(client, run, claim)
    if pull is None:
        return Put("outdated")
    marker = Marker(words.suite, run.head_sha, run.id, run.run_attempt)
    told = pull_comment.tell_of_stranger(found, run)
    # One that was cancelled before it had a report has nothing to say; mostly another of the same commit follows.
    unsaid = run.conclusion == "cancelled" and isinstance(found, TapegateError) and words.mode == "auto"
    return pull_comment.post(client, pull.number, marker, told, "changes" if unsaid else words.mode)


def _number(environ: Mapping[str, str], name: str) -> int:
    value = environ.get(name, "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 19 else 1


def _notice(error: TapegateError) -> None:
    """One line in the log that GitHub shows; a problem that carries a stranger's text is quoted already."""
    told = "; ".join(
        f"{problem.message} ({problem.fix})" if problem.fix else problem.message for problem in error.problems
    )
    shown = log_safe(told).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("::", ": :")
    click.echo(f"::notice title=Tapegate has no comment to show::{shown}")


def _say(line: str) -> None:
    click.echo(log_safe(line))
