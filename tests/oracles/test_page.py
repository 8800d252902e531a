"""The docs page of the metrics."""

from __future__ import annotations

from pathlib import Path

from tapegate.oracles.catalog import CATALOG, invariants
from tapegate.oracles.page import page

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_page_says_what_the_docstrings_say():
    """`tapegate metrics --page > docs/metrics.md` writes it; it is never edited by hand."""
    assert DOCS.read_text("utf-8") == page(CATALOG)


def test_every_metric_code_and_invariant_is_on_the_page():
    """With the line on what it means."""
    text = page(CATALOG)
    for oracle in CATALOG:
        assert f"\n## {oracle.name}\n" in text
        assert all(f"| `{code}` | {line} |" in text for code, line in oracle.codes.items())
    assert all(f"| `{name}` | {line} |" in text for name, line in invariants().items())


def test_the_page_changes_with_a_docstring(monkeypatch):
    """A test that held whatever the docstrings said would hold nothing."""
    before = page(CATALOG)
    monkeypatch.setattr(type(CATALOG[0]), "__doc__", (type(CATALOG[0]).__doc__ or "").replace("Which tools", "What"))
    assert page(CATALOG) != before
