"""Cassettes of vcrpy on the disk: held to their pins, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from vcr.persisters.filesystem import CassetteNotFoundError
from vcr.serialize import deserialize, serialize

from tapegate.errors import Unavailable
from tapegate.tape.limits import DEFAULT
from tapegate.tape.refusal import refusal

FIX = "restore the committed file, or delete it with its pins and record again"


class Persister:
    """What vcrpy calls a persister.

    Beside `NAME.yaml` stands `NAME.yaml.pins`: a line `sha256 bytes interactions`, and while a file is being replaced a
    second one, so that after a crash at any point the old file or the new one is the one that is pinned. A cassette
    without pins, which stock vcrpy recorded, is read; one that its pins do not know is refused.
    """

    def __init__(self, extra_paths: Iterable[str] = ()) -> None:
        self._extra = tuple(extra_paths)

    def load_cassette(self, cassette_path: Any, serializer: Any) -> tuple[list[Any], list[Any]]:
        """Requests and responses of a cassette, and of the extra ones. Raises `CassetteError`, or vcrpy's own
        `CassetteNotFoundError` where there is none."""
        requests: list[Any] = []
        responses: list[Any] = []
        for path in dict.fromkeys([Path(cassette_path), *map(Path, self._extra)]):
            found = self._load(path, serializer)
            if found is not None:
                requests += found[0]
                responses += found[1]
        if not requests:
            raise CassetteNotFoundError
        return requests, responses

    def save_cassette(self, cassette_path: Any, cassette_dict: dict[str, Any], serializer: Any) -> None:
        """Replace a cassette. Raises `CassetteError` where it may not be written, `Unavailable` where the disk fails;
        then the old one holds."""
        path = Path(cassette_path)
        raw = serialize(cassette_dict, serializer).encode()
        pin = f"{hashlib.sha256(raw).hexdigest()} {len(raw)} {len(cassette_dict['requests'])}\n".encode()
        pins = _pins(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            old = pins.read_bytes() if pins.exists() and path.exists() else b""
            if old:
                _replace(pins, b"".join(dict.fromkeys([*old.splitlines(keepends=True), pin])))
            _replace(path, raw)
            _replace(pins, pin)
        except OSError as error:
            raise Unavailable.of(
                "write_failed", f"{path.name!r} could not be written: {error.strerror or error}; the old one holds"
            ) from error

    def _load(self, path: Path, serializer: Any) -> tuple[list[Any], list[Any]] | None:
        name, pins = str(path), _pins(path)
        if not path.is_file():
            if pins.is_file():
                raise refusal("cassette_missing", "the pins list it, and there is no such file", name, fix=FIX)
            return None
        if path.stat().st_size > DEFAULT.file_bytes:
            raise refusal("size_limit", f"more than {DEFAULT.file_bytes:,} bytes", name, fix=FIX)
        raw = path.read_bytes()
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise refusal("cassette_corrupt", f"not UTF-8 at byte {error.start}", name, fix=FIX) from None
        requests, responses, *_ = self._read(text, serializer, name)
        if pins.is_file():
            _check(raw, len(requests), pins.read_text("ascii", "replace"), name)
        return requests, responses

    def _read(self, text: str, serializer: Any, name: str) -> Any:
        try:
            return deserialize(text, serializer)
        except (KeyError, TypeError, AttributeError) as error:
            # What vcrpy raises, bare, for an interaction without a request or a response.
            raise refusal("cassette_corrupt", f"an interaction lacks {error}", name, fix=FIX) from error


def _check(raw: bytes, count: int, pins: str, name: str) -> None:
    found = f"{hashlib.sha256(raw).hexdigest()} {len(raw)} {count}"
    known = pins.split("\n")[:-1]
    if found not in known:
        expected = known[-1] if known else "nothing"
        message = f"sha256, bytes and interactions are {found}; its pins say {expected}"
        raise refusal("hash_mismatch", message, name, fix=FIX)


def _pins(path: Path) -> Path:
    return path.with_name(path.name + ".pins")


def _replace(path: Path, raw: bytes) -> None:
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
