"""The checkable facts of a text: numbers with their units, identifiers, quotations and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tapegate.grade.scores.units import LONGEST_FIRST, SPELLINGS
from tapegate.oracles.sentences import sentences
from tapegate.oracles.wording import normal, says

Kind = Literal["number", "identifier", "quotation", "name"]

_UNIT = "|".join(map(re.escape, LONGEST_FIRST))
_NUMBER = re.compile(
    rf"(?<![\w.,:/])(?P<number>[+-]?\d+(?:[.,:]\d+)*)(?:[ -]?(?P<unit>{_UNIT})(?![^\W_]))?(?P<rest>[^\W\d_]*)"
)
_IDENTIFIER = re.compile(r"(?<![\w-])(?=[\w-]*\d)[^\W\d_][^\W_]*(?:-[^\W_]+)*(?![\w-])")
_QUOTED = re.compile(r"[“\"„]([^“”\"„\n]{1,400})[”\"“]")
_ELIDED = re.compile(r"\[[^\[\]\n]{0,40}\]|…|\.\.\.")
"""What a quotation leaves out or puts in: `[…]`, `[sic]`, `…`."""
_NAME = re.compile(r"(?<![\w-])[A-Z][^\W\d_]+(?:[-'’ ]+[A-Z][^\W\d_]+)*(?![\w-])")
_BEGINS = re.compile(r"(?:^|[.!?:;…]|[(\[“\"„*_>|•-])\s*$")
"""What stands before a word whose capital says nothing."""
QUOTED_WORDS = 3
"""Fewer words in quotation marks are a term, not a quotation."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a text."""

    kind: Kind
    shown: str
    """As the text writes it."""
    wordings: tuple[str, ...]
    """A text that says any of them, in any spelling, holds the fact."""

    @property
    def hard(self) -> bool:
        """Whether it is wrong where it is not found; a name may be a capital that means nothing."""
        return self.kind != "name"

    def held_by(self, text: str) -> bool:
        """Whether a text holds the fact."""
        if self.kind == "name":
            return all(says(text, word) for word in self.wordings)
        if self.kind == "quotation":
            return all(says(text, part) for part in _ELIDED.split(self.shown) if part.strip())
        return any(says(text, wording) for wording in self.wordings)


def facts(text: str) -> list[Fact]:
    """The facts of a text, each once, in order; enumerators and the words of a question are none."""
    found: dict[Fact, None] = {}
    for sentence in sentences(text):
        for fact in _of_sentence(sentence):
            found[fact] = None
    return list(found)


def _of_sentence(sentence: str) -> Iterator[Fact]:
    for quoted in _QUOTED.finditer(sentence):
        if len(quoted[1].split()) >= QUOTED_WORDS:
            yield Fact("quotation", quoted[1], (quoted[1],))
    for named in _IDENTIFIER.finditer(sentence):
        yield Fact("identifier", named[0], (named[0],))
    rest = normal(_IDENTIFIER.sub(" _ ", sentence))
    for number in _NUMBER.finditer(rest):
        yield _number(number)
    for named in _NAME.finditer(sentence):
        words = re.findall(r"[^\W\d_]+", named[0])
        if _BEGINS.search(sentence[: named.start()]):
            words = words[1:]  # its capital is the sentence's
        words = [word for word in words if len(word) > 2]
        if words:
            yield Fact("name", " ".join(words), tuple(words))


def _number(found: re.Match[str]) -> Fact:
    number, unit = found["number"].rstrip(".,:"), found["unit"]
    if unit is None:
        said = number + found["rest"]  # 2nd, 12k
        return Fact("number", said, (said,))
    same = SPELLINGS[unit]
    wordings = [f"{number} {spelling}" for spelling in same] + [f"{number}{spelling}" for spelling in same]
    return Fact("number", f"{number} {unit}", tuple(wordings))
