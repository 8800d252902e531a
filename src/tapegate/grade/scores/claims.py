"""An answer cut into claims, each with the citations that stand for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tapegate.oracles.links import Link, links

_BLANK = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[^\W\d_]{2,}")
_REFERENCE = re.compile(r"\[\^?\d{1,3}\]:?")
CITING = frozenset({"local", "web", "malformed"})
"""Kinds of links that are meant as a citation; a malformed one claims support as well as any other."""
SOURCE_LINE_WORDS = 3
"""A paragraph with a citation, no more words than this outside of it and no number says where those above come from."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A paragraph of an answer, or several with one source line below them."""

    text: str
    """Without the addresses of its links; their labels are part of what is said."""
    links: tuple[Link, ...]
    """The papers and pages that it cites, and what looks like a citation and leads to none; empty: none."""


def structured(answer: str) -> list[str] | None:
    """The sentences in an answer that is JSON as a whole; None of any other.

    Its numbers are values that the agent computed, and its single words are ids, addresses and names of modes: neither
    is a claim.
    """
    if not answer.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    found, open_ = [], [value]
    while open_:  # a stack, not recursion: an answer may be nested at will
        one = open_.pop()
        if isinstance(one, dict | list):
            open_.extend(reversed(list(one.values() if isinstance(one, dict) else one)))
        elif isinstance(one, str) and len(one.split()) > 1:
            found.append(one)
    return found


def claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order; a link is replaced by its label, and the numbers of footnotes are left out.

    A citation stands for the paragraph that it stands in. A paragraph that holds little but citations, `Source: …`,
    stands for the paragraphs without any above it, up to the last one that has its own.
    """
    found: list[Claim] = []
    bare: list[str] = []
    for paragraph in _BLANK.split(answer):
        cited = links(paragraph)
        said = _REFERENCE.sub(" ", _replaced(paragraph, cited, labels=True))
        outside = _REFERENCE.sub(" ", _replaced(paragraph, cited, labels=False))
        proper = tuple(link for link in cited if link.kind in CITING)
        if not proper:
            bare.append(said)
        elif len(_WORD.findall(outside)) <= SOURCE_LINE_WORDS and not any(map(str.isdigit, outside)):
            found.append(Claim("\n\n".join([*bare, said]), proper))
            bare = []
        else:
            found += [Claim(one, ()) for one in bare]
            found.append(Claim(said, proper))
            bare = []
    return [claim for claim in [*found, *(Claim(one, ()) for one in bare)] if claim.text.strip()]


def _replaced(paragraph: str, cited: Sequence[Link], *, labels: bool) -> str:
    pieces, done = [], 0
    for link in cited:
        pieces += [paragraph[done : link.start], (link.label or " ") if labels else " "]
        done = link.end
    return "".join([*pieces, paragraph[done:]])
