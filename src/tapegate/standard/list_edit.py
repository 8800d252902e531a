"""A list in the text of a YAML or JSON file, with entries taken out and put in: all else stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tapegate.load.document import Document
from tapegate.model.source import Path

_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,\[\]{}#\n]+')


class NotPlain(ValueError):
    """A list whose text cannot be changed without touching more than its entries."""


def edited(text: str, document: Document, path: Path, wanted: Sequence[str]) -> str:
    """`text`, whose document is `document`, with the list of texts at `path` made `wanted`.

    `wanted` is the list without some of its entries, followed by new ones. Raises `NotPlain`.
    """
    entries = _list(document, path)
    kept: list[int] = []
    for index, entry in enumerate(entries):
        if len(kept) < len(wanted) and wanted[len(kept)] == entry:
            kept.append(index)
    if not kept:
        raise NotPlain
    lines = text.split("\n")
    change = _Flow if _char(lines, document.place(path)) == "[" else _Block
    editor = change(lines, [document.place((*path, index)) for index in range(len(entries))])
    for entry in reversed(wanted[len(kept) :]):
        editor.append(entry, quoted=document.source.file.endswith(".json"))
    for index in reversed(range(len(entries))):
        if index not in kept:
            editor.remove(index)
    return "\n".join(lines)


def _list(document: Document, path: Path) -> list[str]:
    value = document.value
    for part in path:
        value = value[part]
    if not isinstance(value, list) or not value or not all(isinstance(entry, str) for entry in value):
        raise NotPlain
    return value


def _char(lines: Sequence[str], place: tuple[int, int]) -> str:
    line, column = place
    return lines[line - 1][column - 1 : column]


class _Flow:
    """`[one, two]`, on one line or several."""

    def __init__(self, lines: list[str], places: Sequence[tuple[int, int]]) -> None:
        self._lines = lines
        self._spans = [self._span(line - 1, column - 1) for line, column in places]

    def append(self, entry: str, *, quoted: bool) -> None:
        row, _, end = self._spans[-1]
        line = self._lines[row]
        self._lines[row] = f"{line[:end]}, {json.dumps(entry) if quoted else entry}{line[end:]}"

    def remove(self, index: int) -> None:
        """Entries are removed from the last to the first, so that no span has moved."""
        row, start, end = self._spans[index]
        other = self._spans[1 if index == 0 else index - 1]
        if other[0] != row:
            raise NotPlain
        start, end = (start, other[1]) if index == 0 else (other[2], end)
        self._lines[row] = self._lines[row][:start] + self._lines[row][end:]

    def _span(self, row: int, start: int) -> tuple[int, int, int]:
        found = _SCALAR.match(self._lines[row], start)
        if found is None:
            raise NotPlain
        return row, start, start + len(found[0].rstrip())


class _Block:
    """One line an entry, each after `- `."""

    def __init__(self, lines: list[str], places: Sequence[tuple[int, int]]) -> None:
        self._lines = lines
        self._rows = [line - 1 for line, _ in places]
        self._heads = [lines[line - 1][: column - 1] for line, column in places]
        if len(set(self._rows)) != len(self._rows) or any(head.strip() != "-" for head in self._heads):
            raise NotPlain

    def append(self, entry: str, *, quoted: bool) -> None:
        self._lines.insert(self._rows[-1] + 1, self._heads[-1] + entry)

    def remove(self, index: int) -> None:
        del self._lines[self._rows[index]]
