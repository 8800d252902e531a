"""Whether an answer says something, however it spells it: words, numbers, dashes, spaces, case."""

from __future__ import annotations

import re
from functools import lru_cache

from tapegate.oracles.folding import fold

_MARKUP = re.compile(r"[*_`]+")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])-(?=\w)|(?<=\d)-(?=[^\W\d_])")
"""A dash in a word; one between two digits is a range or a minus and stays."""
_GROUPED = re.compile(r"(?<![\w.,'’])[+-]?\d{1,3}([,'’\u00a0\u2009\u202f ])\d{3}(?:\1\d{3})*(?![,'’]?\d)")
"""A number with thousands separators, all of one kind, between groups of three."""
_OTHER_NUMBER = re.compile(r"\d[.,']?$|[^\W\d_]$|(?:^|[^\w)])[-.]$")
"""What before a digit makes it a part of something else: digits, a letter, a minus, a decimal point."""
_SPACE = re.compile(r"\s+")
_UNIT = re.compile(r"(?<=\d) (?=%)")


@lru_cache(maxsize=32)
def normal(text: str) -> str:
    """The text without case, accents, emphasis, thousands separators; dashes in words are spaces, spaces are single."""
    text = _MARKUP.sub("", _DASHES.sub("-", fold(text).text))
    text = _GROUPED.sub(lambda found: found.group().replace(found.group(1), ""), text)
    text = _BETWEEN_WORDS.sub(" ", text.casefold())
    return _UNIT.sub("", _SPACE.sub(" ", text)).strip()


def says(answer: str, wording: str) -> bool:
    """Whether the answer holds the wording as whole words and whole numbers, in any spelling."""
    text, sought = normal(answer), normal(wording)
    start = text.find(sought)
    while sought and start >= 0:
        if _whole(text, sought, start):
            return True
        start = text.find(sought, start + 1)
    return False


def _whole(text: str, sought: str, start: int) -> bool:
    """Whether no letter, digit or sign that touches the place would make it another word or number."""
    end = start + len(sought)
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if sought[0].isdigit():
        if _OTHER_NUMBER.search(before):
            return False
    elif sought[0].isalnum() and before[-1:].isalnum():
        return False
    if sought[-1].isdigit():
        return re.match(r"[.,']?\d|[^\W\d_]", after) is None
    return not (sought[-1].isalnum() and after[:1].isalnum())
