"""The compliance checklist: each question is answered from facts, yes and no."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from tapegate.standard import render
from tapegate.standard.answer import Answer

TASK = "evals/retrieval/RET-01@P1.yaml"


def answer(bench: Any, number: int) -> Answer:
    """One answer, for the project as it is now."""
    found: Answer = bench.lint().checklist[number - 1]
    assert found.number == number
    return found


def rule(bench: Any, line: str) -> None:
    """Declare the row of the main prompt, and put a line into the task."""
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.swap(TASK, "grading:", f"{line}\ngrading:" if line else "grading:")


def test_question_1(bench: Any) -> None:
    """No base, no answer; a change elsewhere is none; a change of a path is one, and its evals are named."""
    assert answer(bench, 1).answer == "not_asked"
    bench.remember()
    bench.put("docs/x.md", "x")
    assert answer(bench, 1) == Answer(
        1,
        "Does the change touch a path of the scope table?",
        "no",
        True,
        ("of 1 changed files none belongs to a path",),
    )
    bench.put("src/agent.py", "x")
    found = answer(bench, 1)
    assert (found.answer, found.complies) == ("yes", False)
    assert found.facts[0].startswith("eval_unchanged: ")
    assert found.facts[1] == "P1: src/agent.py changed; no eval and no recording changed with it"
    bench.record("RET-01@P1", b'{"again": 1}')
    found = answer(bench, 1)
    assert (found.answer, found.complies) == ("yes", True)
    assert found.facts == ("P1: src/agent.py changed; 1 recording (RET-01@P1) changed with it",)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("    inventory: A1\n", "", "paths.P1.inventory"),
        ("[src/agent.py, ", "[", "paths.P1.files"),
        ("status: active", "status: paused", "paths.P1.status"),
        ("{require_guard: namespace, fail_on: [needs_review]}", "{stale: report}", "profiles.pr"),
        ("profiles: {pr: {require_guard: namespace, fail_on: [needs_review]}}\n", "", "profiles.pr"),
        ("reason: no prompt", "reason: none at all", "unscoped"),
    ],
)
def test_a_change_of_the_scope_table_or_a_profile_is_a_fact(old: str, new: str, place: str, bench: Any) -> None:
    """What is held to the standard, and how strictly, does not change without a word."""
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.config("subjects:", "profiles: {pr: {require_guard: namespace, fail_on: [needs_review]}}\nsubjects:")
    bench.config("subjects:", "unscoped: [{files: [evals/tapegate.yaml], reason: no prompt}]\nsubjects:")
    bench.remember()
    assert answer(bench, 1).answer == "no"
    bench.config(old, new)
    found = answer(bench, 1)
    assert (found.answer, f"{place} of the config changed" in found.facts) == ("yes", True)
    assert json.loads(render.as_json(bench.lint()))["change"]["config"] == [place]


def test_a_row_of_the_inventory_goes_with_a_reason(bench: Any) -> None:
    """The path is named, and the reason has words."""
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.remember()
    bench.config("    inventory: A1\n", "")
    for said, found in (("P1 it is no agent now", False), ("P2 it is no agent now", True), ("P1 -", True)):
        ids = {each.id for each in bench.lint(f"Tapegate-Eval-Removed: {said}").findings}
        assert ("inventory_dropped" in ids) is found


def test_a_new_quarantine_is_a_fact_of_the_change(bench: Any) -> None:
    """What sets a failure aside touches a path and its gates; one that was there before is no news."""
    bench.remember()
    line = "quarantine: {reason: flaky search, owner: ann, until: '2026-01-31'}"
    bench.swap(TASK, "grading:", f"{line}\ngrading:")
    fact = "RET-01@P1 is quarantined until 2026-01-31 (ann): flaky search"
    assert (answer(bench, 1).answer, answer(bench, 1).facts) == ("yes", (fact,))
    assert fact in answer(bench, 6).facts
    report = bench.lint()
    assert "quarantined `until 2026-01-31 (ann): flaky search`" in render.markdown(report)
    assert json.loads(render.as_json(report))["change"]["evals"][0]["kind"] == "quarantined"
    shutil.rmtree(bench.root.parent / "base")
    bench.remember()
    assert (answer(bench, 1).answer, fact in answer(bench, 6).facts) == ("no", False)


def test_question_2(bench: Any) -> None:
    """Invariants that are scored are not apart."""
    assert answer(bench, 2).complies
    bench.put(
        TASK,
        (bench.root / TASK).read_text() + "  quality: {facts: [{name: no hidden tag leak, any_of: [clean]}]}\n",
    )
    found = answer(bench, 2)
    assert (found.answer, found.complies) == ("no", False)
    assert found.facts[0].startswith("quality_invariant: ")
    assert "1 task has quality facts, which decide nothing" in found.facts


def test_question_3(bench: Any) -> None:
    """Alternatives are counted; an answer held to one wording is none."""
    assert any("without any in RET-01@P1" in fact for fact in answer(bench, 3).facts)
    bench.swap(TASK, "- allowed_first", "- required_tools: [read_paper]\n    - allowed_first")
    found = answer(bench, 3)
    assert not any("without any" in fact for fact in found.facts)
    assert (found.answer, found.facts[0]) == ("yes", "1 task has several accepted outcomes, any of which may hold")
    bench.swap(TASK, "required_tools: [read_paper]", "required_slots: {facts: [{name: x, all: [a b c d]}]}")
    bench.swap(TASK, "[tool_trace]", "[tool_trace, schema_contract]")
    found = answer(bench, 3)
    assert (found.answer, found.complies) == ("no", False)


def test_question_4(bench: Any) -> None:
    """Every task has its deterministic metrics; what cannot be judged by them is told before any answer."""
    found = answer(bench, 4)
    assert (found.answer, found.complies) == ("yes", True)
    assert "all 1 tasks are judged by deterministic metrics (tool_trace in 1)" in found.facts
    bench.swap(TASK, "[tool_trace]", "[schema_contract]")
    found = answer(bench, 4)
    assert (found.answer, found.complies) == ("no", False)


def test_question_5(bench: Any) -> None:
    """A judge that blocks is none that complies."""
    assert answer(bench, 5).facts[0].startswith("none may be judged")
    terms = "{reason: rubric_calibration, justification: x, fallback: schema_contract}"
    bench.swap(TASK, "[search_local]", "[search_local]\n      required_slots: {sentences_max: 3}")
    bench.swap(TASK, "[tool_trace]", f"[tool_trace, schema_contract]\n  runtime_llm_judge: audit\n  judge: {terms}")
    found = answer(bench, 5)
    assert (found.answer, found.complies) == ("no", False)
    assert any("RET-01@P1 may be judged" in fact for fact in found.facts)
    bench.swap(TASK, "grading:", "blocking: false\ngrading:")
    assert answer(bench, 5).complies


def test_question_6(bench: Any) -> None:
    """A mandatory eval without an invariant is no hard gate; tasks without any are named."""
    found = answer(bench, 6)
    assert found.complies
    assert "0 of 1 tasks; none are asked of RET-01@P1" in found.facts[0]
    rule(bench, "")
    found = answer(bench, 6)
    assert (found.answer, found.complies) == ("no", False)
    bench.swap(TASK, "  accepted", "  required_invariants: [stream_complete]\n  accepted")
    bench.swap(TASK, "[tool_trace]", "[tool_trace, output_hygiene]")
    assert answer(bench, 6).complies


def test_what_cannot_be_read_is_not_answered(bench: Any) -> None:
    """Half a project answers nothing."""
    bench.swap(TASK, "single_turn", "two_turns")
    assert bench.lint().checklist == ()


@pytest.mark.parametrize("hostile", ["@everyone", "| x |", "![x](http://x)", "<img src=x>", "`x`", "::error::x"])
def test_markdown_is_inert(hostile: str, bench: Any) -> None:
    """Names of files, reasons and notes stand in code, where GitHub makes nothing of them."""
    bench.remember()
    bench.put(f"src/prompts/{hostile.replace('/', '-')}.md", "x")
    shown = render.markdown(bench.lint(f"Tapegate-Eval-Unchanged: {hostile} and more"))
    for line in shown.splitlines():
        outside = "".join(part for place, part in enumerate(line.split("`")) if place % 2 == 0)
        assert hostile.strip("`") not in outside or hostile == "`x`"
        assert not line.startswith("::")


def test_markdown_and_json_say_the_same(bench: Any) -> None:
    """The boxes of the one are the `complies` of the other; changed evals and their notes are in both."""
    bench.remember()
    bench.swap(TASK, "[search_local]", "[search_local, read_paper]")
    bench.swap(TASK, "grading:", "migrations: [{note: papers may be read first}]\ngrading:")
    report = bench.lint()
    shown, data = render.markdown(report), json.loads(render.as_json(report))
    assert [line[3] == "x" for line in shown.splitlines() if line.startswith("- [")] == [
        each["complies"] for each in data["checklist"]
    ]
    (changed,) = data["change"]["evals"]
    assert (changed["key"], changed["kind"]) == ("RET-01@P1", "contract")
    assert changed["changes"][0]["place"] == "expect.accepted_outcomes"
    assert changed["notes"] == [{"note": "papers may be read first", "deprecates": []}]
    assert "note: `papers may be read first`" in shown
    assert data["change"]["paths"] == []


def test_text_shows_the_checklist_where_a_change_was_named(bench: Any) -> None:
    """Without a base it would answer what nobody asked."""
    assert "1. Does the change" not in render.text(bench.lint())
    bench.remember()
    assert "1. Does the change touch a path of the scope table? no" in render.text(bench.lint())


def test_markdown_has_bounds(bench: Any) -> None:
    """A comment and a summary have room for so much: long lists end in how many more there are."""
    bench.remember()
    for number in range(60):
        bench.put(f"src/x{number:02}_prompt.md", "x")
        bench.put(f"src/prompts/{number:02}.md", "x")
    shown = render.markdown(bench.lint())
    assert "- and 11 more" in shown
    assert "and 50 more changed" in shown
