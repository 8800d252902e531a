"""A file as it was read: its value, where each part stands, and all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tapegate.errors import LoadError
from tapegate.model.problem import Problem
from tapegate.model.source import Path, Source

Json = Any
"""A value that JSON can hold: no NaN, no infinity, integers of 64 bits, text without lone surrogates."""

Place = tuple[int, int]
"""Line and column, both 1-based; columns count characters."""

DEPTH = 64
"""How many lists and mappings may stand inside one another."""

_SURROGATE = re.compile("[\ud800-\udfff]")

INTEGERS = range(-(2**63), 2**63)
"""What canonical JSON can write back."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds."""

    value: Json
    source: Source
    places: Mapping[Path, Place]
    """Where each value starts."""
    keys: Mapping[Path, Place]
    """Where the key of each mapping entry starts."""
    problems: tuple[Problem, ...]
    whole: bool
    """Whether the file could be read to its end; else `value` says nothing."""
    spoiled: frozenset[Path]
    """Values that a problem left unknown: nothing more can be said of them."""

    def checked(self) -> Document:
        """This document, if nothing is wrong with it.

        Raises `LoadError` with every problem found.
        """
        if self.problems:
            raise LoadError.all(self.problems)
        return self

    def place(self, path: Path) -> Place:
        """Where the value at `path` starts, or its nearest ancestor that the file holds."""
        for end in range(len(path), -1, -1):
            found = self.places.get(path[:end])
            if found is not None:
                return found
        return (1, 1)

    def key_place(self, path: Path) -> Place:
        """Where the key at `path` starts; the value's place where it has none."""
        return self.keys.get(path) or self.place(path)

    def each(self, *pattern: str) -> Iterator[tuple[Path, Json]]:
        """Every value whose path matches, where `*` stands for any one key or index, with that path.

        What the file nests otherwise than the pattern is passed over, so that a rule of one part still holds
        where another part has the wrong type.
        """
        value = self.value
        depth = pattern.index("*") if "*" in pattern else len(pattern)
        for part in pattern[:depth]:
            # What most files do not hold is passed over at its first key: thousands of tasks are asked dozens of times.
            if not isinstance(value, dict) or part not in value:
                return
            value = value[part]
        found: list[tuple[Path, Json]] = [(pattern[:depth], value)]
        for part in pattern[depth:]:
            found = [step for path, value in found for step in _steps(path, value, part)]
        yield from found

    def text(self, *path: str) -> str | None:
        """The text at a path of keys; None where there is none."""
        value = self.value
        for part in path:
            if not isinstance(value, dict) or part not in value:
                return None
            value = value[part]
        return value if isinstance(value, str) else None

    def problem(self, code: str, message: str, place: Place, fix: str | None = None) -> Problem:
        """A problem at a place of this file."""
        return Problem(code, message, self.source.file, *place, fix)


def _steps(path: Path, value: Json, part: str) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, dict):
        for key in value if part == "*" else (part,):
            if key in value:
                yield (*path, key), value[key]
    elif isinstance(value, list) and part == "*":
        for index, item in enumerate(value):
            yield (*path, index), item


@dataclass(slots=True)
class Draft:
    """A document while it is being read."""

    file: str
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    spoiled: set[Path] = field(default_factory=set)

    def report(self, code: str, message: str, place: Place, fix: str, *, spoils: Path | None = None) -> None:
        """Note a problem; `spoils` names the value that it leaves unknown."""
        self.problems.append(Problem(code, message, self.file, *place, fix))
        if spoils is not None:
            self.spoiled.add(spoils)

    def text(self, text: str, place: Place, path: Path | None) -> str:
        """A text that escapes were undone in, if it is one: half of a surrogate pair is no character."""
        if text.isascii() or not _SURROGATE.search(text):
            return text
        self.report(
            "lone_surrogate",
            "half of a surrogate pair is no character",
            place,
            "write both halves, or the character itself",
            spoils=path,
        )
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)

    def repeated(self, key: str, place: Place, first: Place) -> None:
        """Note that a key stands in its mapping already."""
        self.report(
            "duplicate_key",
            f"key {key!r} stands on line {first[0]} already, and again on line {place[0]}",
            place,
            "keep one of them; readers disagree on which one counts",
        )

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Read a value for its problems only: its places must not shadow those of the value that counts."""
        kept = self.places, self.keys, self.spoiled
        self.places, self.keys, self.spoiled = {}, {}, set()
        try:
            yield
        finally:
            self.places, self.keys, self.spoiled = kept

    def done(self, value: Json, *, whole: bool = True) -> Document:
        """The document."""
        lines = {path: place[0] for path, place in self.places.items()}
        return Document(
            value if whole else None,
            Source(self.file, lines),
            self.places,
            self.keys,
            tuple(self.problems),
            whole,
            frozenset(self.spoiled),
        )


class Unreadable(Exception):
    """Reading cannot go on; the problem is in the draft."""
