"""Numbers and words of reports."""

from __future__ import annotations

import pytest

from tapegate.model.run import Run
from tapegate.report import words


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (1001, "1.1 s"), (8000, "8.0 s"), (61_234, "61.3 s")],
)
def test_times_are_never_shown_shorter_than_they_were(value: int | None, shown: str) -> None:
    """Rounding goes up; absent is a dash, not zero."""
    assert words.milliseconds(value) == shown


@pytest.mark.parametrize(("count", "shown"), [(None, "–"), (0, "0"), (1234567, "1,234,567")])
def test_tokens(count: int | None, shown: str) -> None:
    """Thousands are separated; absent is a dash, not zero."""
    assert words.tokens(count) == shown


@pytest.mark.parametrize(
    ("tools", "shown"),
    [((), "no tools"), (("a",), "a"), (("a", "a", "b", "a"), "a ×2 → b → a")],
)
def test_tool_paths(tools: tuple[str, ...], shown: str) -> None:
    """Repeats are counted, order is kept."""
    assert words.tool_path(tools) == shown


def test_the_summary_names_each_verdict_that_occurs(failed: Run, passed: Run) -> None:
    """Nothing is left out of the total."""
    assert words.summary(failed) == "3 tasks: 1 passed, 1 failed, 1 stale"
    assert words.summary(passed) == "2 tasks: 2 passed"
