"""Numbers compared exactly: 0.1 is a tenth, whatever a float holds, and a band has two ends that belong to it."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from tapegate.model.part import Band
from tapegate.model.trace import Json

NO_BAND = Band()


def number(value: Json) -> Fraction | None:
    """The number that a value of JSON is, as it is written; None for everything else, true and NaN included."""
    if type(value) is int:
        return Fraction(value)
    if type(value) is float and math.isfinite(value):
        return Fraction(repr(value))
    return None


def amount(value: Json) -> Fraction | None:
    """A number from 0 up, or a decimal written as text, `"0.015"`; None for everything else."""
    if isinstance(value, str):
        return Fraction(value) if re.fullmatch(r"[0-9]{1,40}(\.[0-9]{1,40})?", value) else None
    found = number(value)
    return found if found is not None and found >= 0 else None


def reach(value: Fraction, band: Band) -> Fraction:
    """How far a band reaches around a value, or beyond a limit."""
    return max(Fraction(repr(band.abs)), Fraction(repr(band.rel)) * abs(value))


def near(wanted: Fraction, got: Fraction, band: Band) -> bool:
    """Whether `got` lies within the band around `wanted`, ends included."""
    return abs(got - wanted) <= reach(wanted, band)


def plain(value: Fraction) -> str:
    """`3.6`, `12500`; a fraction that no decimal is, `1/3`."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = value.denominator
    for prime in (2, 5):
        while digits % prime == 0:
            digits //= prime
    if digits != 1:
        return str(value)
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    scaled = abs(value * 10**places).numerator
    text = str(scaled).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{text[:-places]}.{text[-places:]}"


def with_band(value: str, band: Band) -> str:
    """`3.6 ± 0.1`, `3.6 ± 5 %`; the value alone where the band is none."""
    parts = [plain(Fraction(repr(band.abs)))] if band.abs else []
    parts += [f"{plain(Fraction(repr(band.rel)) * 100)} %"] if band.rel else []
    return f"{value} ± {' or '.join(parts)}" if parts else value
