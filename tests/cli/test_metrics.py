"""`tapegate metrics`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tapegate.cli.metrics import metrics
from tapegate.errors import LoadError, UsageError
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.manual import SECTIONS


def run(tmp_path: Path, *words: str) -> Result:
    """The command in a project of its own."""
    return CliRunner().invoke(metrics, ["--project", str(tmp_path), *words])


def test_every_metric_is_listed_with_its_version_and_summary(tmp_path: Path) -> None:
    """One line each."""
    done = run(tmp_path)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[oracle.name, str(oracle.version)] for oracle in CATALOG]


def test_json_holds_name_version_and_doc(tmp_path: Path) -> None:
    """The doc is the docstring with all its sections."""
    rows = json.loads(run(tmp_path, "--json").stdout)
    assert [list(row) for row in rows] == [["name", "version", "doc"]] * len(CATALOG)
    assert all(title in row["doc"] for row in rows for title in SECTIONS)


def test_one_metric_is_told_whole(tmp_path: Path) -> None:
    """By its name; a name that there is not is bad input, with the nearest."""
    done = run(tmp_path, "tool_trace")
    assert "Why it is deterministic\n" in done.stdout
    wrong = run(tmp_path, "tool_trac")
    assert isinstance(wrong.exception, UsageError)
    assert "did you mean 'tool_trace'?" in str(wrong.exception)


def test_the_page_is_the_docs_page(tmp_path: Path) -> None:
    """What stands in docs/metrics.md."""
    page = Path(__file__).parents[2] / "docs" / "metrics.md"
    assert run(tmp_path, "--page").stdout == page.read_text("utf-8")


def test_a_metric_of_the_project_that_breaks_a_rule_is_told(tmp_path: Path) -> None:
    """The command says what a run would say."""
    (tmp_path / "evals" / "oracles").mkdir(parents=True)
    (tmp_path / "evals" / "oracles" / "mine.py").write_text("x = 1\n")
    done = run(tmp_path)
    assert isinstance(done.exception, LoadError)
    with pytest.raises(LoadError, match="holds no metric"):
        raise done.exception
