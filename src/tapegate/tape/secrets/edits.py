"""Replacing pieces of a body that arrived in chunks, so that the chunks still add up to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True, slots=True)
class Edit:
    """One piece of a text, and what takes its place."""

    start: int
    end: int
    new: bytes


def apply(text: bytes, edits: Sequence[Edit]) -> bytes:
    """`text` with `edits` made; they are in order and do not overlap."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.new]
        at = edit.end
    return b"".join([*pieces, text[at:]])


def resize(sizes: Sequence[int], edits: Sequence[Edit]) -> list[int]:
    """Chunk sizes after `edits`: a boundary inside a replaced piece stays as far into the new one as it reaches."""
    starts = [edit.start for edit in edits]
    grown = [0, *accumulate(len(edit.new) - (edit.end - edit.start) for edit in edits)]

    def moved(boundary: int) -> int:
        index = bisect_right(starts, boundary) - 1
        if index < 0:
            return boundary
        edit = edits[index]
        if boundary >= edit.end:
            return boundary + grown[index + 1]
        return edit.start + grown[index] + min(boundary - edit.start, len(edit.new))

    return [end - start for start, end in pairwise(map(moved, [0, *accumulate(sizes)]))]
