"""What `tapegate init` does: fill in the files of a start, and write those that are not there."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from tapegate.errors import UsageError
from tapegate.report.inert import log_safe
from tapegate.run.output import write_atomically

STARTER = Path(__file__).with_name("starter")
_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_ACTION = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*@([0-9a-f]{40}|[0-9a-f]{64})")
_REMOTE = re.compile(r"(?:https://|ssh://git@|git@)[A-Za-z0-9.-]+[/:]([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+?)(?:\.git)?/?")
ATTRIBUTES = "# Recordings are locked by their bytes: git must not change line ends in them.\ncassettes/** -text\n"


@dataclass(frozen=True, slots=True)
class Starting:
    """The words of one `tapegate init`."""

    project: Path
    entry: str
    argument: str
    files: tuple[str, ...]
    github: bool
    action: str | None
    install: str


def start(words: Starting) -> int:
    """Write what is missing; returns 0. Raises UsageError for words that cannot be used, before anything is written."""
    wanted = dict(_files(words))
    for name, text in wanted.items():
        path = words.project / name
        if path.exists():
            _say(f"kept     {name}")
        else:
            write_atomically(path, text.encode())
            _say(f"written  {name}")
    _say("")
    for line in _next(words):
        _say(line)
    return 0


def _files(words: Starting) -> Iterator[tuple[str, str]]:
    if not _ENTRY.fullmatch(words.entry):
        raise UsageError.of(
            "bad_entry", f"{words.entry!r} is no callable; expected MODULE:CALLABLE, like 'agent:answer'"
        )
    if not _NAME.fullmatch(words.argument):
        raise UsageError.of("bad_argument", f"{words.argument!r} is no name of a parameter; expected one like 'input'")
    module = words.entry.partition(":")[0].replace(".", "/")
    files = words.files or (f"{module}/**" if (words.project / module).is_dir() else f"{module}.py",)
    config = (STARTER / "tapegate.yaml").read_text("utf-8")
    config = config.replace("PRICES", importlib.metadata.version("genai-prices"))
    config = config.replace("ENTRY", words.entry).replace("ARGUMENT", words.argument)
    yield "evals/tapegate.yaml", config.replace("FILES", ", ".join(json.dumps(file) for file in files))
    yield "evals/first/FIRST-01@main.yaml", (STARTER / "FIRST-01@main.yaml").read_text("utf-8")
    yield ".gitattributes", ATTRIBUTES
    if words.github:
        action = _action(words)
        _at_the_root(words.project)
        branch = json.dumps(_default_branch(words.project))
        for path in sorted((STARTER / "workflows").glob("*.yml")):
            text = path.read_text("utf-8").replace("TAPEGATE_ACTION", action.partition("@")[0])
            text = text.replace("TAPEGATE_SHA", action.partition("@")[2])
            text = text.replace("DEFAULT_BRANCH", branch)
            yield f".github/workflows/{path.name}", text.replace("INSTALL", json.dumps(words.install))


def _action(words: Starting) -> str:
    """`owner/name@sha`, given or that of the checkout that this Tapegate runs from."""
    given = words.action if words.action is not None else _own_action()
    if given is None or not _ACTION.fullmatch(given):
        named = (
            f"{given!r} names no action by a whole commit" if given else "this Tapegate does not know its own action"
        )
        raise UsageError.of(
            "no_action",
            f"{named}; workflows name one by its SHA, which nobody can move",
            fix="say which: --action OWNER/NAME@ and the 40 characters of a release's commit",
        )
    return given


def _at_the_root(project: Path) -> None:
    """Raises UsageError for a project below its repository's root: GitHub runs no workflow from there."""
    root = _git(project, "rev-parse", "--show-toplevel")
    if root and Path(root).resolve() != project.resolve():
        raise UsageError.of(
            "not_the_root",
            f"{str(project)!r} is not the root of its repository, {root!r}, where GitHub reads `.github/workflows`",
            fix="run `tapegate init --github` at the root and set `working-directory` in the workflows, and "
            "`tapegate init` without --github in the project",
        )


def _default_branch(project: Path) -> str:
    """As the remote has it; else `main` or `master` where there is one, since what is checked out may be a change; else
    what is checked out."""
    remote = _git(project, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").partition("/")[2]
    here = _git(project, "symbolic-ref", "--short", "HEAD") or "main"
    usual = [name for name in ("main", "master") if name == here or _is_branch(project, name)]
    return remote or next(iter(usual), here)


def _is_branch(project: Path, name: str) -> bool:
    places = (f"refs/remotes/origin/{name}", f"refs/heads/{name}")
    return any(_git(project, "rev-parse", "--verify", "--quiet", place) for place in places)


def _own_action() -> str | None:
    checkout = Path(__file__).resolve().parents[3]
    if not (checkout / "action.yml").is_file():
        return None
    remote = _REMOTE.fullmatch(_git(checkout, "remote", "get-url", "origin"))
    sha = _git(checkout, "rev-parse", "HEAD")
    return f"{remote[1]}@{sha}" if remote and sha else None


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-C", str(folder), *words],  # noqa: S607 - git is where the user's PATH has it
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _next(words: Starting) -> Iterator[str]:
    yield "next     tapegate lint"
    yield "         OPENAI_API_KEY=… tapegate record --missing"
    yield "         tapegate run"
    yield "         git add evals cassettes .gitattributes" + (" .github" if words.github else "")


def _say(line: str) -> None:
    click.echo(log_safe(line))
