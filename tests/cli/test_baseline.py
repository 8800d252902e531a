"""The base of the action's comparison: where it comes from, in which order, and that it is never guessed."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tapegate.cli import baseline
from tapegate.cli.action_inputs import Inputs
from tapegate.cli.baseline import Found, base_side
from tapegate.cli.gate import _stricter
from tapegate.compare.side import Side
from tapegate.errors import TapegateError
from tapegate.model.config import Profile
from tapegate.model.run import Gate, Run
from tapegate.report.results import Results

SHA = "ab" * 20


@pytest.fixture
def worktree(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the run in a worktree; the commits that were run."""
    ran: list[str] = []

    def run(inputs: Inputs, sha: str, *_: Any) -> Side:
        ran.append(sha)
        return Side(sha, Run("pr", False, (), Gate(True, 0, ())), commit=sha)

    monkeypatch.setattr(baseline, "_of_worktree", run)
    return ran


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Results that a run has kept."""
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "results.json").write_bytes(Results.of(Run("pr", False, (), Gate(True, 0, ()))).to_bytes())
    return folder


def side(tmp_path: Path, found: Found, wanted: str = "auto") -> Side | None:
    """The base, as an input and the step before have it."""
    inputs = Inputs.of({"GITHUB_WORKSPACE": str(tmp_path), "INPUT_BASELINE": wanted})
    return base_side(inputs, found, 1, {}, tmp_path / "out")


def test_the_bases_own_results_come_before_a_worktree(tmp_path: Path, kept: Path, worktree: list[str]) -> None:
    """They are main's own, and cost nothing."""
    found = side(tmp_path, Found(SHA, kept, ()))
    assert found is not None
    assert (found.commit, found.problem, worktree) == (SHA, "", [])


def test_a_base_before_the_first_evals_is_said_to_be_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The change that brings a gate is compared with nothing, which asks nobody to create what it has created."""
    monkeypatch.setattr(baseline.worktree, "checked_out", lambda *_: nullcontext(tmp_path))
    found = side(tmp_path, Found(SHA, None, ()))
    assert found is not None
    assert (found.run, found.problem) == (None, "it has no evals yet: 'evals' is no folder there")


def test_a_worktree_stands_in_for_what_cannot_be_had(tmp_path: Path, worktree: list[str]) -> None:
    """Where there are no results, or none that read."""
    torn = tmp_path / "torn"
    torn.mkdir()
    (torn / "results.json").write_text("{")
    for results in (None, torn, tmp_path / "nowhere"):
        found = side(tmp_path, Found(SHA, results, ()))
        assert found is not None
        assert found.run is not None
    assert worktree == [SHA] * 3
    side(tmp_path, Found(SHA, None, ()), "worktree")
    assert len(worktree) == 4


def test_what_was_asked_for_alone_is_not_replaced(tmp_path: Path, worktree: list[str]) -> None:
    """`artifact` without one is unavailable, with every reason; nothing is run."""
    found = side(tmp_path, Found(SHA, None, ("no token", "no run")), "artifact")
    assert found is not None
    assert (found.run, found.problem, worktree) == (None, "no token; no run", [])


def test_a_base_that_is_not_known_is_said_to_be_so(tmp_path: Path, worktree: list[str]) -> None:
    """A checkout that is no merge commit has none: unavailable, never something near it."""
    found = side(tmp_path, Found("", None, ("it is no merge",)))
    assert found is not None
    assert (found.run, found.problem, worktree) == (None, "it is no merge", [])


def test_without_anything_to_compare_with_there_is_no_comparison(tmp_path: Path, worktree: list[str]) -> None:
    """A push, or `baseline: none`."""
    assert side(tmp_path, Found("", None, ())) is None
    assert side(tmp_path, Found(SHA, None, ("x",)), "none") is None
    assert worktree == []


def test_a_folder_that_is_named_is_taken_and_nothing_else(tmp_path: Path, kept: Path, worktree: list[str]) -> None:
    """Also in an event that has no base; one without results is unavailable."""
    found = side(tmp_path, Found("", None, ()), f"file:{kept.name}")
    assert found is not None
    assert found.run is not None
    nothing = side(tmp_path, Found(SHA, kept, ()), "file:elsewhere")
    assert nothing is not None
    assert "holds no results.json" in nothing.problem
    assert worktree == []


def test_what_the_step_before_found_is_read_as_it_was_told() -> None:
    """Nothing told is nothing found."""
    assert Found.of({}) == Found("", None, ())
    told = {"TAPEGATE_BASE": SHA, "TAPEGATE_BASE_RESULTS": "/x", "TAPEGATE_BASE_WHY": "a\n\nb\n"}
    assert Found.of(told) == Found(SHA, Path("/x"), ("a", "b"))


def test_an_installation_of_the_base_that_fails_costs_the_comparison(tmp_path: Path) -> None:
    """With what it said, and without a line of it in the log."""
    (tmp_path / "temp").mkdir()
    environ = {
        "PATH": "/usr/bin:/bin",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "INPUT_INSTALL": "echo x; echo ::error::y; exit 9",
    }
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nfor last; do :; done\nmkdir -p "$last/bin"\n')
    python.chmod(0o755)
    with pytest.raises(TapegateError, match=r"could not be installed: .*x / the command of the input") as caught:
        baseline._installed({**environ, "INPUT_PYTHON": str(python)}, tmp_path)
    assert "ended with 9" in str(caught.value)


def test_the_command_line_says_otherwise_than_the_profile() -> None:
    """`--stale` replaces what the profile says, `--fail-on` adds to it, and contracts.json keeps both."""
    words: Any = SimpleNamespace(stale="report", fail_on=("not_ready", "needs_review"))
    found = _stricter(Profile(fail_on=("needs_review",)), words)
    assert (found.stale, found.fail_on) == ("report", ("needs_review", "not_ready"))
    plain: Any = SimpleNamespace(stale=None, fail_on=())
    assert _stricter(Profile(stale="report"), plain) == Profile(stale="report")
    assert json.loads(found.model_dump_json(exclude_defaults=True)) == {
        "stale": "report",
        "fail_on": ["needs_review", "not_ready"],
    }
