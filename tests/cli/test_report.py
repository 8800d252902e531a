"""`tapegate report` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.report import FORMATS, report
from tapegate.compare.differential_ab import compare
from tapegate.compare.side import Side
from tapegate.errors import BadInput, TapegateError
from tapegate.model.config import Profile
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.report import diff_file
from tapegate.report.results import Results, digest

FINDING = Finding("tool_trace", "path_not_allowed", "fail", "astray", "evals/s/RET-01@A1.yaml", 7, 1, got="[web]")


def a_run(verdict: Verdict) -> Run:
    """One task."""
    findings = (FINDING,) if verdict is Verdict.FAIL else ()
    outcome = 0 if verdict is Verdict.PASS else None
    metrics = Metrics(90, 10, 100, None, 500, 400, 1, 1)
    trial = TrialResult(1, verdict, outcome, ("search",), "a" * 64, "c" * 64, metrics, findings)
    task = TaskResult(
        "RET-01@A1",
        "RET-01",
        "s",
        "A1",
        "evals/s/RET-01@A1.yaml",
        verdict,
        outcome,
        ("searches",),
        True,
        metrics,
        (trial,),
        "e" * 64,
    )
    return Run("pr", False, (task,), Gate(verdict is Verdict.PASS, 0 if verdict is Verdict.PASS else 1, ()))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A base that passed and a head that failed, as results.json alone."""
    made = []
    for name, verdict in (("base", Verdict.PASS), ("head", Verdict.FAIL)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "results.json").write_bytes(Results.of(a_run(verdict)).to_bytes())
        made.append(folder)
    return made[0], made[1]


def run(*words: str | Path) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(report, [str(word) for word in words], catch_exceptions=False)


STARTS = {
    "terminal": "FAIL RET-01@A1",
    "json": '{\n  "gate"',
    "markdown": "## Tapegate: failed",
    "comment": "## Tapegate: not safe to merge",
    "html": "<!doctype html>",
    "junit": "<?xml",
    "sarif": '{\n  "$schema"',
    "github": "::error file=evals/s/RET-01@A1.yaml,line=7",
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_made_from_results_alone(form: str, folders: Any) -> None:
    """Without traces, recordings, evals or a base; exit 0 whatever the run came to."""
    done = run(folders[1], "--format", form)
    assert done.exit_code == 0
    assert done.output.startswith(STARTS[form])
    alone = run(folders[1] / "results.json", "--format", form)
    assert alone.output.replace("results.json", "") == done.output.replace("results.json", "")


def test_formats_are_what_they_say(folders: Any) -> None:
    """XML and JSON that parse, and the results themselves to the byte."""
    ElementTree.fromstring(run(folders[1], "--format", "junit").output)
    assert json.loads(run(folders[1], "--format", "sarif").output)["version"] == "2.1.0"
    assert run(folders[1], "--format", "json").output == (folders[1] / "results.json").read_text()


def test_a_base_makes_it_a_comparison(folders: Any) -> None:
    """Compared here with --base, or as `tapegate diff` left it beside the results: the same comment."""
    base, head = folders
    here = run(head, "--format", "comment", "--base", base).output
    assert "**1 task passed before and fails now.**" in here
    raws = [(folder / "results.json").read_bytes() for folder in folders]
    sides = [
        Side(str(folder), Results.parse(raw, "r").run(), digest(raw)) for folder, raw in zip(folders, raws, strict=True)
    ]
    (head / "diff.json").write_bytes(diff_file.to_bytes(compare(*sides, "pr", Profile())))
    assert run(head, "--format", "comment").output == here
    assert "regression" in run(head, "--format", "html").output


def test_a_comparison_of_other_results_is_refused(folders: Any) -> None:
    """A diff.json that an earlier run left would say of these results what it said of others; --base compares anew."""
    base, head = folders
    raw = (base / "results.json").read_bytes()
    side = Side("base", Results.parse(raw, "r").run(), digest(raw))
    (head / "diff.json").write_bytes(diff_file.to_bytes(compare(side, side, "pr", Profile())))
    for form in ("comment", "html", "sarif"):
        said = refused(head, "--format", form)
        assert "other_results" in said
        assert digest(raw) in said
    assert run(head, "--format", "comment", "--base", base).exit_code == 0


def test_a_history_that_holds_no_results_is_refused(folders: Any, tmp_path: Path) -> None:
    """As a base that holds none: nothing is left out in silence."""
    (tmp_path / "nothing").mkdir()
    for option in ("--history", "--base"):
        assert "no_results" in refused(folders[1], "--format", "html", option, tmp_path / "nothing")


def test_a_history_is_drawn(folders: Any) -> None:
    """Earlier runs as bars in the page."""
    page = run(folders[1], "--format", "html", "--history", folders[0], "--history", folders[1]).output
    assert "base: 1 of 1; head: 0 of 1; this run: 0 of 1" in page


def test_it_is_written_to_a_file(folders: Any, tmp_path: Path) -> None:
    """Whole, or not at all."""
    out = tmp_path / "deep" / "junit.xml"
    assert run(folders[1], "--format", "junit", "--out", out).output == ""
    assert out.read_text() == run(folders[1], "--format", "junit").output


def test_the_same_input_gives_the_same_bytes(folders: Any) -> None:
    """In every format."""
    for form in FORMATS:
        assert run(folders[1], "--format", form).stdout_bytes == run(folders[1], "--format", form).stdout_bytes


def test_how_far_a_judge_agrees_is_told(folders: Any) -> None:
    """Where the weekly audit left its findings beside the results; a file that is none of an audit is refused."""
    few = {"axis": "faithfulness_score", "n": 9, "agreed": 9, "table": [], "kappa": None, "kappa_exact": None}
    many = {"axis": "accuracy_score", "n": 36, "agreed": 33, "table": [], "kappa": 0.81, "kappa_exact": "81/100"}
    agreement = [{**many, "interval": [0.6, 0.95]}, {**few, "interval": None}]
    audit = {"schema": "tapegate.audit/1", "agreement": agreement, "drift": {}}
    (folders[1] / "audit.json").write_text(json.dumps(audit))
    page = run(folders[1], "--format", "html").output
    assert "agrees with the graders on accuracy in 33 of 36 pairs, kappa 0.81 (95 % interval 0.6 to 0.95)" in page
    assert "agrees with the graders on faithfulness in 9 of 9 pairs, no kappa of so few pairs" in page
    nothing = json.dumps({**audit, "agreement": [{**few, "n": 0, "agreed": 0, "interval": None}]})
    (folders[1] / "audit.json").write_text(nothing)
    assert (
        "no answer has a score of faithfulness by both judge and graders" in run(folders[1], "--format", "html").output
    )
    (folders[1] / "audit.json").write_text("{}")
    assert "bad_audit" in refused(folders[1], "--format", "html")


def refused(*words: str | Path) -> str:
    """What the command says where it refuses."""
    with pytest.raises(TapegateError) as caught:
        run(*words)
    assert isinstance(caught.value, BadInput)
    return str(caught.value)


def test_what_are_no_results_is_refused(folders: Any, tmp_path: Path) -> None:
    """Exit 2, with the file and what is wrong."""
    assert "no_results" in refused(tmp_path)
    assert "no_results" in refused(folders[1], "--base", tmp_path)
    (folders[1] / "diff.json").write_text("{}")
    assert "bad_diff" in refused(folders[1], "--format", "comment")
    (folders[1] / "results.json").write_text("[]")
    for form in ("json", "html"):
        assert "bad_results" in refused(folders[1], "--format", form)


def test_a_recording_is_shown_only_if_it_is_the_very_one(folders: Any, project: Any) -> None:
    """Raw interactions come from the project's recording where its bytes are those that were replayed."""
    import hashlib

    path = project.root / "cassettes/retrieval_prompt_paths/RET-03@A1/trial-1.yaml"
    whole = a_run(Verdict.PASS)
    task = whole.tasks[0]
    for sha256, shown in ((hashlib.sha256(path.read_bytes()).hexdigest(), True), ("f" * 64, False)):
        trial = replace(task.trials[0], cassette_sha256=sha256)
        told = replace(task, key="RET-03@A1", suite="retrieval_prompt_paths", trials=(trial,))
        (folders[1] / "results.json").write_bytes(Results.of(replace(whole, tasks=(told,))).to_bytes())
        page = run(folders[1], "--format", "html", "--project", project.root).output
        assert ('"raw":[{' in page) is shown
