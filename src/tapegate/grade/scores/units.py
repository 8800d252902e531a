"""Spellings of one unit of measure, so that 81 % is found as 81 percent, and 3.6 m is not found in 3.6 degrees."""

from __future__ import annotations

_SAME = (
    ("%", "percent", "per cent"),
    ("m", "metre", "metres", "meter", "meters"),
    ("km", "kilometre", "kilometres", "kilometer", "kilometers"),
    ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
    ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
    ("m2", "square metre", "square metres", "square meter", "square meters"),
    ("degrees", "degree", "°", "°c", "degrees celsius", "degrees c"),
    ("kg", "kilogram", "kilograms", "kilo", "kilos"),
    ("g", "gram", "grams"),
    ("l", "litre", "litres", "liter", "liters"),
    ("ms", "millisecond", "milliseconds"),
    ("s", "second", "seconds", "sec"),
    ("min", "minute", "minutes"),
    ("h", "hour", "hours"),
    ("day", "days"),
    ("week", "weeks"),
    ("month", "months"),
    ("year", "years"),
    ("euro", "euros", "eur", "€"),
    ("dollar", "dollars", "usd", "$"),
)
SPELLINGS = {spelling: same for same in _SAME for spelling in same}
"""By spelling, in lower case, all spellings of the same unit."""
LONGEST_FIRST = sorted(SPELLINGS, key=lambda spelling: (-len(spelling), spelling))
