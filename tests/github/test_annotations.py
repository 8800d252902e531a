"""Annotations on the lines of task files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapegate.github.annotations import of_problems, of_run
from tapegate.model.diff import Compared, Diff, Stratum, TaskDiff
from tapegate.model.finding import Verdict
from tapegate.model.problem import Problem
from tapegate.model.run import Gate, Run


def test_findings_stand_on_their_lines(failed: Run) -> None:
    """Each telling finding is one command; the failure comes before the stale task."""
    assert of_run(failed, "agents/") == [
        "::error file=agents/evals/retrieval/RET-02@A1.yaml,line=21,"
        "title=RET-02@A1%3A citation_contract too_few_local_citations::The answer cites too few local papers.%0A"
        "expected: at least 1 link to /paper/{id}%0Agot: none",
        "::error file=agents/evals/retrieval/AGT-08@A1.yaml,line=1,title=AGT-08@A1%3A replay prompt_changed::"
        "the system prompt changed%0A  messages[0].content:%0A    -Local first.%0A    +Web first.%0A"
        "fix: tapegate record AGT-08@A1 --stale",
    ]


def test_a_pass_is_silent(passed: Run) -> None:
    """Nothing is annotated where nothing is wrong."""
    assert of_run(passed) == []


def test_what_does_not_block_is_a_warning(failed: Run) -> None:
    """A task that cannot fail the gate does not show as an error."""
    tasks = tuple(replace(task, blocking=False) for task in failed.tasks)
    assert {line.split(" ")[0] for line in of_run(replace(failed, tasks=tasks, gate=Gate(False, 1, ())))} == {
        "::warning"
    }


def test_a_gate_that_passed_shows_no_error(failed: Run) -> None:
    """Where a profile only reports stale recordings, they warn."""
    stale = replace(failed, tasks=failed.tasks[:1], gate=Gate(True, 0, ()))
    assert [line.split(" ")[0] for line in of_run(stale)] == ["::warning"]


def test_a_gate_that_failed_shows_an_error(passed: Run) -> None:
    """Where no task says why it failed, as of a selection, its reasons do."""
    failed = replace(passed, gate=Gate(False, 1, ("a selection of the tasks was run", "100% of it")))
    assert of_run(failed) == [
        "::error title=Tapegate%3A the gate failed::a selection of the tasks was run%0A100%25 of it"
    ]


def test_what_blocks_comes_first_and_the_rest_warns(make_task: Any, make_finding: Any) -> None:
    """Of two regressions the one that blocks leads, whatever their keys; the other is no error."""
    tasks = [make_task(f"{key}@A1", Verdict.FAIL, make_finding(), blocking=key == "Z-1") for key in ("A-1", "Z-1")]
    changes = tuple(
        TaskDiff(
            *(task.key, task.key, task.file, task.blocking, Stratum.SAME_RECORDINGS, Verdict.PASS, Verdict.FAIL),
            *(None, (), (), (), ()),
        )
        for task in tasks
    )
    side = Compared("main", "", "", 2, None, True, 0)
    diff = Diff("pr", side, side, (), changes, (), (), (), Gate(False, 1, ()))
    lines = of_run(Run("pr", False, tuple(tasks), Gate(False, 1, ())), "", diff)
    assert [(line.split(" ")[0], "title=Z-1" in line) for line in lines] == [("::error", True), ("::warning", False)]


def test_what_was_missed_beside_a_failure_warns(make_task: Any, make_finding: Any) -> None:
    """The finding that failed is an error; the miss that explains it is a warning."""
    miss = make_finding(metric="replay", code="prompt_changed", severity="stale", outcome=None)
    task = make_task("RET-01@A1", Verdict.FAIL, miss, make_finding(code="path_not_allowed"))
    error, warning = of_run(Run("pr", False, (task,), Gate(False, 1, ())))
    assert (error.startswith("::error"), "path_not_allowed" in error) == (True, True)
    assert (warning.startswith("::warning"), "prompt_changed" in warning) == (True, True)


def test_ten_of_a_kind_are_shown_and_the_rest_counted(make_task: Any, make_finding: Any) -> None:
    """GitHub would drop the eleventh silently; we say how many there are."""
    tasks = tuple(make_task(f"T-{n:02}@A1", Verdict.FAIL, make_finding()) for n in range(25))
    lines = of_run(Run("pr", False, tasks, Gate(False, 1, ())))
    assert len(lines) == 10
    assert lines[-1] == "::error title=Tapegate::16 more findings are in the step summary"


def test_no_text_of_the_agents_makes_a_command_of_its_own(make_task: Any, make_finding: Any) -> None:
    """Line breaks, percent signs, colons and commas in what an agent said stay data."""
    bad = make_finding(message="x\n::set-env name=A::b\r::x 100%0A", got="##[error]", file="a,line=1:b.yaml")
    (line,) = of_run(Run("pr", False, (make_task("T@A", Verdict.FAIL, bad),), Gate(False, 1, ())))
    assert "\n" not in line
    assert "\r" not in line
    assert "100%250A" in line
    assert "file=a%2Cline=1%3Ab.yaml," in line


def test_no_text_moves_an_annotation_elsewhere(make_task: Any, make_finding: Any) -> None:
    """Runners disagree on which `::` ends the properties: there is one alone, whatever an agent said."""
    bad = make_finding(message="a::b,file=other.yaml,line=1:::c", got="x,title=y::", file="f::g.yaml")
    (line,) = of_run(Run("pr", False, (make_task("T@A", Verdict.FAIL, bad),), Gate(False, 1, ())))
    assert line.startswith("::error file=f%3A%3Ag.yaml,line=21,title=T@A%3A ")
    assert line.removeprefix("::").count("::") == 1
    assert line.partition("too_few_local_citations::")[2].startswith("a: :b,file=other.yaml,line=1: : :c%0A")


def test_problems_of_inputs_are_annotated_too() -> None:
    """A task file that does not load is marked where it breaks."""
    problem = Problem("unknown_key", "'ids' is no key of a task", "evals/x.yaml", 3, 1, "did you mean 'id'?")
    assert of_problems([problem, Problem("vacuous_suite", "no task")], "p/") == [
        "::error file=p/evals/x.yaml,line=3,title=Tapegate%3A unknown_key::'ids' is no key of a task%0A"
        "fix: did you mean 'id'?",
        "::error title=Tapegate%3A vacuous_suite::no task",
    ]
