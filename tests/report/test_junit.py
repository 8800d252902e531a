"""JUnit, held to what Jenkins and GitLab read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema

from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report.junit import render

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "schemas" / "junit-10.xsd"))
"""Jenkins' own."""


def parsed(run: Run) -> ElementTree.Element:
    """The document, which Jenkins' schema admits and of which GitLab reads every case.

    GitLab has no schema: its parser wants a name and a class of each case, and takes the first of `failure`, `error`
    and `skipped` in it for the result.
    """
    raw = render(run)
    SCHEMA.validate(raw.decode())
    root = ElementTree.fromstring(raw)
    for case in root.iter("testcase"):
        assert case.get("name")
        assert case.get("classname")
        assert len([child for child in case if child.tag in ("failure", "error", "skipped")]) <= 1
    return root


@pytest.mark.parametrize(
    "broken",
    [
        "<testsuites><testcase name='a' classname='b'/></testsuites>",
        "<testsuite name='a' tests='1' failures='0' errors='0' odd='1'/>",
        "<testsuite name='a' tests='1' failures='0' errors='0' time='1 s'/>",
        "<testsuite name='a' failures='0' errors='0'/>",
        "<testcase classname='a'/>",
    ],
)
def test_the_schema_refuses_what_does_not_fit(broken: str) -> None:
    """The check is a check: each defect is told."""
    assert not SCHEMA.is_valid(broken)


def test_every_task_is_a_case_with_its_verdict(make_task: Any, make_finding: Any) -> None:
    """Failed, in error, stale and to be reviewed are told apart, and every count adds up."""
    kinds = [Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.STALE, Verdict.NEEDS_REVIEW]
    findings = [() if kind is Verdict.PASS else (make_finding(severity=kind.value),) for kind in kinds]
    tasks = tuple(make_task(f"T-{n}@A1", kind, *findings[n]) for n, kind in enumerate(kinds))
    root = parsed(Run("pr", False, tasks, Gate(False, 1, ())))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {
        "T-0@A1": [],
        "T-1@A1": ["failure"],
        "T-2@A1": ["error"],
        "T-3@A1": ["error"],
        "T-4@A1": ["skipped"],
    }
    (suite,) = root
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "5", "failures": "1", "errors": "2", "skipped": "1", "time": "6.005"}


def test_a_stale_task_that_the_profile_only_reports_is_skipped(make_task: Any, make_finding: Any) -> None:
    """A gate that passed is not shown as failed."""
    stale = make_task("T-1@A1", Verdict.STALE, make_finding(severity="stale", metric="replay", outcome=None))
    (suite,) = parsed(Run("pr", False, (stale,), Gate(True, 0, ())))
    assert [child.tag for child in suite[0]] == ["skipped"]


def test_a_failure_says_what_a_person_needs(failed: Run) -> None:
    """The message in the attribute; place, expected and got in the text."""
    failure = next(parsed(failed).iter("failure"))
    assert failure.get("message") == "fail: The answer cites too few local papers."
    assert failure.get("type") == "citation_contract.too_few_local_citations"
    assert "evals/retrieval/RET-02@A1.yaml:21" in (failure.text or "")
    assert "expected  at least 1 link to /paper/{id}" in (failure.text or "")


def test_what_xml_cannot_hold_is_spelled_out(failed: Run, make_finding: Any, make_task: Any) -> None:
    """Controls, surrogates, markup and the end of a CDATA section."""
    hostile = "\x00\x1b[31m ]]> <b> & \ud800 \ufffe \u202e"
    task = make_task("T-1@A1", Verdict.FAIL, make_finding(message=hostile, got=hostile))
    failure = next(parsed(replace(failed, tasks=(task,))).iter("failure"))
    assert "\\u0000" in (failure.text or "")
    assert "]]> <b> &" in (failure.text or "")


def test_bands_quarantines_and_decisions_are_properties_of_the_suite(make_task: Any) -> None:
    """What a reader should know of a task whatever its verdict, where the schema admits it."""
    task = make_task("T-1@A1", Verdict.PASS)
    border = replace(task.trials[0], verdict=Verdict.NEEDS_REVIEW, borderline=True)
    task = replace(task, trials=(border,), quarantine="until 2026-12-31 (ann): rebuilt", accepted="As good.")
    (suite,) = parsed(Run("pr", False, (task, make_task("T-2@A1", Verdict.PASS)), Gate(True, 0, ())))
    assert [(one.get("name"), one.get("value")) for one in suite.iter("property")] == [
        ("borderline T-1@A1", "1 of 1 trial"),
        ("quarantined T-1@A1", "until 2026-12-31 (ann): rebuilt"),
        ("accepted T-1@A1", "As good."),
    ]


@pytest.mark.parametrize(
    ("verdict", "code", "kind"), [(Verdict.PASS, 1, "failure"), (Verdict.NEEDS_REVIEW, 3, "error"), (None, 3, "error")]
)
def test_a_gate_that_fails_is_never_green(make_task: Any, verdict: Verdict | None, code: int, kind: str) -> None:
    """A selection, a verdict of `fail_on`, nothing judged: where no case is red, the gate is one."""
    tasks = (make_task("T-1@A1", verdict),) if verdict is not None else ()
    root = parsed(Run("pr", False, tasks, Gate(False, code, ("why it failed", "and more"))))
    *_, suite = root
    (case,) = suite
    assert (case.get("name"), case[0].tag, case[0].get("message")) == ("gate", kind, "the gate failed: why it failed")
    assert case[0].text == "why it failed\nand more"
    assert root.get("tests") == str(len(tasks) + 1)
    assert (root.get("failures"), root.get("errors")) == (("1", "0") if kind == "failure" else ("0", "1"))


def test_a_failure_that_a_passing_gate_lets_pass_is_skipped(make_task: Any, make_finding: Any) -> None:
    """What reads JUnit alone shows the gate's answer; the failure and that it does not block are in its words."""
    failed = make_task("T-1@A1", Verdict.FAIL, make_finding(), blocking=False)
    (suite,) = parsed(Run("pr", False, (failed,), Gate(True, 0, ())))
    assert [child.tag for child in suite[0]] == ["skipped"]
    assert "does not block" in str(suite[0][0].get("message"))
