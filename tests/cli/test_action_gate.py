"""What the action's gate step makes of lint beside the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapegate.cli import action_gate
from tapegate.cli.action_gate import UNSEEN, _annotated, _code, _failing, _linted
from tapegate.cli.action_inputs import Inputs
from tapegate.errors import UsageError
from tapegate.github.evidence import UNCOVERED
from tapegate.model.finding import Finding, Verdict
from tapegate.model.run import Gate, Metrics, Run, TaskResult, TrialResult
from tapegate.standard.finding import LintFinding, LintReport

STALE = Finding("replay", "prompt_changed", "stale", "m", "evals/s/T@A1.yaml", 1, 1)
TRIAL = TrialResult(1, Verdict.STALE, None, (), "0" * 64, None, Metrics(), (STALE,))
TASK = TaskResult(
    "T@A1", "T", "s", "A1", "x", Verdict.STALE, None, (), blocking=True, metrics=Metrics(), trials=(TRIAL,)
)
RUN = Run("pr", False, (TASK,), Gate(False, 4, ()))
PASSED = replace(RUN, tasks=(replace(TASK, verdict=Verdict.PASS, trials=()),))


def report(*found: tuple[str, Any]) -> LintReport:
    """What lint found, by id and severity."""
    return LintReport(tuple(LintFinding(name, name, severity, "m", None, None, "") for name, severity in found), 1, ())


def test_a_change_that_is_stale_is_not_told_twice() -> None:
    """A prompt without its recordings is a 4 by the run; lint's 1 for the same would hide it. Others are 1."""
    uncovered = report((UNCOVERED, "finding"))
    assert _code(_failing(uncovered, RUN)) == 0
    assert _code(_failing(uncovered, PASSED)) == 1
    assert _code(_failing(report((UNCOVERED, "finding"), ("exact_strings", "finding")), RUN)) == 1


def test_what_a_description_may_have_answered_is_no_failure_in_a_merge_queue() -> None:
    """Its event has no description, and each pull request of it was held to that; what else lint finds still fails."""
    found = report((UNCOVERED, "finding"), ("eval_removed", "finding"), ("contract_unnoted", "finding"))
    assert [one.id for one in _failing(found, PASSED, queued=True)] == ["contract_unnoted"]
    assert len(_failing(found, PASSED)) == 3


def test_the_commits_of_a_shallow_checkout_answer_lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's own log of its HEAD has the merge alone."""
    heard: list[Any] = []
    (tmp_path / "event.json").write_text('{"pull_request": {"body": "By hand.", "head": {"sha": "%s"}}}' % ("cd" * 20))
    environ = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    monkeypatch.setattr(action_gate.CommitBase, "of", lambda *_: None)
    monkeypatch.setattr(action_gate, "messages", lambda _, base, head: (f"{base[:2]}..{head[:2]}",))
    monkeypatch.setattr(action_gate, "lint", lambda *_, described, **__: heard.append(described))
    _linted(Inputs.of({"GITHUB_WORKSPACE": str(tmp_path)}), "ab" * 20, environ)
    assert heard == [["By hand.", "ab..cd"]]


@pytest.mark.parametrize(("severity", "code"), [("note", 0), ("finding", 1), ("unreadable", 2)])
def test_lint_has_the_codes_of_its_own_command(severity: str, code: int) -> None:
    """A note fails nothing; what cannot be read is bad input."""
    assert _code(_failing(report(("x", severity)), PASSED)) == code
    assert _failing(None, PASSED) == ()


def test_every_finding_is_annotated_by_what_it_does() -> None:
    """An error where it fails the gate, a warning where the run has said it, a notice where it is a note."""
    told = report((UNCOVERED, "finding"), ("a", "finding"), ("b", "note"), (UNSEEN, "note"))
    kinds = {kind: len(lines) for found in _annotated(told, _failing(told, RUN), "") for kind, lines in found.items()}
    assert kinds == {"error": 1, "warning": 2, "notice": 1}


def test_a_change_that_cannot_be_looked_at_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the base's commit is not here; an error while the change is linted is none of that, and is raised."""
    inputs = Inputs.of({"GITHUB_WORKSPACE": str(tmp_path)})
    monkeypatch.setattr(
        action_gate, "lint", lambda *_, **words: report(("against", "note") if words else ("x", "note"))
    )
    assert [found.id for found in _linted(inputs, "", {}).findings] == ["x"]
    assert [found.id for found in _linted(inputs, "ab" * 20, {}).findings] == ["x", UNSEEN]
    monkeypatch.setattr(action_gate.CommitBase, "of", lambda *_: None)
    assert [found.id for found in _linted(inputs, "ab" * 20, {}).findings] == ["against"]

    def refuse(*_: Any, **__: Any) -> LintReport:
        raise UsageError.of("x", "y")

    monkeypatch.setattr(action_gate, "lint", refuse)
    with pytest.raises(UsageError):
        _linted(inputs, "ab" * 20, {})
