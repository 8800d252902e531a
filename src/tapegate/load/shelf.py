"""Files that tasks name without their ending: database snapshots and fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from tapegate.load.folder import Folder
from tapegate.load.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class Shelf:
    """One folder of such files."""

    kind: str
    """`snapshot` or `fixture`; the folder is its plural."""
    files: Mapping[str, Path]
    """By file name."""

    @classmethod
    def snapshots(cls, folder: Folder) -> Shelf:
        """`evals/snapshots`: `.sql` files are built, `.sqlite3` files are copied; others are not on offer."""
        files = _files(folder, "snapshots")
        return cls("snapshot", {name: path for name, path in files.items() if name.endswith((".sql", ".sqlite3"))})

    @classmethod
    def fixtures(cls, folder: Folder) -> Shelf:
        """`evals/fixtures`: any file."""
        return cls("fixture", _files(folder, "fixtures"))

    def file(self, name: str) -> Path:
        """The one file of that name, with its ending or without. Raises `KeyError` where it is not exactly one."""
        found = self._matches(name)
        if len(found) != 1:
            raise KeyError(name)
        return self.files[found[0]]

    def fault(self, name: str) -> tuple[str, str, str] | None:
        """Why a name does not mean exactly one file, as code, message and fix; None where it does."""
        found = self._matches(name)
        if len(found) == 1:
            return None
        if found:
            fix = "name it with its ending, or rename one of the files"
            return f"ambiguous_{self.kind}", f"{self.kind} {name!r} may be {' or '.join(sorted(found))}", fix
        known = {PurePath(file).stem for file in self.files}
        return (
            f"missing_{self.kind}",
            f"{self.kind} {name!r} is no file of evals/{self.kind}s",
            did_you_mean(name, known),
        )

    def _matches(self, name: str) -> list[str]:
        return [file for file in self.files if name in (file, PurePath(file).stem)]


def _files(folder: Folder, name: str) -> dict[str, Path]:
    shelf = folder.evals / name
    if not shelf.is_dir():
        return {}
    return {entry.name: Path(entry.path) for entry in folder.entries(shelf) if entry.is_file()}
