"""Importing files and folders: every file is tried, and what becomes of each is told."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.tape import store
from tapegate.tape.emit import emit
from tapegate.tape.importing.dialect import Found, read_foreign
from tapegate.tape.importing.exchange import Exchange
from tapegate.tape.importing.imported import fidelities, to_cassette
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.place import Place, trial_file
from tapegate.tape.redact import Redactor
from tapegate.tape.refusal import refusal
from tapegate.tape.routes import Routes

ENDINGS = frozenset({".yaml", ".yml", ".json"})
LONGEST = 80
"""Characters of a name that is made from a file's; a portable name may have a hundred."""
PATH_ID = "imported"

State = Literal["imported", "no_http", "not_a_cassette", "refused"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    file: str
    """As it was given, or from the folder that was."""
    state: State
    recording: str | None = None
    """Where it was written, from the project's root."""
    exchanges: int = 0
    """Interactions of HTTP."""
    others: int = 0
    """Interactions that are none."""
    decoded: int = 0
    """Bodies of which the recorder kept what their content encoding stood for."""
    rebuilt: int = 0
    """Bodies of which it kept only the JSON that it parsed."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    """Writes recordings of other tools below a project's `cassettes`."""

    project: Path
    routes: Routes
    """Of the project's services: an address that belongs to one is recorded under its name."""
    suite: str | None = None
    """Where they are put; None: a suite named after the folder that each lies in."""
    key: str | None = None
    """The key of the one file that is imported; None: a key named after it."""
    redactor: Redactor = field(default_factory=lambda: Redactor({}))
    limits: Limits = DEFAULT

    def run(self, source: Path) -> Iterator[Outcome]:
        """Import a file, or every file of YAML or JSON in a folder. What cannot be read is told, and stops nothing."""
        base = source.parent if source.is_file() else source
        taken: set[tuple[str, str]] = set()
        for path in recorded_files(source):
            file = path.relative_to(base)
            try:
                found = self._read(path, file.as_posix())
                yield self._outcome(found, file, base.name, taken)
            except CassetteError as error:
                yield Outcome(file.as_posix(), "refused", problems=error.problems)

    def _read(self, path: Path, file: str) -> Found:
        try:
            size = path.stat().st_size
            if size > self.limits.file_bytes:
                raise refusal("size_limit", f"{size:,} bytes; a cassette may have {self.limits.file_bytes:,}", file)
            return read_foreign(path.read_bytes(), file, self.limits)
        except OSError as error:
            raise refusal(
                "unreadable", f"cannot be read: {error.strerror or error}", file, None, "look at it"
            ) from None

    def _outcome(self, found: Found, file: Path, base: str, taken: set[tuple[str, str]]) -> Outcome:
        if not found.exchanges:
            state: State = "no_http" if found.is_cassette else "not_a_cassette"
            return Outcome(file.as_posix(), state, others=found.others)
        suite, key = self._named(file, base, taken)
        counts = fidelities(found.exchanges)
        return Outcome(
            file.as_posix(),
            "imported",
            recording=self._written(found.exchanges, suite, key, file.as_posix()),
            exchanges=len(found.exchanges),
            others=found.others,
            decoded=counts["decoded"],
            rebuilt=counts["rebuilt"],
        )

    def _written(self, exchanges: tuple[Exchange, ...], suite: str, key: str, file: str) -> str:
        """Write one recording; one that is there already is left, and has to be the same."""
        cassette = to_cassette(exchanges, key, file, routes=self.routes, redactor=self.redactor)
        place = Place(self.project, suite, key)
        name = trial_file(1)
        there = place.folder / name
        if there.exists():
            if there.read_bytes() != emit(cassette):
                raise refusal(
                    "recording_exists",
                    f"another recording lies at {place.shown(name)} already",
                    file,
                    None,
                    "remove it, or import into another suite (--suite)",
                )
        else:
            store.write(self.project, suite, [cassette])
        return place.shown(name)

    def _named(self, file: Path, base: str, taken: set[tuple[str, str]]) -> tuple[str, str]:
        """Suite and key of a file; two files never get the same."""
        folders = "-".join(file.parent.parts)
        suite = self.suite or portable(folders or base)
        if self.key is not None:
            return suite, self.key
        key = f"{portable(file.stem)}@{PATH_ID}"
        if (suite, key.casefold()) in taken:
            key = f"{portable(file.stem, mark=file.as_posix())}@{PATH_ID}"
        taken.add((suite, key.casefold()))
        return suite, key


def recorded_files(source: Path) -> list[Path]:
    """A file itself; of a folder every file in it that may hold recorded traffic, sorted."""
    return [source] if source.is_file() else sorted(filter(_may_be, source.rglob("*")))


def portable(name: str, mark: str | None = None) -> str:
    """`name` as a portable one, the same in every import; with a digest where that could be another name's too."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
    if mark is None and plain == name[:LONGEST] and plain[:1].isalnum():
        return plain
    digest = hashlib.sha256((mark or name).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    kept = plain[:LONGEST].rstrip("-.")
    return f"{kept}-{digest}" if kept and kept[0].isalnum() else f"x{kept}-{digest}"


def _may_be(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS and path.is_file()
