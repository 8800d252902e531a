"""The folder that a run wrote: what lies in it beside `results.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tapegate.errors import BadInput
from tapegate.model.trace import Trace
from tapegate.run import events_file
from tapegate.run.trace_reader import read

RESULTS = "results.json"
CONTRACTS = "contracts.json"
DIFF = "diff.json"
SIZE = 512_000_000
"""Bytes that a file of it may have."""

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9._-]*(\[[1-9][0-9]*\])?")


@dataclass(frozen=True, slots=True)
class ResultsFolder:
    """A folder of results, or a single file of them."""

    path: Path
    """The folder, or the file."""

    @classmethod
    def at(cls, path: Path) -> ResultsFolder | None:
        """What lies at a path; None where there are no results."""
        found = path.is_file() or (path / RESULTS).is_file()
        return cls(path) if found else None

    @property
    def folder(self) -> Path | None:
        """None where the results are a single file."""
        return None if self.path.is_file() else self.path

    @property
    def file(self) -> Path:
        """The results themselves."""
        return self.path if self.path.is_file() else self.path / RESULTS

    def bytes_of(self, path: Path) -> bytes:
        """What a file of it holds. Raises BadInput `unreadable_file`."""
        try:
            with path.open("rb") as handle:
                raw = handle.read(SIZE + 1)
        except OSError as error:
            raise BadInput.of("unreadable_file", f"{str(path)!r} cannot be read: {error.strerror}") from error
        if len(raw) > SIZE:
            raise BadInput.of("size_limit", f"{str(path)!r} has more than {SIZE:,} bytes")
        return raw

    def beside(self, name: str) -> bytes | None:
        """Another file of the folder; None where it is not there."""
        if self.folder is None or not (self.folder / name).is_file():
            return None
        return self.bytes_of(self.folder / name)

    def trace(self, key: str, trial: int) -> Trace | None:
        """A trial's trace; None where it is not there. Raises BadInput `bad_trace` for a file that is no trace."""
        path = self._trace(key, trial)
        return read(path, str(path)) if path is not None else None

    def trace_bytes(self, key: str, trial: int) -> bytes | None:
        """A trial's trace as it was written; None where it is not there."""
        path = self._trace(key, trial)
        return self.bytes_of(path) if path is not None else None

    def _trace(self, key: str, trial: int) -> Path | None:
        # The key comes from a file that anybody may have written: it must not lead out of the folder.
        if self.folder is None or not _KEY.fullmatch(key):
            return None
        path = events_file.place(self.folder / "traces", key, trial)
        return path if path.is_file() else None

    def commit(self) -> str:
        """The commit that its provenance names; empty where there is none."""
        return self.commit_in(self.beside("provenance.json"))

    @staticmethod
    def commit_in(provenance: bytes | None) -> str:
        """The same of a provenance that was read already."""
        try:
            document = json.loads(provenance) if provenance is not None else None
        except (ValueError, RecursionError):
            return ""
        found = document.get("code_version") if isinstance(document, Mapping) else None
        return found if isinstance(found, str) and found != "none" else ""
