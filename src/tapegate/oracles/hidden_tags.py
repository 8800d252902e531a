"""Tags whose content no user may see, found in a text under their usual disguises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tapegate.oracles.folding import Folded, foldings
from tapegate.oracles.patterns import Pattern, compiled

NAMES = (
    "thinking", "think", "thoughts", "thought", "antthinking", "reasoning", "reasoning_scratchpad", "scratchpad",
    "reflection", "monologue", "inner_monologue", "private", "internal", "hidden", "system_prompt", "system-reminder",
)  # fmt: skip
"""What models and agents call the text that they keep to themselves."""

_COMMON = frozenset({"think", "thoughts", "thought", "reflection", "private", "internal", "hidden"})
"""Names that are ordinary words too: `<private key>` stands for a key."""
_SWITCHES = "hidden|inert|disabled|open|closed|collapsed|async|defer|readonly|private|internal|redacted|silent"
"""Attributes without a value."""
_SUFFIX = (
    r"(?:[_-]?[0-9]+|[_-](?:content|mode|process|block|text|steps?|trace|tokens?|budget|effort|summary|details|log))?"
)
"""What models append to a name."""
_JUNK = r"[\s._*~`-]*"
"""What may stand between the letters of a spaced-out name."""


@dataclass(frozen=True, slots=True)
class HiddenTag:
    """A hidden tag, or a piece of one, in what the user sees."""

    name: str
    closing: bool
    partial: bool
    """Whether the text ends before the tag does: what follows might make it another word, or a tag."""
    start: int
    end: int


def hidden_tags(text: str) -> list[HiddenTag]:
    """Every hidden tag in the text, in order, each place once however many readings show it."""
    seen = (tag for reading in foldings(text) for tag in (*_whole(reading), *_partial(reading)))
    tags: list[HiddenTag] = []
    for tag in sorted(seen, key=lambda tag: (tag.start, tag.partial, -tag.end)):
        if not tags or tag.start >= tags[-1].end:
            tags.append(tag)
    return tags


def unclosed(tags: list[HiddenTag]) -> set[int]:
    """The starts of the opening tags that no closing tag of the same name follows."""
    open_: dict[str, list[int]] = {}
    for tag in tags:
        if not tag.closing and not tag.partial:
            open_.setdefault(tag.name, []).append(tag.start)
        elif tag.closing and open_.get(tag.name):
            open_[tag.name].pop()
    return {start for starts in open_.values() for start in starts}


@cache
def _pattern() -> Pattern:
    names = "|".join(_JUNK.join(map(re.escape, re.split(r"(?<=[a-z])", name)[:-1])) for name in _longest_first())
    told = "|".join(map(re.escape, _uncommon()))
    switch = rf"\s+(?:{_SWITCHES})\s*/?>"
    tail = rf"{_SUFFIX}(?:[\s|/\\._*~`-]*>|{switch}|\s+[\w:.-]+\s*=|\s+[\"']|[ \t]*\n|\s*\z)"
    angle = rf"<[\s|\\._*~`-]*(?:/[\s|\\._*~`-]*)?(?:[\w:.-]*[_:.0-9-])?(?:{names}){tail}"
    bracket = rf"\[\s*/\s*(?:{names})\s*\]"
    bracket += r"|(?-i:\[THINK(?:ING)?\])"  # as Mistral's models open it; in small letters it is a stage direction
    harmony = r"<\|\s*channel\s*\|>"
    quoted = rf"«/?(?:think|{told})»"
    orphan = rf"(?:^|[^\w/<])/\s*(?:{names})\s*>"  # the end of a closing tag whose start a filter ate
    return compiled(f"(?i){angle}|{bracket}|{harmony}|{quoted}|{orphan}")


def _uncommon() -> list[str]:
    return [name for name in _longest_first() if name not in _COMMON]


def _longest_first() -> list[str]:
    return sorted(NAMES, key=lambda name: (-len(name), name))


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if "a" <= char <= "z")


def _whole(reading: Folded) -> Iterator[HiddenTag]:
    text = reading.text
    if not any(bracket in text for bracket in "<>[«"):
        return
    for start, end in _pattern().spans(text):
        spelled = _letters(re.split(r"=", text[start:end])[0])
        found = [(spelled.find(_letters(name)), name) for name in _longest_first() if _letters(name) in spelled]
        name = min(found, key=lambda each: each[0])[1] if found else spelled
        opening = text[start:end].lstrip("<[«| \t\n\r\\._*~`-")
        raw_start, raw_end = reading.origin(start, end)
        yield HiddenTag(name, opening.startswith("/"), text[end - 1] not in ">]»=\n\"'", raw_start, raw_end)


def _partial(reading: Folded) -> Iterator[HiddenTag]:
    """A tag that the text breaks off in: two letters of its name suffice, one after a slash."""
    text = reading.text
    start = text.rfind("<", max(0, len(text) - 80))
    if start < 0:
        return
    rest = text[start + 1 :].lstrip()
    attribute = re.fullmatch(r"([A-Za-z_-]+)\s+([\w:.-]+)", rest)
    if attribute is not None and (name := attribute[1].lower()) in NAMES:
        if name not in _COMMON or any(word.startswith(attribute[2].lower()) for word in _SWITCHES.split("|")):
            yield HiddenTag(name, False, True, *reading.origin(start, len(text)))
        return
    closing = rest.startswith("/")
    spelled = _letters(rest)
    if re.fullmatch(r"/?[A-Za-z\s._*~`-]*", rest) is None or len(spelled) < (1 if closing else 2):
        return
    for name in NAMES:
        if _letters(name).startswith(spelled) and _letters(name) != spelled:
            yield HiddenTag(name, closing, True, *reading.origin(start, len(text)))
            return
