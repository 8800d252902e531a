"""JUnit, held to the shape that Jenkins and GitLab read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from tapegate.model.finding import Verdict
from tapegate.model.run import Gate, Run
from tapegate.report.junit import render

TIME = re.compile(r"\d+\.\d{3}")
RESULT = (set(), {"type": None, "message": None}, {"type", "message"})
SHAPE: dict[str, tuple[set[str], dict[str, Any], set[str]]] = {
    "testsuites": ({"testsuite"}, {"name": None, "time": TIME, "tests": None, "failures": None, "errors": None}, set()),
    "testsuite": (
        {"testcase", "properties", "system-out", "system-err"},
        {"name": None, "tests": None, "failures": None, "errors": None, "skipped": None, "time": TIME},
        {"name", "tests", "failures", "errors"},
    ),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name": None, "time": TIME, "classname": None, "group": None},
        {"name", "classname"},
    ),
    "failure": RESULT,
    "error": RESULT,
    "skipped": RESULT,
}
"""Children, attributes and required attributes of each element: what Jenkins' schema junit-10 admits, less what we have
no use for, plus what GitLab needs (a name and a class of each case; it ignores the rest)."""


def misfits(element: ElementTree.Element) -> list[str]:
    """Everything that the shape does not admit."""
    children, attributes, required = SHAPE[element.tag]
    found = [f"{element.tag} has {name}" for name in element.attrib if name not in attributes]
    found += [f"{element.tag} lacks {name}" for name in required - element.attrib.keys()]
    for name, pattern in attributes.items():
        value = element.get(name)
        if pattern is not None and value is not None and not pattern.fullmatch(value):
            found.append(f"{element.tag}.{name} is {value!r}")
    for child in element:
        found += misfits(child) if child.tag in children else [f"{element.tag} holds {child.tag}"]
    return found


def parsed(run: Run) -> ElementTree.Element:
    """The document, which fits the shape."""
    root = ElementTree.fromstring(render(run))
    assert misfits(root) == []
    return root


@pytest.mark.parametrize(
    "broken",
    [
        "<testsuites><testcase name='a' classname='b'/></testsuites>",
        "<testsuite name='a' tests='1' failures='0' errors='0' odd='1'/>",
        "<testsuite name='a' tests='1' failures='0' errors='0' time='1 s'/>",
        "<testcase name='a'/>",
    ],
)
def test_the_shape_refuses_what_does_not_fit(broken: str) -> None:
    """The check is a check: each defect is told."""
    assert misfits(ElementTree.fromstring(broken))


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
