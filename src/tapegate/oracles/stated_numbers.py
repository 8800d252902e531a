"""The slot `numbers`: numbers that an answer states, within a tolerance, in any of several units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tapegate.model.part import Band
from tapegate.model.trace import Json
from tapegate.oracles.folding import fold
from tapegate.oracles.named import entries_of, name_flaws, widened_entry
from tapegate.oracles.number import amount, number, plain, reach
from tapegate.oracles.sentences import sentences
from tapegate.oracles.slot import Flaw, SlotKind, bad, kept
from tapegate.oracles.wording import normal, says

_KEYS = ("name", "value", "abs", "rel", "units", "with")
_NUMBER = re.compile(
    r"(?<![\w.,])(?<!\w[-:/])"  # not the rest of a word, of another number, of a date or of a time
    r"([-+]?)(\d{1,3}(?:[,'’ ]\d{3})+(?!\d)|\d+(?!\d))(\.\d+(?!\d))?(?:[eE]([-+]?\d{1,2})(?![\w.]))?"
    r"(?![-:/]\d|[.,]\d)"
)
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_SPACES = re.compile("[\u00a0\u2007\u2009\u202f]")


def stated(text: str) -> Iterator[tuple[Fraction, str]]:
    """Every number in a text with what follows it, as far as its line goes."""
    text = _SPACES.sub(" ", _DASHES.sub("-", fold(text).text))
    for found in _NUMBER.finditer(text):
        sign, whole, rest, exponent = found.groups()
        value = Fraction(re.sub("[,'’ ]", "", whole) + (rest or "")) * Fraction(10) ** int(exponent or 0)
        yield (-value if sign == "-" else value), text[found.end() : found.end() + 40].split("\n")[0]


def missing(entry: Mapping[str, Any], text: str) -> list[str] | None:
    """The numbers that the text states instead; None where it states the one that is wanted."""
    wanted = _exact(entry["value"])
    distance = max(_exact(entry.get("abs", 0)), _exact(entry.get("rel", 0)) * abs(wanted))
    units: Mapping[str, Any] = entry.get("units", {})
    others = []
    for place in _places(entry.get("with"), text):
        for value, after in stated(place):
            unit = _unit(units, after)
            if units and unit is None:
                others.append(plain(value))
                continue
            measured = value * _exact(units[unit]) if unit is not None else value
            if abs(measured - wanted) <= distance:
                return None
            others.append(f"{plain(value)} {unit}" if unit else plain(value))
    return others


def expected(entry: Mapping[str, Any]) -> str:
    """The number with its tolerance and units, in words."""
    bands = [f"± {entry['abs']}" if entry.get("abs") else "", f"± {entry['rel']} of it" if entry.get("rel") else ""]
    words = entry.get("with", ())
    beside = f" beside {' or '.join([words] if isinstance(words, str) else words)}" if words else ""
    return " ".join(filter(None, [str(entry["value"]), *bands, " or ".join(entry.get("units", {}))])) + beside


def _places(words: Json, text: str) -> Sequence[str]:
    if not words:
        return [text]
    wordings = [words] if isinstance(words, str) else words
    return [sentence for sentence in sentences(text) if any(says(sentence, wording) for wording in wordings)]


def _unit(units: Mapping[str, Any], after: str) -> str | None:
    """The longest unit that the text after a number begins with."""
    following = normal(after.lstrip(" -*_`")[:40])
    for unit in sorted(units, key=len, reverse=True):
        spelled = normal(unit)
        rest = following[len(spelled) :]
        if following.startswith(spelled) and not (spelled[-1:].isalnum() and rest[:1].isalnum()):
            return unit
    return None


def _exact(value: Json) -> Fraction:
    found = amount(value) if isinstance(value, str) else number(value)
    assert found is not None
    return found


def _flaws(value: Json) -> Iterator[Flaw]:
    for index, entry in entries_of(value, "numbers: {name, value, abs, rel, units, with}"):
        if isinstance(entry, Flaw):
            yield entry
            continue
        yield from (flaw.below(index) for flaw in name_flaws(entry, _KEYS))
        if number(entry.get("value")) is None:
            yield Flaw("bad_slot_value", "'value' is a number", (index,))
        for key in ("abs", "rel"):
            if key in entry and amount(entry[key]) is None:
                yield bad(entry[key], "a number from 0 up", (index, key))
        if "units" in entry:
            yield from (flaw.below(index, "units") for flaw in _unit_flaws(entry["units"]))
        words = entry.get("with", "x")
        wordings = [words] if isinstance(words, str) else words
        if not isinstance(wordings, list | tuple) or not wordings or not all(map(_is_text, wordings)):
            yield bad(words, "a wording, or a list of wordings", (index, "with"))


def _unit_flaws(units: Json) -> Iterator[Flaw]:
    if not isinstance(units, Mapping) or not units:
        yield bad(units, "a mapping from each unit to what one of it is in the unit of value")
        return
    for unit, factor in units.items():
        if not amount(factor) or not normal(unit):
            yield bad(factor, "a number above 0: what one of this unit is in that of value", (unit,))


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value)


def _widened(value: Sequence[Mapping[str, Any]], name: str, band: Band) -> Json:
    def wider(entry: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = _exact(entry["value"])
        own = max(_exact(entry.get("abs", 0)), _exact(entry.get("rel", 0)) * abs(wanted))
        return {**entry, "abs": plain(own + reach(wanted, band)), "rel": 0}

    return widened_entry(value, name, wider)


NUMBERS = SlotKind(
    "Numbers that the answer states: a list of `{name, value, abs, rel, units, with}`.",
    _flaws,
    loosens=kept,
    entries=_widened,
)
