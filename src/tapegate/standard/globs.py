"""Paths and globs of the config, held against names: also against those of files that are no longer there."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def names(patterns: Iterable[str], name: str) -> bool:
    """Whether one of `patterns` names the file `name`, both from the project's root.

    As `glob` does on the disk, hidden files included: `*` and `?` stay in their folder, `**` as a whole step is any
    number of folders. A pattern is also the literal name of a file: `app/[id]/page.tsx`.
    """
    return any(pattern == name or _fits(pattern.split("/"), name.split("/")) for pattern in patterns)


def _fits(steps: list[str], parts: list[str]) -> bool:
    reached = {0}
    """How many parts of the name the steps so far may have taken."""
    for place, step in enumerate(steps):
        if step == "**":
            least = min(reached) + (place == len(steps) - 1)
            reached = set(range(least, len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], step)}
        if not reached:
            return False
    return len(parts) in reached
