"""The recordings of a project on disk: read under their pins, written whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import CassetteError, Stale
from tapegate.model.problem import Problem
from tapegate.tape.cassette import Cassette
from tapegate.tape.commit import commit, writing
from tapegate.tape.emit import emit
from tapegate.tape.limits import DEFAULT, Limits
from tapegate.tape.pins import Pin, Pins, pin, read_pins
from tapegate.tape.place import TRIAL, Place
from tapegate.tape.read import FIRST_ROW, read


@dataclass(frozen=True, slots=True)
class Loaded:
    """A recording that agrees with its pin."""

    cassette: Cassette
    sha256: str
    """Of the file's bytes."""
    file: str
    """From the project's root."""


def load(root: Path, suite: str, key: str, trial: int, limits: Limits = DEFAULT) -> Loaded:
    """The recording of one trial, counted from 1. Reads only; verifies size, sha256 and bytes before it parses.

    Raises `Stale` (`not_recorded`) where nothing was recorded, and `CassetteError` for everything that cannot be
    trusted: `missing`, `unpinned`, `hash_mismatch`, `count_mismatch`, `misplaced`, `path_escape`, `size_limit`, and
    what `read` and `read_pins` raise.
    """
    place = Place(root, suite, key)
    path, raw, expected = _verified(place, trial, limits)
    file = place.shown(path)
    cassette = read(raw, file, limits)
    _check_identity(cassette, place, trial, path)
    if len(cassette.interactions) != expected.interactions:
        raise place.refusal(
            "count_mismatch",
            f"{len(cassette.interactions)} interactions; pins.json says {expected.interactions} for the same bytes",
            path,
            f"derive the pins again: `tapegate cassette pin {key}`",
        )
    return Loaded(cassette, expected.sha256, file)


def pins_of(root: Path, suite: str, key: str) -> Pins | None:
    """The pins of a task; None where nothing was recorded."""
    return current(Place(root, suite, key))[0]


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
        path = place.cassette(cassette.trial)
        raw = emit(cassette)
        if read(raw, place.shown(path), limits) != cassette:
            raise place.refusal("not_representable", "reads back as something else; nothing was written", path)
        _check_identity(cassette, place, cassette.trial, path)
        emitted[path.name] = raw
        made[path.name] = pin(cassette, raw)
    if len(emitted) != len(cassettes):
        raise ValueError(f"two cassettes of one trial of {place.key!r}")
    with writing(place):
        kept = None if replace else current(place)[0]
        pins = Pins(format=1, key=place.key, cassettes={**(kept.cassettes if kept else {}), **made})
        commit(place, emitted, pins)
    return pins


def repin(root: Path, suite: str, key: str, limits: Limits = DEFAULT) -> Pins:
    """Derives the pins of a task again from the cassettes that lie there, and completes a write that broke off.

    For a person who knows why they changed. Raises `CassetteError` for a cassette that cannot be read, `Stale` where
    there is none.
    """
    place = Place(root, suite, key)
    if not place.folder.is_dir():
        raise not_recorded(place, 1)
    with writing(place):
        made: dict[str, Pin] = {}
        for path in sorted(place.folder.iterdir()):
            found = TRIAL.fullmatch(path.name)
            raw = place.read(path, limits.file_bytes) if found else None
            if found and raw is not None:
                cassette = read(raw, place.shown(path), limits)
                _check_identity(cassette, place, int(found[1]), path)
                made[path.name] = pin(cassette, raw)
        if not made:
            raise not_recorded(place, 1)
        pins = Pins(format=1, key=key, cassettes=made)
        commit(place, {}, pins)
    return pins


def current(place: Place) -> tuple[Pins | None, bool]:
    """The pins that hold, and whether they are those of a write that counts but did not end."""
    raw = place.read(place.pins, DEFAULT.pins_bytes)
    journal = place.journal(raw)
    pending = place.read(journal, DEFAULT.pins_bytes)
    path = place.pins if pending is None else journal
    raw = raw if pending is None else pending
    if raw is None:
        return None, False
    pins = read_pins(raw, place.shown(path))
    if pins.key != place.key:
        raise place.refusal("misplaced", f"the pins of {pins.key!r}; expected those of {place.key!r}", path)
    return pins, pending is not None


def not_recorded(place: Place, trial: int) -> Stale:
    """A trial that nobody recorded."""
    return Stale(
        Problem(
            "not_recorded",
            f"trial {trial} of {place.key!r} is not recorded yet",
            file=place.shown(place.cassette(trial)),
            fix=f"tapegate record {place.key} --missing",
        )
    )


def _verified(place: Place, trial: int, limits: Limits) -> tuple[Path, bytes, Pin]:
    """The bytes of a recording, the very ones that its pin names."""
    pins, pending = current(place)
    path = place.cassette(trial)
    expected = pins.cassettes.get(path.name) if pins else None
    if expected and pending:
        staged = place.staged(path.name, expected.sha256)
        path = staged if staged.exists() else path
    raw = place.read(path, limits.file_bytes)
    if raw is None and expected is None:
        raise not_recorded(place, trial)
    if raw is None:
        raise place.refusal("missing", "the pins list this recording; the file is gone", path)
    if expected is None:
        raise place.refusal(
            "unpinned",
            f"no pin names this recording (sha256 {hashlib.sha256(raw).hexdigest()})",
            path,
            f"`tapegate cassette pin {place.key}` pins it, once you know where it comes from",
        )
    if hashlib.sha256(raw).hexdigest() != expected.sha256 or len(raw) != expected.bytes:
        raise _mismatch(place, path, raw, expected, limits)
    return path, raw, expected


def _mismatch(place: Place, path: Path, raw: bytes, expected: Pin, limits: Limits) -> CassetteError:
    digest = hashlib.sha256(raw).hexdigest()
    count = (b"\n" + raw).count(b"\n" + FIRST_ROW)
    message = (
        f"not the bytes that were pinned: sha256 {digest}, expected {expected.sha256}; "
        f"{len(raw):,} bytes, expected {expected.bytes:,}; {count} interactions, expected {expected.interactions}"
    )
    error = place.refusal("hash_mismatch", message + _why(raw, expected), path)
    try:
        read(raw, place.shown(path), limits)
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


def _check_identity(cassette: Cassette, place: Place, trial: int, path: Path) -> None:
    if (cassette.key, cassette.trial) != (place.key, trial):
        raise place.refusal(
            "misplaced",
            f"the recording of trial {cassette.trial} of {cassette.key!r}; expected trial {trial} of {place.key!r}",
            path,
        )
