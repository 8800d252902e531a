"""The sentences of an answer, by fixed rules for English prose and Markdown lists."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"(?i)(?:^|[\s(\[“\"'])(?:e\.g|i\.e|cf|vs|etc|al|fig|figs|eq|sec|ch|no|vol|pp|p|dr|mr|mrs|ms|prof|st|approx|resp|[a-z])\.$"
)
_END = re.compile(r"[.!?…。！？]+[\"'”’)\]*_`]*(?=\s|$|(?<=[。！？]))")
_LINE = re.compile(r"\n\s*(?:\n|(?=[-*+•]\s|\d+[.)]\s|#))")
_ENUMERATOR = re.compile(r"(?:[-*+•#>]+|\d+[.)]\s+(?=\S)|\s)+")
"""What a list item begins with. A number counts only before a text: alone, `1.` is all that was said."""


def sentences(text: str) -> list[str]:
    """The sentences in order. Paragraphs and list items end one; abbreviations and decimal points do not."""
    found = []
    for block in _LINE.split(text):
        start = enumerator.end() if (enumerator := _ENUMERATOR.match(block)) else 0
        for end in _END.finditer(block, start):
            rest = block[end.end() :].lstrip()
            abbreviated = end.group().startswith(".") and _ABBREVIATION.search(
                block[max(0, start, end.end() - 12) : end.end()]
            )
            if rest and (abbreviated or rest[0].islower()):
                continue
            found.append(block[start : end.end()].strip())
            start = end.end()
        found.append(block[start:].strip())
    return [sentence for sentence in found if any(char.isalnum() for char in sentence)]
