"""What a change is held against: a commit, or a folder with the files of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from tapegate.errors import UsageError
from tapegate.standard.files import walked
from tapegate.standard.git import Git

Status = Literal["added", "changed", "removed"]
_LETTERS: Mapping[str, Status] = {"A": "added", "D": "removed"}


class Base(Protocol):
    """The project as it was."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def commit(self) -> str:
        """Its SHA; empty where it is no commit."""
        ...

    def touched(self) -> Mapping[str, Status]:
        """Every file that is not as it was, by its path from the project's root, with what became of it."""
        ...

    def read(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """The bytes that files had; a name that was no file is left out."""
        ...

    def messages(self) -> tuple[str, ...]:
        """The messages of the commits since."""
        ...


@dataclass(frozen=True, slots=True)
class CommitBase:
    """A commit of the project's repository. What is compared with it is the work tree, untracked files included."""

    git: Git
    name: str
    commit: str
    """Where HEAD and the named revision parted, so that what the other side did since does not count."""

    @classmethod
    def of(cls, project: Path, revision: str) -> CommitBase:
        """The base that a revision names. Raises `UsageError` for one that is none, `Unavailable` without git."""
        git = Git(project)
        commit = git.commit(revision)
        return cls(git, revision, git.fork(commit) or commit)

    def touched(self) -> Mapping[str, Status]:
        """See `Base`."""
        return {name: _LETTERS.get(letter, "changed") for letter, name in self.git.differences(self.commit)}

    def read(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """See `Base`."""
        return self.git.contents(self.commit, names)

    def messages(self) -> tuple[str, ...]:
        """See `Base`."""
        return self.git.messages(self.commit)


@dataclass(frozen=True, slots=True)
class FolderBase:
    """A folder that holds the project as it was; for where there is no git."""

    project: Path
    folder: Path
    name: str
    commit: str = field(default="", init=False)

    @classmethod
    def of(cls, project: Path, folder: Path) -> FolderBase:
        """The base in a folder. Raises `UsageError` where there is none."""
        if not folder.is_dir():
            raise UsageError.of("no_base", f"{str(folder)!r} is no folder", fix="name the folder of the base's project")
        return cls(project.resolve(), folder.resolve(), str(folder))

    def touched(self) -> Mapping[str, Status]:
        """See `Base`."""
        inside = f"{self.folder.relative_to(self.project).as_posix()}/" if self._nested else None
        here = {name for name in walked(self.project) if inside is None or not name.startswith(inside)}
        there = set(walked(self.folder))
        found: dict[str, Status] = {}
        for name in sorted(here | there):
            if name not in there:
                found[name] = "added"
            elif name not in here:
                found[name] = "removed"
            elif not _same(self.project / name, self.folder / name):
                found[name] = "changed"
        return found

    def read(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """See `Base`."""
        return {name: (self.folder / name).read_bytes() for name in names if (self.folder / name).is_file()}

    def messages(self) -> tuple[str, ...]:
        """A folder has none."""
        return ()

    @property
    def _nested(self) -> bool:
        return self.folder != self.project and self.folder.is_relative_to(self.project)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
    except OSError:
        return False
