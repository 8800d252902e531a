"""Where the recordings of one task lie, and how their bytes are read without trusting the folder."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape.shape import KEY, NAME

ROOM = "cassettes"
TRIAL = re.compile(r"trial-([1-9][0-9]{0,3})\.yaml")


@dataclass(frozen=True, slots=True)
class Place:
    """`cassettes/<suite>/<KEY>` of a project.

    Raises `CassetteError` (`path_escape`) for a name that is no portable name, before any path is made from it.
    """

    root: Path
    """The project's root."""
    suite: str
    key: str

    def __post_init__(self) -> None:
        for what, name, pattern in (("suite", self.suite, NAME), ("key", self.key, KEY)):
            if not pattern.fullmatch(name):
                message = f"the {what} {name!r} cannot name a folder; expected {pattern.pattern}"
                raise CassetteError(Problem("path_escape", message, fix="use letters, digits, `.`, `_` and `-`"))

    @property
    def folder(self) -> Path:
        """The folder itself."""
        return self.root / ROOM / self.suite / self.key

    @property
    def pins(self) -> Path:
        """The lock file."""
        return self.folder / "pins.json"

    def cassette(self, trial: int) -> Path:
        """The recording of a trial, from 1."""
        return self.folder / f"trial-{trial}.yaml"

    def staged(self, name: str, sha256: str) -> Path:
        """Where the file `name` waits, with its new content, until a write is complete."""
        return self.folder / f".{name}-{sha256[:16]}"

    def journal(self, pins: bytes | None) -> Path:
        """The pins that a complete write puts after `pins`, until it has put everything in place.

        Named after what it follows: once anything else changes the pins (a checkout, say), it is not found.
        """
        return self.folder / f".pins-after-{hashlib.sha256(pins).hexdigest()[:16] if pins is not None else 'none'}.json"

    def shown(self, path: Path) -> str:
        """A path as messages name it: from the project's root."""
        return path.relative_to(self.root).as_posix()

    def leftovers(self) -> list[Path]:
        """Files of a write that did not end, sorted; to be read only while no write is under way."""
        if not self.folder.is_dir():
            return []
        return sorted(path for path in self.folder.iterdir() if path.name.startswith((".trial-", ".pins-after-")))

    def read(self, path: Path, limit: int) -> bytes | None:
        """The bytes of a file of this folder; None where there is none.

        Raises `CassetteError`: `path_escape` where a symbolic link leads out of `cassettes`, `not_a_file` for a
        folder, pipe or device, `size_limit` beyond `limit` bytes, before they are read.
        """
        self.check(path)
        try:
            # Without O_NONBLOCK, opening a pipe waits for a writer.
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.refusal("unreadable", f"cannot be opened: {error.strerror}", path) from None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise self.refusal("not_a_file", "a folder, a pipe or a device; expected a file", path)
            raw = _read_all(descriptor, limit + 1) if found.st_size <= limit else b""
        finally:
            os.close(descriptor)
        if max(found.st_size, len(raw)) > limit:
            size = max(found.st_size, len(raw))
            raise self.refusal("size_limit", f"{size:,} bytes; at most {limit:,} are read", path)
        return raw

    def check(self, path: Path) -> None:
        """Raises `path_escape` where a symbolic link leads out of the project's recordings."""
        room = os.path.realpath(self.root / ROOM)
        inside = os.path.realpath(self.root)
        real = os.path.realpath(path)
        if not room.startswith(inside + os.sep) or not real.startswith(room + os.sep):
            raise self.refusal(
                "path_escape",
                f"leads to {real!r}; expected a place inside {ROOM!r}",
                path,
                "replace the symbolic link by the file itself",
            )

    def refusal(self, code: str, message: str, path: Path, fix: str | None = None) -> CassetteError:
        """A file of this folder that cannot be used, with what restores it."""
        shown = self.shown(path)
        fix = fix or f"restore it (`git checkout -- {shown}`) or record it again (`tapegate record {self.key} --all`)"
        return CassetteError(Problem(code, message, file=shown, fix=fix))


def _read_all(descriptor: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
