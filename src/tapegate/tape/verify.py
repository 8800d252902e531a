"""All recordings of a project: listed, and held against their pins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import TapegateError
from tapegate.model.problem import Problem
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.pins import Pin, Pins, pin, to_bytes
from tapegate.tape.place import PINS, ROOM, TRIAL, Place, is_leftover, trial_file
from tapegate.tape.store import current, load


@dataclass(frozen=True, slots=True)
class Entry:
    """One recording that lies in a project, or that a pin names."""

    suite: str
    key: str
    trial: int
    file: str
    """From the project's root."""
    pin: Pin | None
    """None where it is not pinned."""
    present: bool
    """Whether the file is there."""


def places(root: Path) -> list[Place]:
    """The folders of all recorded tasks, sorted by suite and key.

    Raises `CassetteError` (`path_escape`) for a folder whose name is no suite or key.
    """
    room = root / ROOM
    if not room.is_dir():
        return []
    suites = sorted(path for path in room.iterdir() if path.is_dir())
    return [Place(root, suite.name, key.name) for suite in suites for key in sorted(suite.iterdir()) if key.is_dir()]


def entries(root: Path) -> list[Entry]:
    """All recordings of a project, sorted by suite, key and trial.

    Raises `CassetteError` for a pins file that cannot be read.
    """
    return [entry for place in places(root) for entry in _entries(place, _current(place)[0])]


def verify(root: Path, limits: Limits = DEFAULT) -> list[Problem]:
    """Everything that is wrong with a project's recordings: empty means that each is what its pin says.

    Beyond what `load` checks: a pin that its cassette does not derive, files that belong to nothing, and a write that
    broke off.
    """
    return [problem for place in places(root) for problem in _problems(place, limits)]


def _current(place: Place) -> tuple[Pins | None, bool]:
    with Folder(place) as folder:
        return current(folder)


def _entries(place: Place, pins: Pins | None) -> list[Entry]:
    pinned = pins.cassettes if pins else {}
    names = set(filter(TRIAL.fullmatch, place.names()))
    trials = sorted((int(found[1]), found[0]) for name in names | set(pinned) if (found := TRIAL.fullmatch(name)))
    return [
        Entry(
            suite=place.suite,
            key=place.key,
            trial=trial,
            file=place.shown(name),
            pin=pinned.get(name),
            present=name in names,
        )
        for trial, name in trials
    ]


def _problems(place: Place, limits: Limits) -> Iterator[Problem]:
    yield from _strays(place)
    try:
        pins, pending = _current(place)
    except TapegateError as error:
        yield from error.problems
        return
    derived: dict[str, Pin] = {}
    for entry in _entries(place, pins):
        try:
            loaded = load(place.root, place.suite, place.key, entry.trial, limits)
        except TapegateError as error:
            yield from error.problems
            continue
        name = trial_file(entry.trial)
        derived[name] = pin(loaded.cassette, loaded.raw)
        wrong = [field for field in Pin.model_fields if getattr(loaded.pin, field) != getattr(derived[name], field)]
        if wrong:
            yield _disagreement(place, f"{', '.join(wrong)} of {name} do not follow from the cassette")
    if pins and not pending and pins.cassettes == derived and not _canonical(place, pins):
        yield _disagreement(place, "the file is not in its canonical form")


def _canonical(place: Place, pins: Pins) -> bool:
    with Folder(place) as folder:
        return folder.read(PINS, DEFAULT.pins_bytes) == to_bytes(pins)


def _disagreement(place: Place, message: str) -> Problem:
    fix = f"derive them again: `tapegate cassette pin {place.key}`"
    return Problem("pins_disagree", message, file=place.shown(PINS), fix=fix)


def _strays(place: Place) -> Iterator[Problem]:
    leftovers = list(filter(is_leftover, place.names()))
    if leftovers:
        yield Problem(
            "unfinished_write",
            f"a recording of {place.key!r} broke off and left {', '.join(leftovers)}",
            file=place.shown(),
            fix=f"`tapegate cassette pin {place.key}` completes what counts and removes the rest",
        )
    for name in place.names():
        if name not in leftovers and name != PINS and not TRIAL.fullmatch(name):
            yield Problem(
                "stray_file",
                f"{name!r} belongs to no recording; expected {PINS} and {trial_file(1)} and so on",
                file=place.shown(name),
                fix="remove it",
            )
