"""Where the parts of a loaded file stand, so that a finding can point at the line it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
"""The place of a value in a document: keys and list indexes from its root."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file a document came from, and the line of each of its values."""

    file: str
    lines: Mapping[Path, int] = field(default_factory=dict)
    """1-based line of the value at each path; the root is `()`."""

    def line(self, *path: str | int) -> int:
        """The line of the value at `path`, or of its nearest ancestor that the file holds; 1 at the worst."""
        for end in range(len(path), -1, -1):
            found = self.lines.get(path[:end])
            if found is not None:
                return found
        return 1
