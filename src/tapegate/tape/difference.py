"""Where two JSON documents, or two texts, differ, in words for a person."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tapegate.tape.canonical import Number
from tapegate.tape.jsonpath import render_path

MOST_LINES = 16
MOST_WIDTH = 160
MOST_COMPARED = 1_000
"""Lines of a text from the first that differs on: what comparing costs grows with their square, and an agent waits."""
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs between a recording and a request."""

    path: tuple[str | int, ...]
    recorded: Any
    asked: Any

    def __str__(self) -> str:
        where = render_path(self.path)
        if self.recorded is _ABSENT:
            return f"{where}: not recorded, now {show(self.asked)}"
        if self.asked is _ABSENT:
            return f"{where}: recorded {show(self.recorded)}, now absent"
        if isinstance(self.recorded, str) and isinstance(self.asked, str) and "\n" in self.recorded + self.asked:
            return "\n".join([f"{where}:", *text_diff(self.recorded, self.asked)])
        recorded, asked = _cut_alike(_line(self.recorded), _line(self.asked))
        return f"{where}: recorded {recorded}, now {asked}"


def changes(recorded: Any, asked: Any, path: tuple[str | int, ...] = ()) -> Iterator[Change]:
    """The smallest values at which two documents differ, in document order."""
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for key in [*recorded, *(key for key in asked if key not in recorded)]:
            yield from changes(recorded.get(key, _ABSENT), asked.get(key, _ABSENT), (*path, key))
    elif isinstance(recorded, list) and isinstance(asked, list):
        for number in range(max(len(recorded), len(asked))):
            mine = recorded[number] if number < len(recorded) else _ABSENT
            theirs = asked[number] if number < len(asked) else _ABSENT
            yield from changes(mine, theirs, (*path, number))
    elif type(recorded) is not type(asked) or recorded != asked:
        yield Change(path, recorded, asked)


def text_diff(recorded: str, asked: str) -> list[str]:
    """The lines that differ, `-` as recorded and `+` as asked now, with one line around them; cut when long."""
    lines: list[str] = []
    mine, theirs = recorded.splitlines(), asked.splitlines()
    skipped, cut = 0, max(len(mine), len(theirs)) > MOST_COMPARED
    if cut:
        skipped = max(0, _shared(mine, theirs) - 1)
        mine, theirs = (side[skipped : skipped + MOST_COMPARED] for side in (mine, theirs))
    for group in difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_grouped_opcodes(1):
        _, before, _, after, end = group[0]
        lines.append(f"  line {skipped + (after + 1 if end > after else before + 1)}:")
        for kind, i, j, k, m in group:
            if kind == "equal":
                lines += [f"     {_cut(line)}" for line in mine[i:j]]
                continue
            pairs = [_cut_alike(*pair) for pair in zip(mine[i:j], theirs[k:m], strict=False)]
            alone = min(j - i, m - k)
            lines += [f"    -{line}" for line in (*(old for old, _ in pairs), *map(_cut, mine[i + alone : j]))]
            lines += [f"    +{line}" for line in (*(new for _, new in pairs), *map(_cut, theirs[k + alone : m]))]
    if len(lines) > MOST_LINES:
        more = len(lines) - MOST_LINES
        where = f" in the first {MOST_COMPARED:,}" if cut else ""
        lines = [*lines[:MOST_LINES], f"    … {more} more lines differ{where}"]
    return lines


def _shared(mine: list[str], theirs: list[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(mine, theirs, strict=False))
    return next((place for place, (old, new) in pairs if old != new), min(len(mine), len(theirs)))


def listed(found: Sequence[Change], most: int = 8) -> list[str]:
    """The changes as lines, the first `most` of them, and how many more there are."""
    lines = [line for change in found[:most] for line in str(change).split("\n")]
    if len(found) > most:
        lines.append(f"… {len(found) - most} more values differ")
    return lines


def show(value: Any) -> str:
    """A value on one line, cut when long."""
    return _cut(_line(value))


def _line(value: Any) -> str:
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_WIDTH else text[: MOST_WIDTH - 1] + "…"


def _cut_alike(recorded: str, asked: str) -> tuple[str, str]:
    """Two texts that differ, cut to the same window around their first difference: what is shown is never the same."""
    if max(len(recorded), len(asked)) <= MOST_WIDTH:
        return recorded, asked
    first = next((i for i, (old, new) in enumerate(zip(recorded, asked, strict=False)) if old != new), None)
    if first is None:
        first = min(len(recorded), len(asked))
    # Most of the window is for what follows: the difference, and what it leads to.
    start = max(0, first - MOST_WIDTH // 4)
    if start == 0:
        return _cut(recorded), _cut(asked)
    return _cut("…" + recorded[start:]), _cut("…" + asked[start:])
