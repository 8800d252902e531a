"""All recordings of a project: listed, and held against their pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import TapegateError
from tapegate.model.problem import Problem
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.pins import Pin, Pins, pin, to_bytes
from tapegate.tape.place import PINS, ROOM, TRIAL, Place, is_leftover, trial_file
from tapegate.tape.scan import scan
from tapegate.tape.store import Loaded, current, loaded


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

    Beyond what `load` checks: a secret, a pin that its cassette does not derive, files that belong to nothing, and a
    write that broke off.
    """
    problems: list[Problem] = []
    for place in places(root):
        found = inspect(place, limits)
        problems += found.problems
        for each in found.loaded:
            problems += scan(each.cassette, each.file)
    return problems


@dataclass(frozen=True, slots=True)
class Inspected:
    """The recordings of one task, each file read once."""

    place: Place
    pins: Pins | None
    """None where there are none."""
    known: bool
    """Whether the pins could be read, or are not there: else nobody can say what is recorded."""
    loaded: tuple[Loaded, ...]
    """Those that are what their pin says."""
    untrusted: tuple[str, ...]
    """Names of files in the place of recordings that cannot be trusted."""
    problems: tuple[Problem, ...]
    """All that is wrong with them."""


def inspect(place: Place, limits: Limits = DEFAULT) -> Inspected:
    """Read the recordings of a task and hold them against their pins."""
    problems: list[Problem] = []
    found: list[Loaded] = []
    pins, untrusted, known = None, [], False
    try:
        with Folder(place) as folder:
            names = folder.names()
            problems += _strays(place, names)
            trials = _trials(names)
            untrusted = [name for _, name in trials]
            raw = folder.read(PINS, DEFAULT.pins_bytes)
            pins, pending = current(folder, raw)
            known = True
            for trial, name in _trials({*names, *(pins.cassettes if pins else ())}):
                try:
                    found.append(loaded(folder, trial, pins, pending, limits))
                except TapegateError as error:
                    problems += error.problems
                else:
                    untrusted = [each for each in untrusted if each != name]
            problems += _underived(place, found, pins, raw if not pending else None)
    except TapegateError as error:
        problems += error.problems
    return Inspected(place, pins, known, tuple(found), tuple(untrusted), tuple(problems))


def _current(place: Place) -> tuple[Pins | None, bool]:
    with Folder(place) as folder:
        return current(folder)


def _trials(names: Iterable[str]) -> list[tuple[int, str]]:
    """Number and file name of each recording among `names`, by number."""
    return sorted((int(found[1]), found[0]) for name in names if (found := TRIAL.fullmatch(name)))


def _entries(place: Place, pins: Pins | None) -> list[Entry]:
    pinned = pins.cassettes if pins else {}
    names = set(place.names())
    return [
        Entry(
            suite=place.suite,
            key=place.key,
            trial=trial,
            file=place.shown(name),
            pin=pinned.get(name),
            present=name in names,
        )
        for trial, name in _trials(names | set(pinned))
    ]


def _underived(place: Place, found: Iterable[Loaded], pins: Pins | None, raw: bytes | None) -> Iterator[Problem]:
    """Pins that do not follow from their cassettes; `raw` is their file, None where another one counts."""
    derived: dict[str, Pin] = {}
    for each in found:
        name = trial_file(each.cassette.trial)
        derived[name] = pin(each.cassette, each.raw)
        if each.pin != derived[name]:
            wrong = [field for field in Pin.model_fields if getattr(each.pin, field) != getattr(derived[name], field)]
            yield _disagreement(place, f"{', '.join(wrong)} of {name} do not follow from the cassette")
    if pins and raw is not None and pins.cassettes == derived and raw != to_bytes(pins):
        yield _disagreement(place, "the file is not in its canonical form")


def _disagreement(place: Place, message: str) -> Problem:
    fix = f"derive them again: `tapegate cassette pin {place.key}`"
    return Problem("pins_disagree", message, file=place.shown(PINS), fix=fix)


def _strays(place: Place, names: Iterable[str]) -> Iterator[Problem]:
    leftovers = list(filter(is_leftover, names))
    if leftovers:
        yield Problem(
            "unfinished_write",
            f"a recording of {place.key!r} broke off and left {', '.join(leftovers)}",
            file=place.shown(),
            fix=f"`tapegate cassette pin {place.key}` completes what counts and removes the rest",
        )
    for name in names:
        if name not in leftovers and name != PINS and not TRIAL.fullmatch(name):
            yield Problem(
                "stray_file",
                f"{name!r} belongs to no recording; expected {PINS} and {trial_file(1)} and so on",
                file=place.shown(name),
                fix="remove it",
            )
