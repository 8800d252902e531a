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
        return f"{where}: recorded {show(self.recorded)}, now {show(self.asked)}"


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
    before = after = 0
    diff = difflib.unified_diff(recorded.splitlines(), asked.splitlines(), lineterm="", n=1)
    for line in list(diff)[2:]:
        if line.startswith("@@"):
            before, after = (int(part.split(",")[0][1:]) for part in line.split()[1:3])
            lines.append(f"  line {after if after else before}:")
        else:
            lines.append("    " + _cut(line))
    if len(lines) > MOST_LINES:
        more = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"    … {more} more lines differ"]
    return lines


def listed(found: Sequence[Change], most: int = 8) -> list[str]:
    """The changes as lines, the first `most` of them, and how many more there are."""
    lines = [line for change in found[:most] for line in str(change).split("\n")]
    if len(found) > most:
        lines.append(f"… {len(found) - most} more values differ")
    return lines


def show(value: Any) -> str:
    """A value on one line, cut when long."""
    if isinstance(value, Number):
        return str(value)
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_WIDTH else text[: MOST_WIDTH - 1] + "…"
