"""The recordings of a project on disk: read under their pins, written whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tapegate.errors import CassetteError, Stale
from tapegate.model.problem import Problem
from tapegate.tape.cassette import Cassette
from tapegate.tape.commit import commit, writing
from tapegate.tape.emit import emit
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.pins import Pin, Pins, pin, read_pins
from tapegate.tape.place import PINS, TRIAL, Place, journal, staged, trial_file
from tapegate.tape.read import FIRST_ROW, read
from tapegate.tape.scan import scan


@dataclass(frozen=True, slots=True)
class Loaded:
    """A recording that agrees with its pin."""

    cassette: Cassette
    raw: bytes = field(repr=False)
    """The file's bytes."""
    pin: Pin
    """What it was held against."""
    file: str
    """From the project's root."""

    @property
    def sha256(self) -> str:
        """Of the file's bytes."""
        return self.pin.sha256


def load(root: Path, suite: str, key: str, trial: int, limits: Limits = DEFAULT) -> Loaded:
    """The recording of one trial, counted from 1. Reads only; verifies size, sha256 and bytes before it parses.

    Raises `Stale` (`not_recorded`) where nothing was recorded, and `CassetteError` for everything that cannot be
    trusted: `missing`, `unpinned`, `hash_mismatch`, `count_mismatch`, `misplaced`, `path_escape`, `size_limit`, and
    what `read` and `read_pins` raise.
    """
    with Folder(Place(root, suite, key)) as folder:
        return loaded(folder, trial, *current(folder), limits)


def loaded(folder: Folder, trial: int, pins: Pins | None, pending: bool, limits: Limits = DEFAULT) -> Loaded:
    """As `load`, from a folder that is open; `pins` and `pending` are what `current` says of it."""
    place = folder.place
    name, raw, expected = _verified(folder, trial, pins, pending, limits)
    file = place.shown(name)
    cassette = read(raw, file, limits)
    _check_identity(cassette, place, trial)
    if len(cassette.interactions) != expected.interactions:
        raise place.refusal(
            "count_mismatch",
            f"{len(cassette.interactions)} interactions; pins.json says {expected.interactions} for the same bytes",
            name,
            f"derive the pins again: `tapegate cassette pin {place.key}`",
        )
    return Loaded(cassette, raw, expected, file)


def searched(loaded: Loaded) -> Loaded:
    """`loaded`, in which no secret was found: what holds one is not replayed, for traces and reports would spread it.

    Apart from `load`, since it takes ten times as long. Raises `CassetteError` (`secret_found`, and what `scan` says
    of a body that cannot be searched).
    """
    secrets = scan(loaded.cassette, loaded.file)
    if secrets:
        raise CassetteError(*secrets)
    return loaded


def pins_of(root: Path, suite: str, key: str) -> Pins | None:
    """The pins of a task; None where nothing was recorded."""
    with Folder(Place(root, suite, key)) as folder:
        return current(folder)[0]


def write(
    root: Path, suite: str, cassettes: Sequence[Cassette], *, replace: bool = False, limits: Limits = DEFAULT
) -> Pins:
    """Writes recordings of one task, all or none, and their pins. With `replace`, trials not given are removed.

    Each is read back from its bytes before anything touches the disk. Raises `CassetteError` for a cassette that its
    own reader would refuse, `Unavailable` (`write_failed`) where the disk fails.
    """
    place = Place(root, suite, cassettes[0].key)
    emitted: dict[str, bytes] = {}
    made: dict[str, Pin] = {}
    for cassette in cassettes:
        name = trial_file(cassette.trial)
        raw = emit(cassette)
        if read(raw, place.shown(name), limits) != cassette:
            raise place.refusal("not_representable", "reads back as something else; nothing was written", name)
        _check_identity(cassette, place, cassette.trial)
        emitted[name] = raw
        made[name] = pin(cassette, raw)
    if len(emitted) != len(cassettes):
        raise ValueError(f"two cassettes of one trial of {place.key!r}")
    with writing(place) as folder:
        kept = None if replace else current(folder)[0]
        pins = Pins(format=1, key=place.key, cassettes={**(kept.cassettes if kept else {}), **made})
        commit(folder, emitted, pins)
    return pins


def repin(root: Path, suite: str, key: str, limits: Limits = DEFAULT) -> Pins:
    """Derives the pins of a task again from the cassettes that lie there, and completes a write that broke off.

    For a person who knows why they changed. Raises `CassetteError` for a cassette that cannot be read or that holds a
    secret, `Stale` where there is none.
    """
    place = Place(root, suite, key)
    if not place.folder.is_dir():
        raise not_recorded(place, 1)
    with writing(place) as folder:
        made: dict[str, Pin] = {}
        for name in place.names():
            found = TRIAL.fullmatch(name)
            raw = folder.read(name, limits.file_bytes) if found else None
            if found and raw is not None:
                cassette = read(raw, place.shown(name), limits)
                _check_identity(cassette, place, int(found[1]))
                secrets = scan(cassette, place.shown(name))
                if secrets:
                    raise CassetteError(*secrets)
                made[name] = pin(cassette, raw)
        if not made:
            raise not_recorded(place, 1)
        pins = Pins(format=1, key=key, cassettes=made)
        commit(folder, {}, pins)
    return pins


def current(folder: Folder, raw: bytes | None = None) -> tuple[Pins | None, bool]:
    """The pins that hold, and whether they are those of a write that counts but did not end; `raw` is what the pins
    file holds, where that was read already."""
    place = folder.place
    raw = folder.read(PINS, DEFAULT.pins_bytes) if raw is None else raw
    record = journal(raw)
    pending = folder.read(record, DEFAULT.pins_bytes)
    name, raw = (PINS, raw) if pending is None else (record, pending)
    if raw is None:
        return None, False
    pins = read_pins(raw, place.shown(name))
    if pins.key != place.key:
        raise place.refusal("misplaced", f"the pins of {pins.key!r}; expected those of {place.key!r}", name)
    return pins, pending is not None


def not_recorded(place: Place, trial: int) -> Stale:
    """A trial that nobody recorded."""
    return Stale(
        Problem(
            "not_recorded",
            f"trial {trial} of {place.key!r} is not recorded yet",
            file=place.shown(trial_file(trial)),
            fix=f"tapegate record {place.key} --missing",
        )
    )


def _verified(folder: Folder, trial: int, pins: Pins | None, pending: bool, limits: Limits) -> tuple[str, bytes, Pin]:
    """File name and bytes of a recording, the very ones that its pin names."""
    place = folder.place
    name = trial_file(trial)
    expected = pins.cassettes.get(name) if pins else None
    raw = None
    if expected and pending:
        raw = folder.read(staged(name, expected.sha256), limits.file_bytes)
    if raw is None:
        raw = folder.read(name, limits.file_bytes)
    if raw is None and expected is None:
        raise not_recorded(place, trial)
    if raw is None:
        raise place.refusal("missing", "the pins list this recording; the file is gone", name)
    if expected is None:
        raise place.refusal(
            "unpinned",
            f"no pin names this recording (sha256 {hashlib.sha256(raw).hexdigest()})",
            name,
            f"`tapegate cassette pin {place.key}` pins it, once you know where it comes from",
        )
    if hashlib.sha256(raw).hexdigest() != expected.sha256 or len(raw) != expected.bytes:
        raise _mismatch(place, name, raw, expected, limits)
    return name, raw, expected


def _mismatch(place: Place, name: str, raw: bytes, expected: Pin, limits: Limits) -> CassetteError:
    digest = hashlib.sha256(raw).hexdigest()
    count = (b"\n" + raw).count(b"\n" + FIRST_ROW)
    message = (
        f"not the bytes that were pinned: sha256 {digest}, expected {expected.sha256}; "
        f"{len(raw):,} bytes, expected {expected.bytes:,}; {count} interactions, expected {expected.interactions}"
    )
    error = place.refusal("hash_mismatch", message + _why(raw, expected), name)
    try:
        read(raw, place.shown(name), limits)
    except CassetteError as unreadable:
        # What stands there is no cassette either: say what is wrong with it, and where.
        return CassetteError(*error.problems, *unreadable.problems)
    return error


def _why(raw: bytes, expected: Pin) -> str:
    if hashlib.sha256(raw.replace(b"\r\n", b"\n")).hexdigest() == expected.sha256:
        return ". Only the line endings differ: git converted them; .gitattributes needs `cassettes/** -text`"
    if raw.startswith(b"version https://git-lfs"):
        return ". It is a Git LFS pointer: `git lfs pull`"
    if b"\n<<<<<<< " in b"\n" + raw:
        return ". It holds the conflict markers of a merge"
    return ""


def _check_identity(cassette: Cassette, place: Place, trial: int) -> None:
    if (cassette.key, cassette.trial) != (place.key, trial):
        raise place.refusal(
            "misplaced",
            f"the recording of trial {cassette.trial} of {cassette.key!r}; expected trial {trial} of {place.key!r}",
            trial_file(trial),
        )
