"""Numbers that an answer states."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.model.part import Band
from tapegate.oracles.number import plain
from tapegate.oracles.stated_numbers import NUMBERS, missing, stated


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It has 12,500 abstracts.", ["12500"]),
        ("12 500 and 12'500 and 12\u202f500", ["12500", "12500", "12500"]),
        ("3.6 to 4.1 degrees", ["3.6", "4.1"]),
        ("minus −3.5, or -3.5", ["-3.5", "-3.5"]),
        ("3-4 of them", []),
        ("2026-03-04 at 14:30, v1.2.3, p-moss-02, H2O", []),
        ("1.5e3 m", ["1500"]),
        ("１２ apples", ["12"]),
        ("(5) [6], 7; 8.", ["5", "6", "7", "8"]),
        ("92%, 50 %", ["92", "50"]),
        ("no number", []),
    ],
)
def test_numbers_are_read_as_they_are_written(text, numbers):
    """Grouped, signed, full-width; parts of words, ranges, dates, times and versions are none."""
    assert [plain(value) for value, _ in stated(text)] == numbers


LENGTH = {"name": "length", "value": 1.5, "units": {"km": 1, "m": "0.001", "kilometres": 1}}


@pytest.mark.parametrize(
    ("entry", "text", "found"),
    [
        (LENGTH, "It is 1.5 km long.", True),
        (LENGTH, "It is 1,500 m long.", True),
        (LENGTH, "It is 1500-m long.", True),
        (LENGTH, "It is 1.5 **kilometres** long.", True),
        (LENGTH, "It is 1.5 miles long.", False),
        (LENGTH, "It is 1.5 kmh fast.", False),
        (LENGTH, "It is 1.5\nkm", False),
        ({"name": "n", "value": 0.3}, "0.3", True),
        ({"name": "n", "value": 0.3}, "0.30000001", False),
        ({"name": "n", "value": 200, "rel": 0.05}, "190", True),
        ({"name": "n", "value": 200, "rel": 0.05}, "189.99", False),
        ({"name": "n", "value": -5}, "5", False),
        ({"name": "share", "value": 92, "units": {"%": 1, "percent": 1}}, "92 %", True),
        ({"name": "share", "value": 92, "units": {"%": 1, "percent": 1}}, "92 percent", True),
        ({"name": "n", "value": 3, "with": "broke"}, "Of 64 jars, 3 broke. A jar costs 8 euros.", True),
        ({"name": "n", "value": 8, "with": "broke"}, "Of 64 jars, 3 broke. A jar costs 8 euros.", False),
    ],
)
def test_a_number_is_wanted_with_its_unit_and_tolerance(entry: dict[str, Any], text, found):
    """Units convert exactly, both ends of a tolerance belong to it, and a sentence may be asked for."""
    assert list(NUMBERS.flaws([entry])) == []
    assert (missing(entry, text) is None) is found


def test_a_tolerance_widens_one_number():
    """By its name; a name that no number has is refused."""
    assert NUMBERS.entries is not None
    wider = NUMBERS.entries([{"name": "a", "value": 10, "abs": 1}, {"name": "b", "value": 10}], "a", Band(rel=0.1))
    assert missing(wider[0], "12") is None
    assert missing(wider[0], "12.1") == ["12.1"]
    assert missing(wider[1], "10.1") == ["10.1"]
    with pytest.raises(KeyError):
        NUMBERS.entries([{"name": "a", "value": 10}], "c", Band(abs=1))
