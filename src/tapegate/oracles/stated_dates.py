"""The slot `dates`: days that an answer states, in any of the ways in which they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from tapegate.model.part import Band
from tapegate.model.trace import Json
from tapegate.oracles.folding import fold
from tapegate.oracles.named import entries_of, name_flaws, widened_entry
from tapegate.oracles.number import reach
from tapegate.oracles.slot import Flaw, SlotKind, bad, kept

_KEYS = ("name", "date", "within_days")
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_MONTH = "|".join(rf"{month}|{month[:4]}\.?|{month[:3]}\.?" for month in _MONTHS)
_FORMS = (
    r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-]|T?\d)",
    r"(?<![\d/])(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/])",
    r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)",
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?(?:\s+of)?[\s-]+(?P<name>{_MONTH})[\s,-]+(?P<year>\d{{4}})(?!\d)",
    rf"\b(?P<name>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d)",
    r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?=T\d{2})",
)
_DATES = tuple(re.compile(f"(?i){form}") for form in _FORMS)


def stated(text: str) -> list[date]:
    """Every day that a text names with day, month and year, in the order of the text.

    `3/4/2026` is no day: readers disagree on which number is the month.
    """
    text = re.sub("[\u2010-\u2015\u2212]", "-", fold(text).text)
    found: list[tuple[int, date]] = []
    for form in _DATES:
        for match in form.finditer(text):
            parts = match.groupdict()
            name = (parts.get("name") or "").lower().rstrip(".")
            month = int(parts["month"]) if "month" in parts else 1 + [m[:3] for m in _MONTHS].index(name[:3])
            try:
                found.append((match.start(), date(int(parts["year"]), month, int(parts["day"]))))
            except ValueError:  # 31 February
                continue
    return [day for _, day in sorted(found)]


def missing(entry: Mapping[str, Any], text: str) -> list[str] | None:
    """The days that the text states instead; None where it states the one that is wanted."""
    wanted, within = date.fromisoformat(entry["date"]), entry.get("within_days", 0)
    days = stated(text)
    if any(abs((day - wanted).days) <= within for day in days):
        return None
    return [day.isoformat() for day in days]


def expected(entry: Mapping[str, Any]) -> str:
    """The day with its tolerance."""
    within = entry.get("within_days", 0)
    return f"{entry['date']} ± {within} {'day' if within == 1 else 'days'}" if within else str(entry["date"])


def _flaws(value: Json) -> Iterator[Flaw]:
    for index, entry in entries_of(value, "dates: {name, date, within_days}"):
        if isinstance(entry, Flaw):
            yield entry
            continue
        yield from (flaw.below(index) for flaw in name_flaws(entry, _KEYS))
        day = entry.get("date")
        try:
            sound = isinstance(day, str) and date.fromisoformat(day).isoformat() == day
        except ValueError:
            sound = False
        if not sound:
            yield bad(day, "a day, written 2026-11-20", (index,))
        within = entry.get("within_days", 0)
        if type(within) is not int or within < 0:
            yield bad(within, "a whole number of days from 0 up", (index, "within_days"))


def _widened(value: Sequence[Mapping[str, Any]], name: str, band: Band) -> Json:
    def wider(entry: Mapping[str, Any]) -> Mapping[str, Any]:
        from fractions import Fraction

        return {**entry, "within_days": entry.get("within_days", 0) + int(reach(Fraction(0), band))}

    return widened_entry(value, name, wider)


DATES = SlotKind(
    "Days that the answer states: a list of `{name, date, within_days}`.", _flaws, loosens=kept, entries=_widened
)
