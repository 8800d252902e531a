"""Two sequences, aligned so that as much as possible stays: one inserted item reads as one insertion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapegate.model.diff import Edit, Op

WORK = 400_000_000
"""Product of two lengths beyond which a middle that differs counts as replaced whole: 50 MB of rows."""

_MIRROR: dict[Op, Op] = {"same": "same", "removed": "added", "added": "removed"}


def align(base: Sequence[str], head: Sequence[str]) -> tuple[Edit, ...]:
    """Every item of both, in order, one edit each; where items were replaced, the removed come before the added.

    Swapping the two turns `removed` into `added` and changes nothing else: of several shortest alignments the choice
    does not depend on which sequence is the base.
    """
    if tuple(head) < tuple(base):
        return tuple(_sorted(Edit(_MIRROR[edit.op], edit.text) for edit in _aligned(head, base)))
    return tuple(_sorted(_aligned(base, head)))


def _aligned(base: Sequence[str], head: Sequence[str]) -> Iterator[Edit]:
    shorter = min(len(base), len(head))
    start = next((place for place in range(shorter) if base[place] != head[place]), shorter)
    rest = shorter - start
    end = next((place for place in range(rest) if base[-1 - place] != head[-1 - place]), rest)
    yield from (Edit("same", item) for item in base[:start])
    yield from _middle(base[start : len(base) - end], head[start : len(head) - end])
    yield from (Edit("same", item) for item in base[len(base) - end :])


def _middle(base: Sequence[str], head: Sequence[str]) -> Iterator[Edit]:
    if len(base) * len(head) > WORK:
        yield from (Edit("removed", item) for item in base)
        yield from (Edit("added", item) for item in head)
        return
    rows = _rows(base, head)
    edits: list[Edit] = []
    at, to = len(base), len(head)
    while at and to:
        if base[at - 1] == head[to - 1]:
            edits.append(Edit("same", base[at - 1]))
            at, to = at - 1, to - 1
        elif rows[to] >> (at - 1) & 1:
            edits.append(Edit("removed", base[at - 1]))
            at -= 1
        else:
            edits.append(Edit("added", head[to - 1]))
            to -= 1
    edits += [Edit("removed", item) for item in reversed(base[:at])]
    edits += [Edit("added", item) for item in reversed(head[:to])]
    yield from reversed(edits)


def _rows(base: Sequence[str], head: Sequence[str]) -> list[int]:
    """The table of longest common subsequences, a bit a cell (Hyyrö 2004): bit i of row j is 0 where item i of base
    makes the longest one of base[: i + 1] and head[:j] longer."""
    places: dict[str, int] = {}
    for place, item in enumerate(base):
        places[item] = places.get(item, 0) | 1 << place
    full = (1 << len(base)) - 1
    row, rows = full, [full]
    for item in head:
        found = row & places.get(item, 0)
        row = ((row + found) | (row - found)) & full
        rows.append(row)
    return rows


def _sorted(edits: Iterator[Edit]) -> Iterator[Edit]:
    """The same edits, in every changed stretch the removed before the added."""
    added: list[Edit] = []
    for edit in edits:
        if edit.op == "added":
            added.append(edit)
            continue
        if edit.op == "same":
            yield from added
            added = []
        yield edit
    yield from added
