"""Where the recordings of one task lie, and what the files there are called."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape.shape import KEY, NAME

ROOM = "cassettes"
PINS = "pins.json"
TRIAL = re.compile(r"trial-([1-9][0-9]{0,3})\.yaml")


def trial_file(trial: int) -> str:
    """The file name of a trial's recording, counted from 1."""
    return f"trial-{trial}.yaml"


def staged(name: str, sha256: str) -> str:
    """Where the recording `name` waits, with its new content, until a write has put everything in place."""
    return f".{name}-{sha256[:16]}"


def journal(pins: bytes | None) -> str:
    """The file name of the pins that a write puts after `pins`, until it has put everything in place.

    Named after what it follows: once anything else changes the pins (a checkout, say), nobody looks for it.
    """
    return f".pins-after-{hashlib.sha256(pins).hexdigest()[:16] if pins is not None else 'none'}.json"


def is_leftover(name: str) -> bool:
    """Whether a file is a staged recording, a journal or the draft of one."""
    return name.startswith((".trial-", ".pins-after-"))


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

    def names(self) -> list[str]:
        """The names of everything in the folder, sorted; none where there is no folder."""
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.is_dir() else []

    def shown(self, name: str = "") -> str:
        """A file of the folder as messages name it: from the project's root."""
        return f"{ROOM}/{self.suite}/{self.key}/{name}".rstrip("/")

    def refusal(self, code: str, message: str, name: str = "", fix: str | None = None) -> CassetteError:
        """A file of the folder that cannot be used, with what restores it."""
        shown = self.shown(name)
        fix = fix or f"restore it (`git checkout -- {shown}`) or record it again (`tapegate record {self.key} --all`)"
        return CassetteError(Problem(code, message, file=shown, fix=fix))
