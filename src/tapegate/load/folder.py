"""The `evals` folder on the disk: which files are tasks, and which files have no business there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tapegate.load.suggest import nearest
from tapegate.model.problem import Problem

CONFIG = "tapegate.yaml"
RESERVED = frozenset({"snapshots", "fixtures", "oracles"})
"""Folders of `evals` that are no suites."""

_TASKS = (".yaml", ".json")
_SILENT = (".md",)


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file that a task is read from."""

    path: Path
    file: str
    """What messages call it."""
    suite: str
    """The name of its folder."""
    stem: str
    """Its name without the ending."""


@dataclass(slots=True)
class Folder:
    """One `evals` folder, of one project."""

    project: Path
    """Links resolved."""
    evals: Path
    """Links kept where it lies in the project, so that one that leaves the project is seen; else resolved."""
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, project: Path, evals: Path | None) -> Folder:
        """The `evals` folder of a project, or another one where it is given."""
        root = project.resolve()
        if evals is None:
            return cls(root, root / "evals")
        given = Path(os.path.abspath(evals))  # noqa: PTH100 - Path.resolve would follow links
        for base in (Path(os.path.abspath(project)), root):  # noqa: PTH100
            if given.is_relative_to(base):
                return cls(root, root / given.relative_to(base))
        return cls(root, given.resolve())

    def named(self, path: Path) -> str:
        """What messages call a file: relative to the project where it lies inside, with `/`.

        What cannot be printed is escaped: a file's name may hold line breaks and bytes that are not UTF-8.
        """
        inside = path.relative_to(self.project) if path.is_relative_to(self.project) else path
        return _printable(inside.as_posix())

    def entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """The files and folders in a folder, by name; hidden ones left out, escaping ones reported and left out."""
        try:
            with os.scandir(folder) as found:
                entries = sorted(
                    (entry for entry in found if not entry.name.startswith(".")), key=lambda entry: entry.name
                )
        except OSError as error:
            self._report("unreadable_folder", folder, f"cannot be listed: {error.strerror}", "make it readable")
            return []
        return [entry for entry in entries if not self._escapes(entry)]

    def has_config(self) -> bool:
        """Whether the config is there to be read; reported where it is not."""
        path = self.evals / CONFIG
        if self.evals.exists() and not self._inside(self.evals):
            self._report("path_escape", self.evals, "is a link that leaves the project", "put the folder itself here")
        elif not self.evals.is_dir():
            self._report(
                "no_evals", self.evals, "is no folder", f"create it, with {CONFIG} and a folder for each suite"
            )
        elif not path.is_file():
            self._report("no_config", path, "is missing", "write it: version, paths, subjects")
        else:
            return True
        return False

    def holds_folder(self, name: str) -> bool:
        """Whether a path from the project's root is a folder, in the project also where links are followed."""
        path = self.project / name
        return "\0" not in name and path.is_dir() and self._inside(path)

    def task_files(self) -> Iterator[TaskFile]:
        """Every task file, suite by suite; everything that might be meant as one and is none is reported."""
        if not self.evals.is_dir() or not self._inside(self.evals):
            return
        suites: dict[str, str] = {}
        for entry in self.entries(self.evals):
            if entry.is_dir():
                if entry.name in RESERVED:
                    continue
                twin = suites.setdefault(entry.name.casefold(), entry.name)
                if twin != entry.name:
                    message = f"and {twin!r} are one folder on systems that ignore case"
                    self._report("duplicate_suite", Path(entry.path), message, "rename one of them")
                yield from self._suite(entry)
            elif entry.name != CONFIG and not entry.name.endswith(_SILENT):
                fix = (
                    f"rename it to {CONFIG}"
                    if nearest(entry.name, [CONFIG])
                    else "move it into the folder of its suite"
                )
                self._report("misplaced_file", Path(entry.path), "is neither the config nor in a suite's folder", fix)
        if not suites:
            self._report(
                "vacuous_suite", self.evals, "holds no suite: it would judge nothing", "add <suite>/<id>@<path_id>.yaml"
            )

    def _suite(self, suite: os.DirEntry[str]) -> Iterator[TaskFile]:
        tasks = 0
        folder = self.named(Path(suite.path))
        for entry in self.entries(Path(suite.path)):
            path = Path(entry.path)
            if entry.name.endswith(_TASKS) and entry.is_file():
                tasks += 1
                yield TaskFile(path, f"{folder}/{_printable(entry.name)}", suite.name, path.stem)
            elif entry.is_dir():
                self._report(
                    "misplaced_file",
                    path,
                    "is a folder inside a suite",
                    f"put tasks into {folder!r} itself",
                )
            elif not entry.name.endswith(_SILENT):
                self._report(
                    "misplaced_file", path, "is no task file: those end in .yaml or .json", "rename it, or move it away"
                )
        if not tasks:
            self._report(
                "vacuous_suite",
                Path(suite.path),
                "holds no task: it would judge nothing",
                "add a task, or remove the folder",
            )

    def _escapes(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_symlink() or self._inside(Path(entry.path)):
            return False
        self._report("path_escape", Path(entry.path), "is a link that leaves the project", "put the file itself here")
        return True

    def _inside(self, path: Path) -> bool:
        try:
            target = path.resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            return False
        return target.is_relative_to(self.project) or target.is_relative_to(self.evals)

    def _report(self, code: str, path: Path, message: str, fix: str) -> None:
        file = self.named(path)
        self.problems.append(Problem(code, f"{file!r} {message}", file, fix=fix))


def _printable(name: str) -> str:
    return name if name.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
