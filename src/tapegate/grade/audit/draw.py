"""Which tasks a week's audit puts before the judge: at most 15 % of the run, other ones every week, never by chance."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date

from tapegate.errors import BadInput, UsageError
from tapegate.model.audit import Draw
from tapegate.model.task import Task

PERCENT = 15
"""The standard's weekly sample cap."""
CASE = "["
"""What begins the name of a case in a key, `RET-08@A5[3]`."""
WEEK = re.compile(r"(?P<year>\d{4})-W(?P<week>\d{2})")


def cap(n: int) -> int:
    """The most tasks of a run of `n` that may be judged; 0 below n = 7."""
    return PERCENT * n // 100


def week_of(day: date) -> str:
    """The ISO week of a day, `2026-W47`: the year is the week's, not the day's."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def parse_week(text: str) -> str:
    """`text`, if it names an ISO week that there is. Raises UsageError `bad_week`."""
    found = WEEK.fullmatch(text)
    try:
        if found is None:
            raise ValueError("it is not written like one")  # noqa: TRY301 - told with the calendar's own refusal
        date.fromisocalendar(int(found["year"]), int(found["week"]), 1)
    except ValueError as error:
        raise UsageError.of("bad_week", f"{text!r} is no ISO week: {error}", fix="write 2026-W47") from error
    return text


def draw(week: str, tasks: Iterable[Task]) -> Draw:
    """The draw of a week from all tasks of a run.

    Those that allow a judge are ordered by sha256 of the week and their key, and the first are taken: the same week
    draws the same tasks again, another week others, and no clock or seed takes part. The cases of a task are one task,
    and none of them is drawn: what a judge shall look at has one answer.
    """
    keys = {task.key: task.grading.runtime_llm_judge == "audit" for task in tasks}
    eligible = sorted(key for key, allowed in keys.items() if allowed and CASE not in key)
    n = _size(keys)
    sample = sorted(eligible, key=lambda key: _rank(week, key))[: cap(n)]
    return Draw(week, n, cap(n), tuple(eligible), tuple(sample))


def check(drawn: Draw, judged: int, file: str) -> None:
    """Raises BadInput `sample_cap` where more was judged than the cap allows, `bad_draw` where it is no such draw.

    Held against what was judged, after everything that fell out of the sample, and against recorded draws, so that an
    edited one cannot widen the sample.
    """
    expected = tuple(sorted(drawn.eligible, key=lambda key: _rank(drawn.week, key))[: cap(drawn.n)])
    if drawn.cap != cap(drawn.n) or drawn.sample != expected or len(drawn.eligible) > drawn.n:
        raise BadInput.of(
            "bad_draw",
            f"the sample of {drawn.week} is {', '.join(drawn.sample) or 'empty'}; its tasks draw "
            f"{', '.join(expected) or 'none'}",
            file=file,
            fix="restore the file, or record the audit anew",
        )
    if judged * 100 > PERCENT * drawn.n:
        raise BadInput.of("sample_cap", f"{judged} of {drawn.n} tasks were judged; the cap is {PERCENT} %", file=file)


def fits(drawn: Draw, tasks: Iterable[Task], file: str) -> None:
    """Raises BadInput `sample_cap` where a recorded draw says that there were more tasks than the suite has.

    Its own count makes the cap, so that a larger one would widen the sample.
    """
    n = _size(task.key for task in tasks)
    if drawn.n > n:
        raise BadInput.of(
            "sample_cap",
            f"the draw of {drawn.week} is of {drawn.n} tasks; the suite has {n}, of which at most {cap(n)} are judged",
            file=file,
            fix=f"restore the file, or record the audit anew: tapegate audit --week {drawn.week} --record",
        )


def _size(keys: Iterable[str]) -> int:
    """The tasks of a run; the cases of a task are one."""
    return len({key.partition(CASE)[0] for key in keys})


def _rank(week: str, key: str) -> tuple[str, str]:
    return hashlib.sha256(f"{week}\n{key}".encode()).hexdigest(), key
