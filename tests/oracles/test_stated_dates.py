"""Days that an answer states."""

from __future__ import annotations

import pytest

from tapegate.model.part import Band
from tapegate.oracles.stated_dates import DATES, missing, stated


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-11-20", ["2026-11-20"]),
        ("2026-11-20T08:00:00Z", ["2026-11-20"]),
        ("2026/1/5", ["2026-01-05"]),
        ("20.11.2026 and 5. 1. 2026", ["2026-11-20", "2026-01-05"]),
        ("20 November 2026", ["2026-11-20"]),
        ("the 20th of November, 2026", ["2026-11-20"]),
        ("November 20, 2026; Nov. 20th 2026; Sept 3, 2026", ["2026-11-20", "2026-11-20", "2026-09-03"]),
        ("20-Nov-2026", ["2026-11-20"]),
        ("20\u00a0NOVEMBER 2026", ["2026-11-20"]),
        ("11/20/2026", []),
        ("31 February 2026, 2026-13-01", []),
        ("November 2026, in 2026", []),
        ("1.2.3, 10.0.0.1, 12026-11-20", []),
    ],
)
def test_days_are_read_in_the_usual_spellings(text, days):
    """A day has day, month and year; what readers disagree on is none."""
    assert [day.isoformat() for day in stated(text)] == days


def test_a_day_is_near_enough_within_its_days():
    """Both ends belong to it; a tolerance adds days."""
    entry = {"name": "due", "date": "2026-03-01", "within_days": 1}
    assert missing(entry, "on 28 February 2026") is None
    assert missing(entry, "on 27 February 2026") == ["2026-02-27"]
    assert DATES.entries is not None
    assert missing(DATES.entries([entry], "due", Band(abs=1))[0], "on 27 February 2026") is None
