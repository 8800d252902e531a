"""Runs to report on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from reported import FILE, failed, finding, make_finding, make_task, passed

from tapegate.model.diff import (
    Compared,
    ContractChange,
    Delta,
    Diff,
    Edit,
    Rate,
    Spent,
    Stratum,
    TaskDiff,
    Transition,
    TrialDiff,
)
from tapegate.model.finding import Verdict
from tapegate.model.run import Gate

__all__ = ["failed", "make_finding", "make_task", "passed"]
"""Fixtures of these tests, too."""


def compared(name: str, right: int, total: int) -> Compared:
    """One of two runs."""
    return Compared(name, "b" * 40, f"sha256:{name}", total, Rate(right, total, 0.2, 0.9), right == total, 0)


def a_diff(text: str = "") -> Diff:
    """A regression and a stale task; with a text, it stands everywhere where a text of a stranger can stand."""
    said = text or "searches, then reads"
    words = (
        Edit("same", f"It is {text}"),
        Edit("removed", "3.6"),
        Edit("added", f"3.7{text}"),
        Edit("same", " degrees."),
    )
    path = (Edit("same", f"search_local{text}"), Edit("removed", "read_paper"), Edit("added", f"web_search{text}"))
    found = finding(message=f"The answer cites too few local papers.{text}", got=text or "none")
    deltas = (
        Delta("total_tokens", Fraction(1234), Fraction(1546)),
        Delta("latency_e2e_ms", None, Fraction(9), text or "not recorded in base"),
    )
    trial = TrialDiff(1, Verdict.PASS, Verdict.FAIL, said, None, True, path, True, words, (found,), (), deltas)
    changes = (ContractChange(f"expect{text}", text, "1"),) if text else ()
    tasks = tuple(
        TaskDiff(
            f"{key}{text}",
            f"{was}{text}",
            FILE.format(key=key),
            True,
            stratum,
            base,
            head,
            by_base,
            (found,),
            changes,
            (said,) if text else (),
            trials,
        )
        for key, was, stratum, base, head, by_base, trials in (
            ("AGT-08@A1", "AGT-08@A1", Stratum.SAME_RECORDINGS, Verdict.PASS, Verdict.STALE, None, ()),
            ("RET-02@A1", "RET-02@A1", Stratum.SAME_RECORDINGS, Verdict.PASS, Verdict.FAIL, None, (trial,)),
            *(
                [
                    (
                        "RET-04@A1",
                        "RET-03@A1",
                        Stratum.CONTRACT_CHANGED,
                        Verdict.PASS,
                        Verdict.PASS,
                        Verdict.FAIL,
                        (trial,),
                    ),
                    ("RET-05@A1", "RET-05@A1", Stratum.RE_RECORDED, Verdict.PASS, None, None, ()),
                    ("RET-06@A1", "RET-06@A1", Stratum.RE_RECORDED, Verdict.FAIL, Verdict.PASS, None, (trial,)),
                ]
                if text
                else []
            ),
        )
    )
    turns = (
        Transition(Verdict.PASS, Verdict.PASS, ("RET-01@A1",)),
        Transition(Verdict.PASS, Verdict.STALE, ("AGT-08@A1",)),
        Transition(Verdict.PASS, Verdict.FAIL, ("RET-02@A1",)),
    )
    over = ((f"RET-02@A1{text}", Fraction(1234), Fraction(1546)),)
    spent = Spent("total_tokens", "each_task", "tokens: at most +10 % for each task", "exceeded", True, 1, over)
    gate = Gate(False, 1, (f"1 task passed and fails: RET-02@A1{text}",))
    sides = (compared(f"main{text}", 3, 3), compared(f"HEAD{text}", 1, 3))
    return Diff("pr", *sides, turns, tasks, (), (spent,) if text else (), (f"a note{text}",) if text else (), gate)


@pytest.fixture
def regressed() -> Diff:
    """The failed run compared with one in which all passed."""
    return a_diff()


@pytest.fixture(scope="session")
def hostile_diff() -> Callable[[str], Diff]:
    """A comparison in which a text stands everywhere where one can."""
    return a_diff
