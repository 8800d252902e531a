"""The commit that a workflow run is held against: found, or said to be unavailable, never guessed."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tapegate.github.event import SHA, Event

_LIMIT_S = 300


@dataclass(frozen=True, slots=True)
class Base:
    """What the head of this run is compared with."""

    sha: str = ""
    """Empty where there is none."""
    why_not: str = ""
    """Why there is none although there should be; empty where there is one, and in events that have none."""


def base_of(project: Path, event: Event) -> Base:
    """The base of this run: for a pull request the first parent of its merge commit, for a merge group the commit it
    is built on. Other events have none.

    A shallow checkout knows no parent, but the merge commit itself names both.
    """
    if event.name == "merge_group":
        return Base(event.group_base) if event.group_base else Base(why_not="the event names no base commit")
    if not event.of_pull_request:
        return Base()
    asked = _ran(project, "rev-parse", "--verify", "HEAD")
    head = asked.stdout.strip()
    if asked.returncode or not SHA.fullmatch(head):
        return Base(why_not=_unread(project, asked.stderr))
    if event.sha and head != event.sha:
        return Base(
            why_not=f"{head[:12]} is checked out and not the pull request's merge commit {event.sha[:12]}; "
            "check out without `ref`"
        )
    parents = [
        line.removeprefix("parent ")
        for line in _git(project, "cat-file", "commit", head).partition("\n\n")[0].splitlines()
        if line.startswith("parent ")
    ]
    if len(parents) != 2:
        return Base(why_not=f"{head[:12]} is no merge of the pull request with its base; check out without `ref`")
    return Base(parents[0])


def bring(project: Path, sha: str, token: str, environ: Mapping[str, str]) -> str:
    """Fetch a commit that the checkout does not have; why not where that fails, else empty.

    The token goes to the workflow's own server and stands in no command line.
    """
    if _ran(project, "cat-file", "-e", f"{sha}^{{commit}}").returncode == 0:
        return ""
    words = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", "origin", sha]
    done = _ran(project, *words, env=_authorised(project, token, environ))
    if done.returncode == 0:
        return ""
    return f"the base commit {sha[:12]} could not be fetched: {_said(done, token)}"


def bring_messages(project: Path, event: Event, token: str, environ: Mapping[str, str]) -> str:
    """Fetch the pull request's own commits, whose messages lint reads, where the checkout has left them out; why not
    where that fails, else empty.

    A shallow checkout holds the merge commit alone. All that the target branch has is left out: a line there speaks of
    another change.
    """
    head, target = event.head, event.target
    if not head or not target or _git(project, "rev-parse", "--is-shallow-repository").strip() != "true":
        return ""
    words = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", f"--shallow-exclude=refs/heads/{target}"]
    done = _ran(project, *words, "origin", head, env=_authorised(project, token, environ))
    return "" if done.returncode == 0 else f"the commits of the pull request could not be fetched: {_said(done, token)}"


def messages(project: Path, base: str, head: str) -> tuple[str, ...]:
    """The messages of the commits that `head` has and `base` has not, as far as they are here."""
    if not base or not head:
        return ()
    said = _git(project, "log", "-z", "--format=%B", f"{base}..{head}", "--")
    return tuple(message for message in said.split("\0") if message.strip())


def _authorised(project: Path, token: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that let git ask the server with the token, where the checkout has not been left with one."""
    server = environ.get("GITHUB_SERVER_URL") or "https://github.com"
    origin = _git(project, "remote", "get-url", "origin").strip()
    here, there = urlsplit(server), urlsplit(origin)
    if not token or (here.scheme, here.netloc) != (there.scheme, there.netloc) or here.scheme != "https":
        return {}
    if _git(project, "config", "--get-regexp", r"^http\..*\.extraheader$").strip():
        return {}
    header = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server.rstrip('/')}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {header}",
    }


def _unread(project: Path, said: str) -> str:
    """Why git reads no commit."""
    if "dubious ownership" in said:
        # In a job's container, whose user is not the runner's.
        fix = f'let a step before this one run `git config --global --add safe.directory "{project.resolve()}"`'
        return f"git does not trust {str(project)!r}, which is another user's; {fix}"
    return "git knows no commit here; check out with actions/checkout"


def _said(done: subprocess.CompletedProcess[str], token: str) -> str:
    """The last line of what git said of a failure."""
    (line,) = done.stderr.strip().splitlines()[-1:] or [f"git ended with {done.returncode}"]
    return line.replace(token, "***") if token else line


def _git(project: Path, *words: str) -> str:
    done = _ran(project, *words)
    return done.stdout if done.returncode == 0 else ""


def _ran(project: Path, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "INPUT_"))}
    line = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", str(project), *words]
    try:
        return subprocess.run(  # noqa: S603 - words of ours, and SHAs that cannot become options
            line,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
            env={**plain, "GIT_TERMINAL_PROMPT": "0", **(env or {})},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(line, 127, "", f"git cannot be run: {error}")
