"""One branch that holds what was recorded anew, made and pushed without touching the work tree or its index.

Git is asked in fixed words. The token goes to it in its environment, for the one server; it stands in no command line
and no message.
"""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tapegate.errors import BadInput, GitHubError, Unavailable, UsageError
from tapegate.github.refusal import clipped

AUTHOR = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
"""Who GitHub shows for what a workflow commits."""
TRAILER = "Tapegate-Refresh: 1"
"""The last line of our commits' messages: a branch whose newest commit lacks it is somebody else's."""
_LIMIT_S = 600


@dataclass(frozen=True, slots=True)
class Change:
    """A commit that no branch has yet."""

    sha: str
    tree: str
    parent: str
    files: tuple[tuple[str, str], ...]
    """Letter (`A`, `M`, `D`) and name of each file, from the project's root."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch on a remote repository, and the checkout that it is made from."""

    project: Path
    name: str
    remote: str
    """An address, or a folder."""
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.name.startswith("-") or self._git("check-ref-format", "--branch", self.name).returncode != 0:
            raise UsageError.of("bad_branch", f"{self.name!r:.200} cannot be the name of a branch")

    def change(self, paths: Sequence[str], subject: str) -> Change | None:
        """A commit on HEAD of what is different below these paths; None where nothing is.

        Raises Unavailable `no_git` or `git_failed`, UsageError `bad_path` for one that leads out of the project,
        BadInput `not_plain` for a link.
        """
        for path in paths:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise UsageError.of("bad_path", f"{path!r:.200} is not below the project's root")
        head, before = self._asked("rev-parse", "--verify", "HEAD"), self._asked("rev-parse", "HEAD^{tree}")
        with tempfile.TemporaryDirectory(prefix="tapegate-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._asked("read-tree", "HEAD", env=index)
            there = [path for path in paths if (self.project / path).exists() or self._asked("ls-files", "--", path)]
            if there:
                self._asked("add", "--all", "--", *there, env=index)
            tree = self._asked("write-tree", env=index)
        if tree == before:
            return None
        files = self._files(before, tree)
        people = [(f"GIT_{who}", AUTHOR) for who in ("AUTHOR", "COMMITTER")]
        named = {
            f"{who}_{what}": value for who, (name, mail) in people for what, value in (("NAME", name), ("EMAIL", mail))
        }
        message = f"{subject}\n\n{TRAILER}\n"
        sha = self._asked("commit-tree", tree, "-p", head, given=message, env=named)
        return Change(sha, tree, head, files)

    def _files(self, before: str, after: str) -> tuple[tuple[str, str], ...]:
        """What differs; a recording is a plain file and never a link."""
        listed = self._asked("diff-tree", "-r", "-z", "--relative", "--no-renames", "--raw", before, after)
        parts = listed.rstrip("\0").split("\0")
        found = []
        for said, name in zip(parts[::2], parts[1::2], strict=True):
            _, mode, _, _, letter = said.split(" ")
            if letter != "D" and mode != "100644":
                raise BadInput.of(
                    "not_plain",
                    f"{name!r:.200} is no plain file but has the mode {mode}",
                    fix="look at how it came there",
                )
            found.append((letter, name))
        return tuple(found)

    def tip(self) -> str:
        """The commit that the branch is at on the remote; empty where it is not there."""
        done = self._remote("ls-remote", "--heads", self.remote, f"refs/heads/{self.name}")
        named = (line.partition("\t") for line in done.stdout.splitlines())
        return next((sha for sha, _, ref in named if ref == f"refs/heads/{self.name}"), "")

    def push(self, sha: str, tip: str) -> None:
        """Let the branch be at a commit, if it is still at `tip`. Raises GitHubError: `push_forbidden`, `branch_moved`,
        `push_failed`."""
        lease = f"--force-with-lease=refs/heads/{self.name}:{tip}"
        self._remote("push", "--quiet", "--no-verify", lease, self.remote, f"{sha}:refs/heads/{self.name}")

    def _remote(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = self._git(*words, env=self._authorised())
        if done.returncode == 0:
            return done
        said = done.stderr.replace(self.token, "***") if self.token else done.stderr
        code, fix = _meaning(said)
        message = f"git {words[0]} of {self.name!r} was refused: {clipped(said)!r}"
        raise GitHubError.of(code, message, fix=fix)

    def _authorised(self) -> dict[str, str]:
        if not self.token or not self.remote.startswith(("https://", "http://")):
            return {}
        header = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        key = f"http.{self.remote}.extraheader"
        # The empty one drops what a checkout may have left: two of these headers are refused.
        settings = [(key, ""), (key, f"AUTHORIZATION: basic {header}"), ("http.followRedirects", "false")]
        settings.append(("credential.helper", ""))
        counted = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (name, value) in enumerate(settings):
            counted |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return counted

    def _asked(self, *words: str, given: str | None = None, env: Mapping[str, str] | None = None) -> str:
        done = self._git(*words, given=given, env=env)
        if done.returncode != 0:
            fix = "run this in a checkout of the repository"
            raise Unavailable.of("git_failed", f"git {words[0]} failed: {clipped(done.stderr)!r}", fix=fix)
        return done.stdout.strip() if "-z" not in words else done.stdout

    def _git(
        self, *words: str, given: str | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        # A filter that git runs on what it adds is no place for a token either.
        ours = ("GIT_", "GITHUB_", "INPUT_")
        plain = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        line = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", str(self.project), *words]
        try:
            return subprocess.run(  # noqa: S603 - words of ours, and names that were looked at
                line,
                input=given,
                stdin=subprocess.DEVNULL if given is None else None,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                timeout=_LIMIT_S,
                check=False,
                env={**plain, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", **(env or {})},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable.of("no_git", f"git cannot be run: {error}", fix="install git") from None


def _meaning(said: str) -> tuple[str, str]:
    """Code and fix for what git says of a refusal."""
    if "stale info" in said or "fetch first" in said:
        return "branch_moved", "somebody pushed to the branch meanwhile: run it again"
    if "protected branch" in said or "GH006" in said or "GH013" in said:
        return "push_forbidden", "a rule protects this branch: name another one, or let the token past the rule"
    if any(mark in said for mark in ("403", "401", "Authentication failed", "not granted", "could not read Username")):
        return "push_forbidden", "give the job `contents: write`, or an App's token that may write contents"
    return "push_failed", "run it again; what git says names the reason"
