"""The small path language of normalisers and messages: `messages[*].tool_call_id`, `metadata.*`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tapegate.errors import LoadError

_STEP = re.compile(r"(?:^|(?<=.)\.)([A-Za-z_$][\w$-]*|\*)|\[(\d+|\*)\]")


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a key, an index, or every one of them."""

    key: str | int | None
    """None: every key or index."""
    in_list: bool

    def keys(self, holder: Any) -> Iterable[Any]:
        """The keys or indexes of `holder` that this step leads to."""
        if self.in_list and isinstance(holder, list):
            if self.key is None:
                return range(len(holder))
            return [self.key] if isinstance(self.key, int) and self.key < len(holder) else []
        if not self.in_list and isinstance(holder, dict):
            if self.key is None:
                return list(holder)
            return [self.key] if self.key in holder else []
        return []


def parse_path(text: str) -> tuple[Step, ...]:
    """The steps of `text`. Raises LoadError `bad_path` when it is no such path."""
    steps, at = [], 0
    while at < len(text):
        found = _STEP.match(text, at)
        if not found:
            raise LoadError.of(
                "bad_path",
                f"{text!r} is no path at character {at + 1}; expected keys, `.`, `[n]`, `[*]` or `*`",
                fix="write it like `messages[*].tool_call_id`",
            )
        name, index = found.groups()
        if index is None:
            steps.append(Step(None if name == "*" else name, in_list=False))
        else:
            steps.append(Step(None if index == "*" else int(index), in_list=True))
        at = found.end()
    if not steps:
        raise LoadError.of("bad_path", "an empty path names nothing", fix="write it like `messages[*].tool_call_id`")
    return tuple(steps)


def render_path(path: Iterable[str | int]) -> str:
    """A path as this language writes it."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "(the whole body)"
