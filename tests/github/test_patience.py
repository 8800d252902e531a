"""How long GitHub is waited for."""

from __future__ import annotations

from typing import Any

import pytest

from tapegate.github.patience import BUDGET_S, Patience

NOW = 1_800_000_000.0
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@pytest.mark.parametrize(
    ("status", "headers", "message", "attempt", "expected"),
    [
        (429, {"retry-after": "7"}, "", 0, 7),
        (403, {"retry-after": "7"}, SECONDARY, 1, 7),
        (403, {"retry-after": "0"}, "", 0, 0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000042"}, "API rate limit exceeded", 0, 42),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1799999000"}, "", 0, 0),
        (403, {"x-ratelimit-remaining": "1", "x-ratelimit-reset": "1800000042"}, "", 0, None),
        (403, {}, SECONDARY, 0, 60),
        (403, {}, SECONDARY, 1, 120),
        (429, {}, "", 0, 60),
        (429, {"retry-after": "soon"}, "", 0, 60),
        (429, {"retry-after": "9" * 5000}, "", 0, 60),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "never"}, "", 0, 60),
        (403, {}, "Resource not accessible by integration", 0, None),
        (403, {"retry-after": "5"}, "Resource not accessible by integration", 0, None),
        (403, {}, "", 0, None),
        (500, {}, "", 0, 1),
        (502, {}, "", 1, 2),
        (503, {"retry-after": "9"}, "", 0, 9),
        (504, {"retry-after": "-1"}, "", 2, 4),
        (501, {}, "", 0, None),
        (404, {"retry-after": "9"}, "", 0, None),
        (401, {}, "", 0, None),
        (422, {}, "", 0, None),
    ],
)
def test_the_pause_is_the_one_that_github_asks_for(
    status: int, headers: dict[str, str], message: str, attempt: int, expected: float | None, clock: Any
) -> None:
    """To the second; None where nothing would change."""
    patience = Patience(elapsed=clock, now=lambda: NOW, sleep=clock.sleep)
    assert patience.pause(status, headers, message, attempt) == expected


def test_the_budget_is_one_for_everything(clock: Any) -> None:
    """What is left only shrinks, and a pause that does not fit is not begun."""
    patience = Patience(elapsed=clock, now=clock, sleep=clock.sleep)
    assert patience.sleep(BUDGET_S - 20)
    assert patience.left == 20
    assert not patience.sleep(20)
    assert patience.sleep(19)
    assert clock.slept == [100, 19]
    clock.now += 60
    assert patience.left == 0
    assert not patience.sleep(0)
