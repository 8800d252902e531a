"""What only the rooms that run a suite can judge of its config."""

from __future__ import annotations

from tapegate.run import check


def test_a_config_that_can_run_has_no_problem(kit):
    """Nothing is said of what is right."""
    assert list(check.problems(kit.suite())) == []


def test_dialects_and_paths_are_checked_where_they_stand(kit):
    """Exit 2 at the line of the config, before anything runs."""
    kit.subject["stream"] = "mixd"
    kit.config["normalisers"] = [
        {"service": "model", "path": "messages[*].id", "reason": "made anew"},
        {"service": "model", "path": "messages[", "reason": "broken"},
    ]
    suite = kit.suite()
    dialect, path = check.problems(suite)
    text = (kit.root / "evals/tapegate.yaml").read_text().splitlines()
    assert dialect.file == path.file == "evals/tapegate.yaml"
    assert dialect.line is not None
    assert path.line is not None
    assert "mixd" in text[dialect.line - 1]
    assert "messages[" in text[path.line - 1]
    assert "'mixd'" in dialect.message
    assert "'messages['" in path.message
