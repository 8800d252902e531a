"""The findings of one trial, and the verdict that follows from them."""

from __future__ import annotations

from itertools import permutations

import pytest

from tapegate.errors import NotJudged
from tapegate.grade.docket import WORST_FIRST, Docket, worst
from tapegate.model.finding import Unmet, Verdict


def test_without_a_finding_the_verdict_is_pass(make_task):
    """The grader enters what is wrong; notes are nothing wrong."""
    docket = Docket(make_task(), 1)
    assert docket.verdict is Verdict.PASS
    docket.say("replay", "unplayed", "note", "…")
    assert docket.verdict is Verdict.PASS


@pytest.mark.parametrize("severities", [*permutations(["stale", "fail", "error", "needs_review", "note"])])
def test_the_worst_finding_decides_in_whatever_order_they_come(make_task, severities):
    """A proven failure first, then what could not be judged, then stale recordings, then review."""
    docket = Docket(make_task(), 1)
    for severity in severities:
        docket.say("m", "c", severity, "…")
    assert docket.verdict is Verdict.FAIL


def test_the_order_of_verdicts_is_whole():
    """Every verdict has its place, so that none is lost."""
    assert set(WORST_FIRST) == set(Verdict)
    assert [worst(WORST_FIRST[start:]) for start in range(len(WORST_FIRST))] == list(WORST_FIRST)
    assert worst([]) is Verdict.PASS


def test_a_condition_becomes_a_finding_at_its_line(make_task):
    """File and line come from the task's source, the rest from the condition."""
    docket = Docket(make_task(), 2)
    path = ("expect", "accepted_outcomes", 1, "required_tools", 0)
    docket.report("tool_trace", Unmet("a_code", "a message", path, "this", "that"), "fail", outcome=1)
    (finding,) = docket.findings
    assert (finding.file, finding.line, finding.trial, finding.outcome) == ("evals/retrieval/RET-01@A1.yaml", 20, 2, 1)
    assert (finding.expected, finding.got) == ("this", "that")


def test_a_metric_that_lacks_something_says_so_itself(make_task):
    """A trace without what a metric needs is no bug of the metric's, and no pass either."""
    docket = Docket(make_task(), 1)
    docket.crashed("db_state", NotJudged.of("no_evidence", "the trace holds no database"))
    docket.crashed("tool_trace", ValueError("at 0x7fcafe123456"))
    assert [(one.code, one.severity) for one in docket.findings] == [
        ("no_evidence", "error"),
        ("oracle_crashed", "error"),
    ]
    assert docket.findings[0].message == "the metric could not judge this trial: the trace holds no database"
    assert "0x…" in docket.findings[1].message
