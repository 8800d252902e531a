"""Writes the recordings of a task as one: after a crash at any point, all of them are the old ones or all the new.

Single files are replaced atomically; several are not. So a write goes through a journal:

1. each new cassette is written beside its place (`.trial-1.yaml-<sha256>`) and synced;
2. the new pins are written as a journal (`.pins-after-<sha256 of the old pins>.json`), synced and renamed into being:
   from here on the write counts, and readers take the journal for the pins and a staged file for the cassette;
3. the staged files are renamed into place, dropped trials removed, the folder synced;
4. the journal is renamed to `pins.json`, the folder synced.

A crash before 2 leaves the old recordings and stray files that nothing reads; after 2 the next writer repeats 3 and 4.
Readers never write.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tapegate.errors import Unavailable
from tapegate.model.problem import Problem
from tapegate.tape.folder import Folder
from tapegate.tape.limits import DEFAULT
from tapegate.tape.pins import Pins, read_pins, to_bytes
from tapegate.tape.place import PINS, TRIAL, Place, is_leftover, journal, staged


@contextmanager
def writing(place: Place) -> Iterator[Folder]:
    """The folder, made and held against other writers, with what an earlier crash left completed or removed."""
    try:
        _make(place.folder, place.root)
    except OSError as error:
        raise _failure(place, "nothing was recorded", error) from None
    with Folder(place) as folder:
        assert folder.descriptor is not None
        try:
            fcntl.flock(folder.descriptor, fcntl.LOCK_EX)
            _recover(folder)
        except OSError as error:
            raise _failure(place, "nothing was recorded", error) from None
        yield folder


def commit(folder: Folder, cassettes: Mapping[str, bytes], pins: Pins) -> None:
    """Writes `cassettes` by file name, and the pins of all recordings of the task; what they do not name is removed.

    Raises `Unavailable` (`write_failed`), and says which state holds then.
    """
    place = folder.place
    record = place.folder / journal(folder.read(PINS, DEFAULT.pins_bytes))
    draft = record.with_suffix(".draft")
    try:
        for name, raw in cassettes.items():
            _write(place.folder / staged(name, pins.cassettes[name].sha256), raw)
        _write(draft, to_bytes(pins))
        _sync(place.folder)
        draft.replace(record)
    except OSError as error:
        with suppress(OSError):
            _clean(place)
        raise _failure(place, "nothing was changed, the old recordings hold", error) from None
    try:
        _sync(place.folder)
        _put_in_place(place, record, pins)
    except OSError as error:
        state = f"the new recordings hold; `tapegate cassette pin {place.key}` puts them in place"
        raise _failure(place, state, error) from None


def _recover(folder: Folder) -> None:
    """Completes a write that counts but did not end, and removes what remains of one that never counted."""
    name = journal(folder.read(PINS, DEFAULT.pins_bytes))
    raw = folder.read(name, DEFAULT.pins_bytes)
    if raw is not None:
        _put_in_place(folder.place, folder.place.folder / name, read_pins(raw, folder.place.shown(name)))
    _clean(folder.place)


def _put_in_place(place: Place, record: Path, pins: Pins) -> None:
    for name, pin in pins.cassettes.items():
        waiting = place.folder / staged(name, pin.sha256)
        if waiting.exists():
            waiting.replace(place.folder / name)
    for name in place.names():
        if TRIAL.fullmatch(name) and name not in pins.cassettes:
            (place.folder / name).unlink()
    # Cassettes must be on the disk before the pins that name them.
    _sync(place.folder)
    record.replace(place.folder / PINS)
    _sync(place.folder)


def _clean(place: Place) -> None:
    # Sorted, so that a journal goes before the staged files that it speaks of.
    for name in filter(is_leftover, place.names()):
        (place.folder / name).unlink()


def _make(folder: Path, root: Path) -> None:
    for path in reversed([folder, *folder.parents]):
        if path.is_relative_to(root) and not path.is_dir():
            with suppress(FileExistsError):
                path.mkdir()
            _sync(path.parent)


def _write(path: Path, raw: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        left = memoryview(raw)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failure(place: Place, state: str, error: OSError) -> Unavailable:
    message = f"the recordings of {place.key!r} could not be written: {error.strerror or error}; {state}"
    return Unavailable(Problem("write_failed", message, file=place.shown()))
