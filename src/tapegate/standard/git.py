"""What git says of a project. Only asked questions: nothing of the repository is changed, no program of it is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import Unavailable, UsageError

_SAFE = ("--no-optional-locks", "-c", "core.fsmonitor=false")
_BY_HAND = "name a folder with the base's files instead: `tapegate lint --base-dir DIR`"
_LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Git:
    """The repository that a project lies in."""

    project: Path
    """The project's root; all paths are told from here."""

    def commit(self, revision: str) -> str:
        """The SHA of the commit that a revision names.

        Raises `UsageError` (`unknown_revision`) where it names none, `Unavailable` without git or repository.
        """
        try:
            found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except Unavailable as error:
            if error.problems[0].code != "git_failed":
                raise
            raise UsageError.of(
                "unknown_revision",
                f"{revision!r} is no commit of this repository",
                fix="name a branch, a tag or a SHA that is there; in CI, check out with history (`fetch-depth: 0`)",
            ) from None
        return found.decode().strip()

    def fork(self, commit: str) -> str | None:
        """The commit at which HEAD and `commit` parted; None where the history that is here does not show it."""
        try:
            return self.ask("merge-base", commit, "HEAD").decode().strip() or None
        except Unavailable:
            return None

    def differences(self, commit: str) -> Iterator[tuple[str, str]]:
        """Status letter and name of each file below the project that is not as in `commit`, untracked ones included.

        `A` is new, `D` is gone, anything else is changed. Another right to run a file is no change of it.
        """
        words = ("--raw", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
        parts = iter(self.ask("diff", *words, commit, "--").split(b"\0"))
        found = [(head.rsplit(b" ", 1)[1][:1].decode(), head[1:14], _name(next(parts))) for head in parts if head]
        runnable = [name for letter, modes, name in found if letter == "M" and modes[:6] != modes[7:]]
        same = {name for name, was in self.contents(commit, runnable).items() if _now(self.project / name) == was}
        yield from ((letter, name) for letter, _, name in found if name not in same)
        for name in self._listed("--others", "--exclude-standard"):
            yield "A", name

    def files(self) -> tuple[str, ...]:
        """Every file below the project that is tracked or would be, sorted."""
        return tuple(sorted(set(self._listed("--cached", "--others", "--exclude-standard"))))

    def contents(self, commit: str, names: Iterable[str]) -> Mapping[str, bytes]:
        """The bytes of regular files as they are in `commit`; a name that is none of those is left out."""
        wanted = [name for name in names if "\n" not in name]
        if not wanted:
            return {}
        request = "".join(f"{commit}:./{name}\n" for name in wanted)
        answer = self.ask("cat-file", "--batch", given=request.encode("utf-8", "surrogateescape"))
        found: dict[str, bytes] = {}
        at = 0
        for name in wanted:
            end = answer.index(b"\n", at)
            words = answer[at:end].split(b" ")
            at = end + 1
            if words[-1].isdigit():
                size = int(words[-1])
                if words[-2] == b"blob":
                    found[name] = answer[at : at + size]
                at += size + 1
        return found

    def messages(self, since: str) -> tuple[str, ...]:
        """The messages of the commits that HEAD has and `since` has not, the newest first."""
        said = self.ask("log", "-z", "--format=%B", f"{since}..HEAD")
        return tuple(message.decode("utf-8", "replace") for message in said.split(b"\0") if message.strip())

    def ask(self, *words: str, given: bytes | None = None) -> bytes:
        """What git answers. Raises `Unavailable`: `no_git`, `no_repository`, `git_failed`."""
        try:
            done = subprocess.run(  # noqa: S603 - fixed words and names
                ["git", *_SAFE, "-C", str(self.project), *words],  # noqa: S607 - git is where the user's PATH has it
                input=given,
                stdin=subprocess.DEVNULL if given is None else None,
                capture_output=True,
                timeout=_LIMIT_S,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Unavailable.of("no_git", f"git cannot be run: {error}", fix=f"install git, or {_BY_HAND}") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            if "not a git repository" in said:
                message = f"{str(self.project)!r} is in no git repository"
                raise Unavailable.of("no_repository", message, fix=_BY_HAND)
            raise Unavailable.of("git_failed", f"git {words[0]} failed: {said or done.returncode}", fix=_BY_HAND)
        return done.stdout

    def _listed(self, *words: str) -> Iterator[str]:
        yield from (_name(name) for name in self.ask("ls-files", "-z", *words).split(b"\0") if name)


def _now(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
