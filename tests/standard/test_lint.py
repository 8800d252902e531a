"""Every check of lint: silent on a sound project, and red when what it checks is broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem
from tapegate.standard.checks import CHECKS
from tapegate.standard.lint import lint

ROOT = Path(__file__).parents[2]
TASK = "evals/retrieval/RET-01@P1.yaml"
CONFIG = "evals/tapegate.yaml"
FOLDER = "cassettes/retrieval/RET-01@P1"
CASSETTE = f"{FOLDER}/trial-1.yaml"
PINS = f"{FOLDER}/pins.json"

MAIN_PROMPT = ["RET-01", "RET-02", "RET-03", "RET-04", "RET-05", "AGT-08"]


def test_a_sound_project_is_clean(bench: Any) -> None:
    """No finding, no note, nothing skipped, exit code 0."""
    report = bench.lint()
    assert (report.findings, report.skipped, report.exit_code, report.tasks) == ((), (), 0, 1)


def test_the_shipped_project_has_no_finding() -> None:
    """This repository passes its own lint."""
    if not (ROOT / CONFIG).exists():
        pytest.skip("the repository has no evals yet")
    report = lint(ROOT)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert report.exit_code == 0


def test_checks_have_ids_of_their_own() -> None:
    """Two checks of one id could not be told apart; each says in a sentence what it holds."""
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert all(check.doc.endswith(".") and check.id.isidentifier() for check in CHECKS)


def _break_input(bench: Any) -> None:
    bench.swap(TASK, "single_turn", "single_trun")


def _break_contract(bench: Any) -> None:
    bench.swap(TASK, "[tool_trace]", "[tool_trase]")


def _break_dialect(bench: Any) -> None:
    bench.config("stream: text", "stream: txet")


def _break_scope_file(bench: Any) -> None:
    (bench.root / "src/agent.py").unlink()


def _break_scope_glob(bench: Any) -> None:
    (bench.root / "src/prompts/deep/main.md").rename(bench.root / "src/prompts/deep/main.txt")


def _break_scope_folder(bench: Any) -> None:
    bench.config("src/agent.py", "src/prompts/")


def _break_scope_evals(bench: Any) -> None:
    bench.config("subjects:", "  P2: {title: x, status: planned, files: [src/agent.py], subject: desk}\nsubjects:")


def _break_profile_name(bench: Any) -> None:
    bench.config("subjects:", "profiles: {nigthly: {}}\nsubjects:")


def _break_profile(bench: Any) -> None:
    bench.config("subjects:", "profiles: {pr: {partial: true}}\nsubjects:")


def _break_cassette(bench: Any) -> None:
    bench.put(CASSETTE, (bench.root / CASSETTE).read_bytes()[:-20])


def _remove_cassette(bench: Any) -> None:
    (bench.root / CASSETTE).unlink()


def _break_pins(bench: Any) -> None:
    bench.put(PINS, "{")


def _unpin(bench: Any) -> None:
    (bench.root / PINS).unlink()


def _stray(bench: Any) -> None:
    bench.put("cassettes/retrieval/RET-01@P1/old.yaml", "x")


def _orphan(bench: Any) -> None:
    bench.record("RET-09@P1")


def _moved_suite(bench: Any) -> None:
    bench.record("RET-01@P1", suite="elsewhere")


def _secret(bench: Any) -> None:
    bench.record("RET-01@P1", b'{"key": "AKIA' + b'QYLPMN5HHHFPZAM2"}')


def _unrecorded(bench: Any) -> None:
    bench.swap(TASK, "grading:", "trials: 3\ngrading:")


def _declare_row(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: content_filter")


def _soften_mandatory(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.swap(TASK, "grading:", "blocking: false\ngrading:")


def _forget_row(bench: Any) -> None:
    bench.config("subjects:", "  A3: {title: x, status: planned, files: [src/agent.py], subject: desk}\nsubjects:")


DEFECTS = [
    (_break_input, "readable", "unreadable", "unknown_value", TASK, 4, "did you mean 'single_turn'?"),
    (_break_contract, "contract", "unreadable", "unknown_metric", TASK, 10, ""),
    (_break_dialect, "dialects", "unreadable", "unknown_dialect", CONFIG, 12, "did you mean 'text'?"),
    (_break_scope_file, "scope_files", "finding", "scope_files", CONFIG, 6, "correct it"),
    (_break_scope_glob, "scope_files", "finding", "scope_files", CONFIG, 6, "correct it"),
    (_break_scope_folder, "scope_files", "finding", "scope_files", CONFIG, 6, "write src/prompts/**"),
    (_break_scope_evals, "scope_evals", "finding", "scope_evals", CONFIG, 8, "evals/<suite>/<id>@P2.yaml"),
    (_declare_row, "inventory", "finding", "missing_eval", CONFIG, 8, "evals/<suite>/AGT-15@P1.yaml"),
    (_declare_row, "methods", "finding", "missing_method", CONFIG, 8, "declare the metric"),
    (_soften_mandatory, "mandatory", "finding", "mandatory_not_blocking", TASK, 9, "remove `blocking: false`"),
    (_forget_row, "inventory_declared", "note", "inventory_undeclared", CONFIG, 8, "add `inventory: A3`"),
    (_break_profile_name, "profile_names", "note", "misspelt_profile", CONFIG, 8, "rename it to 'nightly'"),
    (_break_profile, "profile_whole", "finding", "partial_pr", CONFIG, 8, "remove `partial: true`"),
    (_break_cassette, "recordings_trusted", "unreadable", "hash_mismatch", CASSETTE, None, ""),
    (_remove_cassette, "recordings_trusted", "unreadable", "missing", CASSETTE, None, ""),
    (_break_pins, "recordings_trusted", "unreadable", "pins_corrupt", PINS, 1, ""),
    (_unpin, "recordings_pinned", "finding", "unpinned", CASSETTE, None, ""),
    (_stray, "recordings_pinned", "finding", "stray_file", f"{FOLDER}/old.yaml", None, "remove it"),
    (_orphan, "recordings_orphans", "finding", "orphan_cassette", "cassettes/retrieval/RET-09@P1", None, "restore"),
    (
        _moved_suite,
        "recordings_orphans",
        "finding",
        "orphan_cassette",
        "cassettes/elsewhere/RET-01@P1",
        None,
        "restore",
    ),
    (_secret, "recordings_secrets", "unreadable", "secret_found", CASSETTE, None, "revoke the key"),
    (_unrecorded, "recordings_made", "note", "not_recorded", TASK, 9, "tapegate record RET-01@P1 --missing"),
]


@pytest.mark.parametrize(
    ("defect", "check", "severity", "code", "file", "line", "fix"),
    DEFECTS,
    ids=[f"{row[0].__name__.strip('_')}-{row[3]}" for row in DEFECTS],
)
def test_a_defect_turns_its_check_red(
    defect: Callable[[Any], None],
    check: str,
    severity: str,
    code: str,
    file: str,
    line: int | None,
    fix: str,
    bench: Any,
) -> None:
    """Each check finds what it is for, at its place, with its fix; the exit code follows from the worst."""
    defect(bench)
    report = bench.lint()
    found = [finding for finding in report.findings if finding.id == code]
    assert [(each.check, each.severity, each.file, each.line) for each in found] == [(check, severity, file, line)]
    assert fix in found[0].fix
    worst = {"unreadable": 2, "finding": 1, "note": 0}
    assert report.exit_code == max(worst[each.severity] for each in report.findings) >= worst[severity]


def test_every_check_has_a_defect_that_it_finds() -> None:
    """No check is in the registry without a row above."""
    assert {row[1] for row in DEFECTS} == {check.id for check in CHECKS}


def test_a_secret_is_found_also_where_nothing_vouches_for_the_file(bench: Any) -> None:
    """An unpinned recording is searched as bytes; the value is never shown."""
    _secret(bench)
    _unpin(bench)
    report = bench.lint()
    assert {finding.id for finding in report.findings} >= {"unpinned", "secret_found"}
    assert "QYLPMN5HHHFPZAM2" not in str(report)


@pytest.mark.parametrize("name", MAIN_PROMPT)
def test_each_mandatory_eval_is_missed(name: str, bench: Any, row: Callable[[str], None]) -> None:
    """A path that declares row A1 has all six evals; the one that is missing is named, and no other."""
    row("A1")
    for eval_id in MAIN_PROMPT:
        bench.task(f"{eval_id}@P1")
    assert not [found for found in bench.lint().findings if found.id == "missing_eval"]
    (bench.root / f"evals/retrieval/{name}@P1.yaml").unlink()
    (found,) = [found for found in bench.lint().findings if found.id == "missing_eval"]
    assert name in found.message
    assert (found.file, found.line, found.severity) == (CONFIG, 8, "finding")
    assert f"evals/<suite>/{name}@P1.yaml" in found.fix


def test_an_eval_on_another_path_does_not_count(bench: Any, row: Callable[[str], None]) -> None:
    """The inventory is per path: the same id elsewhere fulfils nothing."""
    bench.config("subjects:", "  P2: {title: x, status: y, files: [src/agent.py], subject: desk}\nsubjects:")
    row("A1")
    bench.task("RET-02@P2")
    assert "RET-02" in " ".join(found.message for found in bench.lint().findings if found.id == "missing_eval")


def test_each_required_method_is_missed(bench: Any, row: Callable[[str], None]) -> None:
    """Row A1 wants tool trace, citations and hygiene; what no eval declares is named with its methods."""
    row("A1")
    found = [found.message for found in bench.lint().findings if found.id == "missing_method"]
    assert len(found) == 2
    assert "citation_contract (citation URL validation)" in found[0]
    assert "output_hygiene (output hygiene regex checks)" in found[1]


def test_a_mandatory_eval_blocks(bench: Any, row: Callable[[str], None]) -> None:
    """`blocking: false` on a mandatory eval is a finding; on any other it is the author's business."""
    bench.swap(TASK, "grading:", "blocking: false\ngrading:")
    assert bench.told() == []
    row("A1")
    assert ("finding", "mandatory_not_blocking", TASK, 9) in bench.told()


def test_an_undeclared_row_is_noted(bench: Any) -> None:
    """A path that is called like a row of the standard's and declares none gets a note, which fails nothing."""
    bench.config("P1", "A1")
    (bench.root / TASK).unlink()
    bench.task("RET-01@A1")
    assert ("note", "inventory_undeclared", CONFIG, 4) in bench.told()
    bench.config("subject: desk", "subject: desk\n    inventory: A1")
    assert "inventory_undeclared" not in {code for _, code, _, _ in bench.told()}


@pytest.mark.parametrize(
    ("name", "near"),
    [("PR", True), ("Weekly", True), ("weekley", True), ("prod", False), ("monthly", False), ("pr", False)],
)
def test_a_profile_of_ones_own_is_no_misspelling(name: str, near: bool, bench: Any) -> None:
    """Only names that are nearly a standard profile's are noted; projects may have profiles of their own."""
    bench.config("subjects:", f"profiles: {{{name}: {{}}}}\nsubjects:")
    assert ("misspelt_profile" in {code for _, code, _, _ in bench.told()}) is near


@pytest.mark.parametrize(
    "pattern", ["src/agent.py", "src/*.py", "**/agent.py", "src/prompts/**", "app/[id]/page.tsx", ".hidden/*"]
)
def test_scope_patterns_that_match(pattern: str, bench: Any) -> None:
    """Paths, globs, brackets that are a folder's name, and hidden folders."""
    bench.put("app/[id]/page.tsx", "")
    bench.put(".hidden/x", "")
    bench.config("[src/agent.py", f"['{pattern}'")
    assert bench.told() == []


@pytest.mark.parametrize("pattern", ["src/*.ts", "app/[xy]/page.tsx", "a**b", "["])
def test_scope_patterns_that_match_nothing(pattern: str, bench: Any) -> None:
    """A pattern that no file matches is found, whatever it is made of."""
    bench.put("app/[id]/page.tsx", "")
    bench.config("[src/agent.py", f"['{pattern}'")
    assert bench.told() == [("finding", "scope_files", CONFIG, 6)]


def test_what_cannot_be_read_hides_no_other_problem(bench: Any) -> None:
    """Beside a broken task, the others' contracts and the recordings are checked; the rest is said to be skipped."""
    bench.put("evals/retrieval/RET-02@P1.yaml", "id: [")
    bench.task("RET-03@P1")
    bench.swap("evals/retrieval/RET-03@P1.yaml", "[tool_trace]", "[tool_trase]")
    _break_cassette(bench)
    _stray(bench)
    report = bench.lint()
    assert {found.id for found in report.findings} >= {"yaml_syntax", "unknown_metric", "hash_mismatch", "stray_file"}
    assert "scope_files" in report.skipped
    assert report.exit_code == 2


def test_a_half_read_project_finds_no_orphans(bench: Any) -> None:
    """The recordings of a task that cannot be read are not called orphans: the task may be sound but for a comma."""
    _break_input(bench)
    assert {code for _, code, _, _ in bench.told()} == {"unknown_value"}


def test_an_empty_folder_is_not_clean(tmp_path: Path) -> None:
    """No evals, no pass."""
    report = lint(tmp_path)
    assert report.exit_code == 2
    assert report.tasks == 0


def test_findings_are_sorted_by_place(bench: Any) -> None:
    """File, then line, whatever check found them."""
    _break_scope_evals(bench)
    _unrecorded(bench)
    _orphan(bench)
    places = [(file or "", line or 0) for _, _, file, line in bench.told()]
    assert places == sorted(places)
    assert len(places) == 3


def test_a_folder_that_is_no_key_is_told_once(bench: Any) -> None:
    """A recording room with a name that cannot be trusted is unreadable, and stops no other check."""
    bench.put("cassettes/retrieval/not a key/trial-1.yaml", "x")
    assert [(severity, code) for severity, code, _, _ in bench.told()] == [("unreadable", "path_escape")]


def test_a_check_that_breaks_is_not_silent(bench: Any) -> None:
    """An error in a check comes out: a check that could not be made has not passed."""

    def broken(ground: Any) -> list[Problem]:
        raise CassetteError(Problem("x", "y"))

    from tapegate.standard.check import Check

    with pytest.raises(CassetteError):
        lint(bench.root, checks=[Check("x", "y.", "note", broken)])


def test_lint_writes_nothing(bench: Any) -> None:
    """The project's files are the same before and after."""

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in bench.root.rglob("*") if path.is_file()}

    before = files()
    json.dumps([str(found) for found in bench.lint().findings])
    assert files() == before
