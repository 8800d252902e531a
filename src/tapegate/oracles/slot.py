"""The kinds of values that `required_slots` may hold, and what is wrong with one that does not fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import eq, ge, le
from typing import Any

from tapegate.model.part import Band
from tapegate.model.source import Path
from tapegate.model.trace import Json
from tapegate.oracles.number import amount, plain, reach


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a value of a task, at a place inside that value."""

    code: str
    message: str
    path: Path = ()
    """From the value downwards; `()` is the value itself."""

    def below(self, *path: str | int) -> Flaw:
        """The same flaw, seen from a value that holds this one at `path`."""
        return Flaw(self.code, self.message, (*path, *self.path))


@dataclass(frozen=True, slots=True)
class SlotKind:
    """What one slot takes."""

    doc: str
    """One line: what it demands, and the type and unit of its value."""
    flaws: Callable[[Json], Iterable[Flaw]]
    """Everything wrong with a value; nothing for one that fits."""
    demands: Callable[[Json], bool] = lambda _: True
    """Whether a value that fits demands anything at all: a minimum of 0 does not."""
    loosens: Callable[[Any, Any], bool] = eq
    """Whether an answer that meets the second value always meets the first one too."""
    widened: Callable[[Any, Band], Json] | None = None
    """The value with a tolerance: what accepts all that lies within the band beyond it. None: it takes no tolerance."""
    entries: Callable[[Any, str, Band], Json] | None = None
    """The value with a tolerance for its entry of that name. Raises KeyError for a name that no entry has."""


def bad(value: Json, expected: str, path: Path = ()) -> Flaw:
    """The flaw of a value that is not what the slot takes."""
    return Flaw("bad_slot_value", f"{value!r} is not {expected}", path)


def _count(least: int) -> Callable[[Json], Iterator[Flaw]]:
    def flaws(value: Json) -> Iterator[Flaw]:
        if type(value) is not int or value < least:
            yield bad(value, f"a whole number from {least} up")

    return flaws


def _flag(value: Json) -> Iterator[Flaw]:
    if type(value) is not bool:
        yield bad(value, "true or false")


def at_least(doc: str) -> SlotKind:
    """A lower bound, a whole number from 0 up; 0 demands nothing."""

    def widened(value: int, band: Band) -> int:
        return max(0, math.ceil(value - reach(Fraction(value), band)))

    return SlotKind(doc, _count(0), demands=lambda value: value > 0, loosens=le, widened=widened)


def at_most(doc: str, least: int = 0) -> SlotKind:
    """An upper bound, a whole number from `least` up."""

    def widened(value: int, band: Band) -> int:
        return math.floor(value + reach(Fraction(value), band))

    return SlotKind(doc, _count(least), loosens=ge, widened=widened)


def amount_at_most(doc: str) -> SlotKind:
    """An upper bound, a number from 0 up or a decimal written as text."""

    def flaws(value: Json) -> Iterator[Flaw]:
        if amount(value) is None:
            yield bad(value, "a number from 0 up, or a decimal in quotes")

    def loosens(loose: Json, tight: Json) -> bool:
        return exact(loose) >= exact(tight)

    def widened(value: Json, band: Band) -> str:
        return plain(exact(value) + reach(exact(value), band))

    def exact(value: Json) -> Fraction:
        found = amount(value)
        assert found is not None
        return found

    return SlotKind(doc, flaws, loosens=loosens, widened=widened)


def flag(doc: str) -> SlotKind:
    """A condition that `true` switches on; `false` demands nothing."""
    return SlotKind(doc, _flag, demands=bool, loosens=le)


def listed(value: Json, of: str) -> Iterator[Flaw]:
    """The flaws of a value that must be a list with at least one entry and none twice."""
    if not isinstance(value, list | tuple):
        yield bad(value, f"a list of {of}")
    elif not value:
        yield Flaw("vacuous_slot", f"an empty list of {of} demands nothing")
    else:
        for index, entry in enumerate(value):
            if entry in value[:index]:
                yield Flaw("duplicate_entry", f"{entry!r} stands in the list twice", (index,))


def kept(loose: Sequence[Any], tight: Sequence[Any]) -> bool:
    """Whether every demand of the first list stands in the second one too."""
    return all(demand in tight for demand in loose)


def text(doc: str) -> SlotKind:
    """A text that is not empty, or `{any_of: [texts]}`."""
    return SlotKind(doc, _text)


def choices(value: Json) -> Sequence[str]:
    """The texts of a value that is one text or `{any_of: [texts]}`."""
    return [value] if isinstance(value, str) else value["any_of"]


def _text(value: Json) -> Iterator[Flaw]:
    if isinstance(value, dict) and set(value) == {"any_of"}:
        yield from (flaw.below("any_of") for flaw in _texts(value["any_of"]))
    elif not isinstance(value, str) or not value:
        yield bad(value, "a text that is not empty, or {any_of: [texts]}")


def _texts(value: Json) -> Iterator[Flaw]:
    yield from listed(value, "texts")
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        if not isinstance(entry, str) or not entry:
            yield bad(entry, "a text that is not empty", (index,))


def _text_list(value: Json) -> Iterator[Flaw]:
    yield from listed(value, "texts or {any_of: [texts]}")
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        yield from (flaw.below(index) for flaw in _text(entry))


def texts(doc: str) -> SlotKind:
    """A list of texts that adds to what is known and demands nothing by itself."""
    return SlotKind(doc, _texts, demands=lambda _: False, loosens=lambda loose, tight: kept(tight, loose))


def text_list(doc: str) -> SlotKind:
    """A list whose entries are texts or `{any_of: [texts]}`: each is demanded."""
    return SlotKind(doc, _text_list, loosens=kept)
