"""Patterns of task files: RE2, multi-line, refused at load where they cannot be judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from tapegate.oracles.slot import Flaw

_RULES = (
    (r"^invalid perl operator: \(\?(=|!|<=|<!)", "look-around is not in RE2, which matches in linear time"),
    (r"^invalid escape sequence: \\[1-9]", "back-references are not in RE2, which matches in linear time"),
    (r"^invalid escape sequence: \\Z", r"RE2 writes the end of the text as \z, not \Z"),
    (r"^bad repetition operator: [*+?]\+", "possessive repetition is not in RE2"),
    (r"^invalid repetition size", "RE2 repeats at most 1000 times"),
)
_EVERYDAY = ("a", "Z", "7", " ", "é", "-")
"""Characters of any text: what matches each of them alone says nothing about a text."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """A pattern that RE2 refuses, with the rule it breaks."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern, in which `^` and `$` stand at every line."""

    source: str
    compiled: Any

    def find(self, text: str) -> tuple[int, int] | None:
        """Start and end of the first match, in characters; CR and CRLF end a line as LF does."""
        text = _readable(text)
        found = self.compiled.search(text)
        if found is None and "\r" in text:
            # A lone CR becomes LF in place. Of CRLF the CR goes, so that `$` sees the end of the line.
            lines = text.replace("\r\n", "\n").replace("\r", "\n")
            found = self.compiled.search(lines)
            if found is not None:
                shift = _removed_before(text, found.start()), _removed_before(text, found.end())
                return found.start() + shift[0], found.end() + shift[1]
        return found.span() if found is not None else None

    def spans(self, text: str, group: int = 0) -> Iterator[tuple[int, int]]:
        """Start and end of a group in each match that does not overlap an earlier one."""
        for found in self.compiled.finditer(_readable(text)):
            yield found.span(group)

    @property
    def vacuous(self) -> bool:
        """Whether it matches the empty string, an empty place in a text, or any character there is."""
        for probe in ("", "a b\n"):
            found = self.compiled.search(probe)
            if found is not None and found.start() == found.end():
                return True
        return all(self.compiled.search(probe) is not None for probe in _EVERYDAY)


def _readable(text: str) -> str:
    """`text` without lone surrogates, which the UTF-8 that RE2 reads does not have; every character keeps its place."""
    try:
        text.encode()  # the quickest way to ask: a tenth of the substitution
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _removed_before(text: str, index: int) -> int:
    """How many characters CRLF → LF took away before `index` of the shortened text."""
    removed = 0
    for crlf in re.finditer("\r\n", text):
        if crlf.start() - removed >= index:
            break
        removed += 1
    return removed


@cache
def compiled(pattern: str) -> Pattern:
    """`pattern` as RE2, multi-line. Raises `PatternError` naming the pattern and the rule it breaks."""
    options = re2.Options()
    options.log_errors = False
    try:
        return Pattern(pattern, re2.compile(f"(?m){pattern}", options))
    except UnicodeEncodeError:
        raise PatternError(f"pattern {pattern!r} holds a lone surrogate, which no text has") from None
    except re2.error as error:
        said = error.args[0]
        said = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        said = said.replace("(?m)", "", 1)
        rule = next((rule for sign, rule in _RULES if re.search(sign, said)), "RE2 does not accept it")
        raise PatternError(f"pattern {pattern!r} does not compile: {rule} ({said})") from None


def flaws(pattern: str) -> Iterator[Flaw]:
    """What makes a pattern of a task unusable: it does not compile, or it says nothing."""
    try:
        usable = compiled(pattern)
    except PatternError as error:
        yield Flaw("bad_pattern", str(error))
        return
    if usable.vacuous:
        yield Flaw(
            "vacuous_pattern",
            f"pattern {pattern!r} matches the empty string or every text there is, so it says nothing about an answer",
        )
