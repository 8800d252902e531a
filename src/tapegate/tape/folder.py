"""The folder of a task's recordings, held open: its files are read without following a link out of the project."""

from __future__ import annotations

import errno
import os
import stat
from types import TracebackType

from tapegate.errors import CassetteError
from tapegate.tape.place import ROOM, Place

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Folder:
    """A place on the disk, opened once; below the project's root no symbolic link is followed.

    Every step is opened relative to the one before, so that nothing can be exchanged between a check and a read.
    Raises `CassetteError` (`path_escape`) where a step is a symbolic link.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.descriptor: int | None = None
        """None where the folder does not exist."""

    def __enter__(self) -> Folder:
        self.descriptor = self._opened()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)

    def names(self) -> list[str]:
        """The names of everything in the folder, sorted; none where it does not exist."""
        try:
            return [] if self.descriptor is None else sorted(os.listdir(self.descriptor))  # noqa: PTH208 - no path
        except OSError as error:
            raise self._unreadable(self.place.key, error) from None

    def read(self, name: str, limit: int) -> bytes | None:
        """The bytes of a file; None where there is none.

        Raises `CassetteError`: `path_escape` for a symbolic link, `not_a_file` for a folder, pipe or device,
        `size_limit` beyond `limit` bytes, before they are read.
        """
        descriptor = None if self.descriptor is None else self._open(name, _FILE, self.descriptor, name)
        if descriptor is None:
            return None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise self.place.refusal("not_a_file", "a folder, a pipe or a device; expected a file", name)
            raw = _all(descriptor, limit + 1) if found.st_size <= limit else b""
        except OSError as error:
            raise self._unreadable(name, error, name) from None
        finally:
            os.close(descriptor)
        size = max(found.st_size, len(raw))
        if size > limit:
            raise self.place.refusal("size_limit", f"{size:,} bytes; at most {limit:,} are read", name)
        return raw

    def _opened(self) -> int | None:
        root = self.place.root
        try:
            descriptor: int | None = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unreadable(str(root), error) from None
        for step in (ROOM, self.place.suite, self.place.key):
            assert descriptor is not None
            try:
                inner = self._open(step, _DIRECTORY, descriptor)
            finally:
                os.close(descriptor)
            descriptor = inner
            if descriptor is None:
                return None
        return descriptor

    def _open(self, step: str, flags: int, parent: int, name: str = "") -> int | None:
        try:
            return os.open(step, flags, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise self._refusal(step, parent, name) from None
            raise self._unreadable(step, error, name) from None

    def _unreadable(self, step: str, error: OSError, name: str = "") -> CassetteError:
        return self.place.refusal("unreadable", f"{step!r} cannot be read: {error.strerror}", name, "make it readable")

    def _refusal(self, step: str, parent: int, name: str) -> CassetteError:
        try:
            target = os.readlink(step, dir_fd=parent)
        except OSError:
            return self.place.refusal("not_a_folder", f"{step!r} is a file; expected a folder", name)
        return self.place.refusal(
            "path_escape",
            f"{step!r} is a symbolic link to {target!r}; recordings are read from the project's own files only",
            name,
            "replace the symbolic link by what it points to",
        )


def _all(descriptor: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
