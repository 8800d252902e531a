"""The files of an artifact that a stranger's run may have made. Nothing of it is believed: no name and no size.

A zip is never unpacked before all of its directory was looked at, and what is read of it is counted while it is read.
"""

from __future__ import annotations

import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from tapegate.errors import BadInput

MOST_FILES = 100_000
"""Three trials of 30,000 tasks leave fewer."""
MOST_BYTES = 2_000_000_000
"""Of all files together, unpacked."""
MOST_OF_ONE = 512_000_000
"""Of a single one: it is held in memory."""
MOST_ZIPPED = 256_000_000
"""Of the zip itself."""
_MOST_DIRECTORY = 16_000_000
_LONGEST_NAME = 1_000
_LONGEST_PART = 255

_END, _END_64, _END_64_AT = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError,
    OSError, ValueError, OverflowError, IndexError, KeyError,
)  # fmt: skip
"""What `zipfile` raises, over the years, for a file that is no zip."""


@dataclass(frozen=True, slots=True)
class Untrusted:
    """A folder, or the bytes of a zip, whose names were all looked at."""

    names: Mapping[str, int]
    """Of the regular files, with their declared sizes."""
    _folder: Path | None = None
    _zip: zipfile.ZipFile | None = None

    @classmethod
    def of_zip(cls, raw: bytes) -> Untrusted:
        """The files of a zip. Raises BadInput `bad_artifact`."""
        _bounded(raw)
        try:
            opened = zipfile.ZipFile(BytesIO(raw))
            listed = [(info, _mode(info)) for info in opened.infolist()]
        except _BROKEN as error:
            raise _bad(f"it is no zip that can be read: {type(error).__name__}") from None
        names: list[tuple[str, int]] = []
        for info, mode in listed:
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _bad(f"{info.filename!r:.200} is encrypted or packed in an unusual way")
            if info.is_dir():
                _checked(info.filename.rstrip("/"))
            elif mode and not stat.S_ISREG(mode):
                raise _bad(f"{info.filename!r:.200} is no regular file but a link or a device")
            else:
                names.append((info.filename, info.file_size))
        return cls(_unique(names), _zip=opened)

    @classmethod
    def of_folder(cls, folder: Path) -> Untrusted:
        """The files below a folder that something else unpacked. Raises BadInput `bad_artifact`."""
        names: list[tuple[str, int]] = []
        for base, folders, files in os.walk(folder, followlinks=False):
            for name in [*folders, *files]:
                path = Path(base, name)
                found = path.lstat()
                shown = path.relative_to(folder).as_posix()
                if stat.S_ISREG(found.st_mode):
                    names.append((shown, found.st_size))
                elif not stat.S_ISDIR(found.st_mode):
                    raise _bad(f"{shown!r:.200} is no regular file but a link or a device")
            if len(names) > MOST_FILES:
                break
        return cls(_unique(names), _folder=folder)

    @classmethod
    def at(cls, path: Path) -> Untrusted:
        """What lies at a path: a folder or a zip. Raises BadInput `bad_artifact`."""
        if path.is_dir():
            return cls.of_folder(path)
        try:
            with path.open("rb") as file:
                raw = file.read(MOST_ZIPPED + 1)
        except OSError as error:
            raise _bad(f"{str(path)!r} cannot be read: {error.strerror}") from None
        return cls.of_zip(raw)

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """A file's bytes; None where there is none. Raises BadInput `bad_artifact` for one that is larger."""
        if name not in self.names:
            return None
        try:
            with self._open(name) as file:
                raw = file.read(most_bytes + 1)
        except _BROKEN as error:
            raise _bad(f"{name!r:.200} cannot be read: {type(error).__name__}") from None
        if len(raw) > most_bytes:
            raise _bad(f"{name!r:.200} has more than {most_bytes:,} bytes")
        return raw

    def unpack(self, to: Path) -> None:
        """Write all files below a new folder. Raises BadInput `bad_artifact` where they are more than they say."""
        left = MOST_BYTES
        for name in self.names:
            raw = self.read(name, min(left, MOST_OF_ONE))
            assert raw is not None
            left -= len(raw)
            path = to.joinpath(*name.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            # Nothing that is there is written over or through.
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
                file.write(raw)

    @contextmanager
    def _open(self, name: str) -> Iterator[IO[bytes]]:
        if self._zip is not None:
            with self._zip.open(name) as file:
                yield file
            return
        assert self._folder is not None
        # A link that took the file's place since it was looked at is not followed.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(self._folder / name, flags), "rb") as file:
            yield file


def _bounded(raw: bytes) -> None:
    """Look at what the zip says of its directory before anything makes objects of it."""
    if len(raw) > MOST_ZIPPED:
        raise _bad(f"it has more than {MOST_ZIPPED:,} bytes")
    at = len(raw) - 22
    if raw[at : at + 4] != _END or raw[-2:] != b"\0\0":
        at = raw.rfind(_END, max(0, len(raw) - 65_557))
    if at < 0 or len(raw) < at + 22:
        raise _bad("it is no zip: it has no end")
    count, size = struct.unpack_from("<HL", raw, at + 10)
    if at >= 76 and raw[at - 20 : at - 16] == _END_64_AT and raw[at - 76 : at - 72] == _END_64:
        count, size = struct.unpack_from("<QQ", raw, at - 76 + 32)
    if count > 2 * MOST_FILES:
        raise _bad(f"it lists {count:,} files, more than the {MOST_FILES:,} that are read")
    if size > _MOST_DIRECTORY:
        raise _bad(f"its list of files has {size:,} bytes, more than the {_MOST_DIRECTORY:,} that are read")


def _unique(names: list[tuple[str, int]]) -> dict[str, int]:
    """The names, each checked, and no two of them one on any file system."""
    if len(names) > MOST_FILES:
        raise _bad(f"it has more than {MOST_FILES:,} files")
    if sum(size for _, size in names) > MOST_BYTES:
        raise _bad(f"its files have more than {MOST_BYTES:,} bytes")
    seen: dict[str, str] = {}
    for name, _ in names:
        alike = unicodedata.normalize("NFC", _checked(name)).casefold()
        if alike in seen:
            raise _bad(f"{seen[alike]!r:.200} and {name!r:.200} are one name")
        seen[alike] = name
    for alike, name in seen.items():
        above = alike.rpartition("/")[0]
        while above:
            if above in seen:
                raise _bad(f"{seen[above]!r:.200} is a file and the folder of {name!r:.200}")
            above = above.rpartition("/")[0]
    return dict(names)


def _checked(name: str) -> str:
    parts = name.split("/")
    plain = name.isprintable() and not any(mark in name for mark in '\\:*?"<>|') and len(name) <= _LONGEST_NAME
    if not plain or any(part in ("", ".", "..") or len(part.encode()) > _LONGEST_PART for part in parts):
        raise _bad(f"{name!r:.200} is no name of a file in it")
    return name


def _mode(info: zipfile.ZipInfo) -> int:
    """What kind of file an entry is where a Unix wrote it; 0 where it does not say."""
    return stat.S_IFMT(info.external_attr >> 16)


def _bad(why: str) -> BadInput:
    fix = "run the gate again; an artifact that a gate left is none of this"
    return BadInput.of("bad_artifact", f"the artifact cannot be used: {why}", fix=fix)
