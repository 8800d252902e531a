"""Putting marks in the place of values, whatever encoding they wear, in text that came in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from tapegate.errors import CassetteError
from tapegate.tape.secrets.base64run import runs
from tapegate.tape.secrets.edits import Edit, apply, resize
from tapegate.tape.secrets.rule import compile_bytes
from tapegate.tape.secrets.value import Value

_LEAST = 9
"""Base64 digits that the shortest value at least fills."""
_ROUNDS = 8


class Marker:
    """Replaces `values` by their marks. A mark in base64 or hexadecimal stands there encoded likewise.

    A `bare` one writes these encodings in one fixed way (no padding, no line breaks, no escapes, lower case), so that
    texts which differ in that alone become equal; else they keep the dress of what they replace, for a reader who may
    insist on it.
    """

    def __init__(self, values: Iterable[Value], *, bare: bool) -> None:
        self.values = tuple(values)
        self._bare = bare

    def holds(self, text: bytes) -> bool:
        """Whether a value may stand in `text`: quick, and never wrong when it says no."""
        return self._any is not None and self._any.search(text) is not None

    def replace(self, text: bytes, sizes: Sequence[int] = ()) -> tuple[bytes, list[int]]:
        """`text` and its chunk sizes after it; the very same `text` where nothing changes.

        Raises CassetteError `secret_found` where the marks themselves form values with what is around them.
        """
        sizes = list(sizes)
        for _ in range(_ROUNDS):
            if not self.holds(text):
                return text, sizes
            before = text
            for find in (self._plain, self._in_base64):
                edits = find(text)
                if edits:
                    text, sizes = apply(text, edits), resize(sizes, edits)
            if text is before:
                return text, sizes
        names = ", ".join(sorted({value.name for value in self.values}))
        raise CassetteError.of(
            "secret_found",
            f"a value among those of {names} comes back whenever it is replaced by its mark",
            fix="give these variables values that have nothing in common with each other or with their names",
        )

    def _plain(self, text: bytes) -> list[Edit]:
        found = []
        for value in self.values:
            for match in value.plain.finditer(text):
                start, end = match.span()
                found.append(Edit(start, end, value.mark if match[1] is None else self._hex(value.mark, match[1])))
        found.sort(key=lambda edit: (edit.start, -edit.end))
        # Values may overlap in a text; together they are one piece, and it gets the mark of the first and longest.
        merged: list[Edit] = []
        for edit in found:
            if merged and edit.start < merged[-1].end:
                merged[-1] = Edit(merged[-1].start, max(merged[-1].end, edit.end), merged[-1].new)
            else:
                merged.append(edit)
        return [edit for edit in merged if text[edit.start : edit.end] != edit.new]

    def _hex(self, new: bytes, old: bytes) -> bytes:
        upper = not self._bare and old != old.lower()
        return (new.hex().upper() if upper else new.hex()).encode()

    def _in_base64(self, text: bytes) -> list[Edit]:
        if self._any_base64.search(text) is None:
            return []
        edits: list[Edit] = []
        for run in runs(text, _LEAST):
            taken = any(run.start < edit.end and edit.start < run.end for edit in edits)
            if taken or self._any_base64.search(run.text) is None:
                continue
            for phase in range(4):
                decoded = run.decoded(phase)
                if any(value.plain.search(decoded) is not None for value in self.values):
                    new = run.encoded(phase, apply(decoded, self._plain(decoded)), bare=self._bare)
                    if new != run.text:
                        edits.append(Edit(run.start, run.end, new))
                    break
        return sorted(edits, key=lambda edit: edit.start)

    @cached_property
    def _any(self) -> Any:
        """One pattern for all, so that a text without any is read once; None without values."""
        shapes = [shape for value in self.values for shape in (value.spelled, value.in_hex, value.in_base64)]
        return compile_bytes("|".join(shapes), max_mem=1 << 28) if shapes else None

    @cached_property
    def _any_base64(self) -> Any:
        return compile_bytes("|".join(value.in_base64 for value in self.values))
