"""What a text holds between hidden tags, read off the whole text at once.

The rule that filters of streams are held to. It knows no pieces and shares no code with any filter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

RUN = 8
"""Characters of hidden text that must not be seen in a row; a hidden part with fewer is looked for as a whole."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Hidden:
    """The parts of a text inside and outside of hidden tags."""

    inside: tuple[str, ...]
    outside: str
    tagged: bool = True
    """Whether there is any such tag."""

    def seen_in(self, shown: str) -> tuple[int, int] | None:
        """Where `shown` holds something that is inside and nowhere outside; None where it holds nothing of it."""
        plain, outside = shown.casefold(), self.outside.casefold()
        for part in self.inside:
            hidden = part.casefold()
            for run in _runs(hidden):
                start = plain.find(run)
                if start >= 0 and run not in outside:
                    return start, start + len(run)
        return None


def hidden_pieces(text: str, tags: Sequence[str]) -> Hidden:
    """What stands between tags of these names, and what does not.

    Tags nest, in any case, with or without attributes; `<name/>` opens nothing. One that is never closed hides to the
    end, and so does one whose `>` never comes. A closing tag without an opening one hides only itself.
    """
    pattern = re.compile(rf"(?i)<(/?)({'|'.join(map(re.escape, tags))})(?=[\s/>]|$)([^<>]*)(>|$|(?=<))")
    inside: list[str] = []
    outside: list[str] = []
    open_ = dict.fromkeys((tag.lower() for tag in tags), 0)
    done = 0
    tagged = False
    for tag in pattern.finditer(text):
        (inside if any(open_.values()) else outside).append(text[done : tag.start()])
        name = tag[2].lower()
        if tag[1]:
            open_[name] = max(0, open_[name] - 1)
        elif not tag[3].endswith("/"):
            open_[name] += 1
        done = tag.end()
        tagged = True
    (inside if any(open_.values()) else outside).append(text[done:])
    return Hidden(tuple(part for part in inside if part.strip()), "".join(outside), tagged)


def _runs(hidden: str) -> Sequence[str]:
    """The runs of a hidden part that must not be seen: not made of blanks alone, and each once."""
    stripped = hidden.strip()
    if len(stripped) <= RUN:
        return [stripped] if len(_SPACE.sub("", stripped)) > 2 else []
    found = dict.fromkeys(stripped[start : start + RUN] for start in range(len(stripped) - RUN + 1))
    return [run for run in found if len(_SPACE.sub("", run)) > RUN // 2]
