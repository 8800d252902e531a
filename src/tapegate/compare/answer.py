"""Two answers, aligned by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from tapegate.compare.align import align
from tapegate.model.diff import Edit

_WORD = re.compile(r"\s+|/?\w+(?:[.,:'’/-]\w+)*|[^\w\s]")
"""White space, a word (a number or a link in one piece), or a single sign."""


def align_answers(base: str, head: str) -> tuple[Edit, ...]:
    """Both texts in pieces that are the same, were removed or were added; no two neighbours of one kind.

    White space between two changed words is part of the change, so that a rewritten sentence reads as one.
    """
    edits = _joined(align(_WORD.findall(base), _WORD.findall(head)))
    return tuple(_joined(_bridged(list(edits))))


def _bridged(edits: list[Edit]) -> Iterator[Edit]:
    removed = added = ""
    for place, edit in enumerate(edits):
        between = edit.op == "same" and edit.text.isspace() and 0 < place < len(edits) - 1
        if edit.op == "same" and not between:
            yield from _change(removed, added)
            removed = added = ""
            yield edit
        else:
            removed += edit.text if edit.op != "added" else ""
            added += edit.text if edit.op != "removed" else ""
    yield from _change(removed, added)


def _change(removed: str, added: str) -> Iterator[Edit]:
    if removed:
        yield Edit("removed", removed)
    if added:
        yield Edit("added", added)


def _joined(edits: Iterable[Edit]) -> Iterator[Edit]:
    for op, run in groupby(edits, key=lambda edit: edit.op):
        yield Edit(op, "".join(edit.text for edit in run))
