"""The draw of a week."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput, UsageError
from tapegate.grade.audit.draw import cap, check, draw, fits, parse_week, week_of
from tapegate.model.task import Grading, Task

TERMS = {"reason": "rubric_calibration", "justification": "It is sampled.", "fallback": "tool_trace"}
AUDITED = {"deterministic_metrics": ["tool_trace"], "runtime_llm_judge": "audit", "judge": TERMS}

Tasks = Callable[..., list[Task]]


@pytest.fixture(scope="session")
def tasks(make_task: Callable[..., Task]) -> Tasks:
    """So many tasks, the first of them open to a judge."""

    def build(n: int, open_to_judge: int | None = None) -> list[Task]:
        allowed = n if open_to_judge is None else open_to_judge
        grading: list[dict[str, Any]] = [{"grading": AUDITED} if number < allowed else {} for number in range(n)]
        return [make_task(id=f"T-{number:03}", **extra) for number, extra in enumerate(grading)]

    return build


@pytest.mark.parametrize(("n", "most"), [(0, 0), (6, 0), (7, 1), (13, 1), (14, 2), (20, 3), (100, 15), (101, 15)])
def test_the_cap_is_fifteen_percent_in_integers(n: int, most: int) -> None:
    """15 * n // 100: none below seven tasks, and never a task more."""
    assert cap(n) == most


def test_weeks_differ_and_a_week_repeats(tasks: Tasks) -> None:
    """The same week draws the same tasks in any order of tasks; twenty weeks draw nearly every task at least once."""
    pool = tasks(20)
    assert draw("2026-W47", pool) == draw("2026-W47", Random(3).sample(pool, 20))
    drawn = [draw(f"2026-W{week:02}", pool).sample for week in range(1, 21)]
    assert len(set(drawn)) > 15
    assert len({key for sample in drawn for key in sample}) > 15


def test_the_draw_is_pinned(tasks: Tasks) -> None:
    """It is sha256 of the week and the key: known forever, on any machine, under any hash seed."""
    assert draw("2026-W47", tasks(20)).sample == ("T-006@A1", "T-008@A1", "T-014@A1")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 52))
def test_the_cap_holds_whatever_is_eligible(tasks: Tasks, n: int, allowed: int, week: int) -> None:
    """Only tasks that allow a judge are drawn, each once, and the cap counts all tasks of the run."""
    drawn = draw(f"2026-W{week:02}", tasks(n, min(n, allowed)))
    assert len(drawn.sample) == min(cap(n), len(drawn.eligible))
    assert set(drawn.sample) <= set(drawn.eligible)
    assert len(set(drawn.sample)) * 100 <= 15 * n
    check(drawn, len(drawn.sample), "x")


def test_the_cases_of_a_task_are_one_task(tasks: Tasks) -> None:
    """They neither raise the cap nor are drawn."""

    @dataclass(frozen=True)
    class Case:
        key: str
        grading: Grading

    six = tasks(6)
    cases = [Case(f"T-100@A1[{number}]", six[0].grading) for number in range(1, 30)]
    drawn = draw("2026-W47", [*six, *cases])
    assert (drawn.n, drawn.cap, len(drawn.eligible)) == (7, 1, 6)


def test_a_recorded_draw_cannot_be_widened(tasks: Tasks) -> None:
    """More in the sample, another order, a higher cap, or more judged than drawn: refused."""
    drawn = draw("2026-W47", tasks(20))
    spare = next(key for key in drawn.eligible if key not in drawn.sample)
    for edited in (
        replace(drawn, sample=(*drawn.sample, spare)),
        replace(drawn, sample=(*drawn.sample[:2], spare)),
        replace(drawn, cap=4),
        replace(drawn, n=2),
    ):
        with pytest.raises(BadInput) as caught:
            check(edited, len(edited.sample), "x")
        assert caught.value.problems[0].code == "bad_draw"
    with pytest.raises(BadInput) as caught:
        check(drawn, 4, "x")
    assert caught.value.problems[0].code == "sample_cap"
    fits(drawn, tasks(20), "x")
    wider = replace(drawn, n=27, cap=4, sample=draw("2026-W47", tasks(27)).sample)
    with pytest.raises(BadInput) as caught:
        fits(wider, tasks(20), "x")
    assert caught.value.problems[0].code == "sample_cap"


def test_a_week_is_an_iso_week() -> None:
    """The year is the week's: the last days of December may belong to the next."""
    assert week_of(date(2026, 11, 20)) == "2026-W47"
    assert week_of(date(2024, 12, 30)) == "2025-W01"
    assert parse_week("2026-W53") == "2026-W53"
    for text in ("2025-W53", "2026-W00", "2026-47", "../x", ""):
        with pytest.raises(UsageError):
            parse_week(text)
