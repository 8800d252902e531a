"""The graph over the library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from paperdesk.paper import Paper, bundled
from paperdesk.rag.graph import PaperGraph

SRC = Path(__file__).parents[3] / "src"
PAPERS = [
    Paper("a", "Moss walls", "", 2000, "cooling", "Moss cools shelters."),
    Paper("b", "Moss roofs", "", 2000, "cooling", "Moss cools roofs."),
    Paper("c", "Ferry noise", "", 2000, "noise", "Porpoises hear ferries."),
]


def test_near() -> None:
    """A question's terms lead to the papers that hold them, more weakly to those that share terms with these."""
    near = PaperGraph(PAPERS).near("Which shelters are there?")
    assert near["a"] > near["b"] > 0
    assert "c" not in near
    assert PaperGraph(PAPERS).near("quantum zebra") == {}


def test_themes() -> None:
    """Papers that share terms are one theme, named by the terms that bind it; the largest comes first."""
    themes = PaperGraph(PAPERS).themes()
    assert [theme.papers for theme in themes] == [("a", "b"), ("c",)]
    assert {"moss", "cool"} & set(themes[0].terms[:3])


def test_no_papers() -> None:
    """An empty library has an empty graph; a paper without words is in no theme."""
    assert PaperGraph([]).themes() == []
    assert PaperGraph([Paper("x", "", "", 0, "", "")]).near("moss") == {}


def test_every_paper_is_in_a_theme() -> None:
    """The themes of the bundled library hold each of its papers once."""
    papers = [paper for theme in PaperGraph(bundled()).themes() for paper in theme.papers]
    assert sorted(papers) == [paper.id for paper in bundled()]


def test_the_same_for_every_hash_seed() -> None:
    """The order of sets, which differs from process to process, changes nothing."""
    script = (
        "from paperdesk.paper import bundled; from paperdesk.rag.graph import PaperGraph;"
        "g = PaperGraph(bundled()); print(g.themes(), sorted(g.near('water nights').items()))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(seen) == 1
