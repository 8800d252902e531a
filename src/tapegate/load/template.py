"""Placeholders in the config's texts: `{input}`, `{port}` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tapegate.load.document import Json
from tapegate.model.source import Path

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""A name in braces. Every other brace is text, so that JSON stands in a template as it is."""

PER_TRIAL = frozenset({"input", "seed", "db", "workspace", "project", "python", "clock"})
"""What every subject is given."""

PIECES = frozenset({"chunks", "byte_chunks"})
"""What a Python subject is given of a stream fixture; each stands for a list, and so is all of its text."""

SERVER = PER_TRIAL | {"port"}
"""What a subject is given that listens on a port."""

STAND_IN = frozenset({"port", "project", "python"})
"""What a server is given that is started before any trial."""


def placeholders(value: Json, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every placeholder in the texts of a value, with the path of the text."""
    match value:
        case str():
            for found in PLACEHOLDER.finditer(value):
                yield path, found[1]
        case dict():
            for key, part in value.items():
                yield from placeholders(part, (*path, key))
        case list() | tuple():
            for index, part in enumerate(value):
                yield from placeholders(part, (*path, index))
