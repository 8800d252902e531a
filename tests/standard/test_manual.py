"""The pages on lint and on the standard are what the code makes of them, and miss nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tapegate.standard import manual
from tapegate.standard.checks import CHECKS
from tapegate.standard.fix import FIXED
from tapegate.standard.sentences import SENTENCES

ROOT = Path(__file__).parents[2]
STANDARD = ROOT.parent / "shared" / "spec" / "agent-evaluation-standard.md"

COUNTS = {
    "Overview": 1,
    "Scope": 2,
    "Non-Negotiable Requirements": 6,
    "Flexibility Standard": 4,
    "Flexibility Standard, rules": 5,
    "Runtime LLM Minimization Policy": 6,
    "Runtime LLM Minimization Policy, allowed": 2,
    "Runtime LLM Minimization Policy, disallowed": 3,
    "Required Test Case Schema": 1,
    "Mandatory Eval Inventory, A1 and A2, evals": 6,
    "Mandatory Eval Inventory, A1 and A2, methods": 3,
    "Mandatory Eval Inventory, A3, evals": 3,
    "Mandatory Eval Inventory, A3, methods": 3,
    "Mandatory Eval Inventory, A4, evals": 4,
    "Mandatory Eval Inventory, A4, methods": 3,
    "Mandatory Eval Inventory, A5, evals": 3,
    "Mandatory Eval Inventory, A5, optional": 1,
    "Mandatory Eval Inventory, A5, note": 1,
    "Mandatory Eval Inventory, A6, evals": 3,
    "Mandatory Eval Inventory, A6, methods": 2,
    "Mandatory Eval Inventory, guardrails, evals": 2,
    "Mandatory Eval Inventory, guardrails, methods": 2,
    "Required Metrics and Oracles": 9,
    "Required Metrics and Oracles, new metrics": 3,
    "CI Gate Profiles": 3,
    "Change Control Requirements": 4,
    "Change Control Requirements, judges": 3,
    "Compliance Checklist": 6,
}
"""How many numbered sentences each list of the standard has; a paragraph that binds counts as one."""

UNNUMBERED = {"Overview": 1, "Scope": 2, "Required Test Case Schema": 1, "Mandatory Eval Inventory, A5, note": 1}
"""What binds there stands in a table or a paragraph."""


def numbers() -> dict[str, list[int]]:
    """The numbers that the table has of each section, each once."""
    found: dict[str, set[int]] = {}
    for sentence in SENTENCES:
        found.setdefault(sentence.section, set()).add(int(re.match(r"\d+", sentence.number)[0]))  # type: ignore[index]
    return {section: sorted(each) for section, each in found.items()}


@pytest.mark.parametrize("name", manual.PAGES)
def test_a_page_is_what_the_code_makes_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tapegate.standard.manual` writes it; a change of a check is a change of its page."""
    assert (ROOT / "docs" / name).read_text() == manual.PAGES[name]()
    assert manual.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_a_stale_page_is_named_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check mode says which page is old and how it is made; without it the page is made."""
    monkeypatch.setattr(manual, "HERE", tmp_path)
    assert manual.main(["--check"]) == 1
    assert "docs/lint.md is not what the code makes of it" in capsys.readouterr().err
    assert manual.main([]) == 0
    assert manual.main(["--check"]) == 0


def test_every_check_has_its_entry() -> None:
    """A heading that findings link to, a sentence, how it decides, and each of its ids."""
    page = manual.lint_page()
    for check in CHECKS:
        (entry,) = re.findall(rf"^## {check.id}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert check.doc in entry
        assert (check.find.__doc__ or "").split()[0] in entry
        assert [code for code in check.codes if f"| `{code}` |" not in entry] == []
    assert page.count("`--fix`: ") == len(FIXED)


def test_the_table_has_every_sentence_of_the_standard() -> None:
    """Each number of each list, none twice but for the points of one."""
    assert numbers() == {section: list(range(1, count + 1)) for section, count in COUNTS.items()}
    assert [ref for ref, count in Counter(sentence.ref for sentence in SENTENCES).items() if count > 1] == []


def test_the_lists_are_those_of_the_standard() -> None:
    """Read from its text: as many numbered lists, each as long, in the same order."""
    if not STANDARD.exists():
        pytest.skip("the standard's text is not on this machine")
    runs: list[int] = []
    text = re.sub(r"```.*?```", "", STANDARD.read_text().split("## Scope")[1], flags=re.S)
    for number in map(int, re.findall(r"^(\d+)\. ", text, re.M)):
        runs += [1] if number == 1 else []
        runs[-1] = number
    assert runs == [count for section, count in COUNTS.items() if section not in UNNUMBERED]


def test_the_points_under_a_number_are_those_of_the_standard() -> None:
    """The guardrails' evals have three each, the PR gate two; two methods are asked for in one breath."""
    points = Counter(re.sub(r"[a-z]$", "", one.ref) for one in SENTENCES if one.number[-1].isalpha())
    section = "Mandatory Eval Inventory, guardrails, evals"
    assert points == {
        f"{section} 1": 3,
        f"{section} 2": 3,
        "Mandatory Eval Inventory, A3, methods 1": 2,
        "Mandatory Eval Inventory, A6, methods 2": 2,
        "Mandatory Eval Inventory, guardrails, methods 1": 2,
        "CI Gate Profiles 1": 2,
        "CI Gate Profiles 2": 1,
        "CI Gate Profiles 3": 1,
    }


def test_every_sentence_is_enforced_or_says_why_not() -> None:
    """By a check that there is, or in words; and proven by a defect of that check, by a test, or by both."""
    known = {check.id for check in CHECKS}
    for sentence in SENTENCES:
        assert set(sentence.checks) <= known, sentence.ref
        assert sentence.checks or sentence.by or sentence.tests, sentence.ref
        assert sentence.checks or sentence.tests, sentence.ref
        assert sentence.gist.endswith("."), sentence.ref


def test_every_check_enforces_a_sentence_or_guards_the_tape() -> None:
    """The others hold what the standard takes for granted: that input can be read and recordings be trusted."""
    named = {check for sentence in SENTENCES for check in sentence.checks}
    tape = {"recordings_trusted", "recordings_pinned", "recordings_secrets", "recordings_orphans", "recordings_lanes"}
    evals = {"evals_secrets"}
    rubric = {"generation", "generation_left"}
    other = {"dialects", "inventory_declared", "quarantine", "matching", "normalisers", "tool_names"}
    assert {check.id for check in CHECKS} - named == {*tape, *evals, *rubric, *other}


def test_every_test_that_proves_something_is_there() -> None:
    """A test that was renamed or removed proves nothing any more."""
    missing = []
    for test in sorted({test for sentence in SENTENCES for test in sentence.tests}):
        file, *names = test.split("::")
        text = (ROOT / file).read_text() if (ROOT / file).exists() else ""
        found = [re.search(rf"^\s*(?:def|class) {name}\b", text, re.M) for name in names]
        if not text or not all(found):
            missing.append(test)
    assert missing == []


def test_nothing_of_the_standard_is_copied() -> None:
    """In our own words: no row shares a run of eight words with the standard's text."""
    if not STANDARD.exists():
        pytest.skip("the standard's text is not on this machine")

    def runs(text: str) -> set[str]:
        words = re.findall(r"[a-z0-9_-]+", text.lower())
        return {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}

    theirs = runs(STANDARD.read_text())
    assert [sentence.ref for sentence in SENTENCES if runs(f"{sentence.gist} {sentence.by}") & theirs] == []
