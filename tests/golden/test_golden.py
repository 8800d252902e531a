"""What every report says of seven runs. A change here is a change of behaviour: review it as one.

`TAPEGATE_GOLDEN=write pytest tests/golden` writes the files anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapegate.github.annotations import of_run
from tapegate.report import comment, diff_file, junit, markdown, sarif, terminal, terminal_diff
from tapegate.report.page.render import render as page
from tapegate.report.results import Results

HERE = Path(__file__).parent
SMALL = ("all_pass", "regressions", "re_recorded", "stale", "needs_review", "nothing_judged")


def agrees(path: Path, text: str) -> None:
    """A report is what it was when it was reviewed."""
    if os.environ.get("TAPEGATE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


TEXTS: dict[str, Callable[[Any], str]] = {
    "comment.md": lambda one: comment.render(one.diff, one.head, digest=one.digest),
    "terminal.txt": lambda one: terminal.render(one.head, one.digest) + "\n" + terminal_diff.render(one.diff, one.head),
    "summary.md": lambda one: markdown.render(one.head, one.digest),
    "junit.xml": lambda one: junit.render(one.head).decode(),
    "annotations.txt": lambda one: "".join(f"{line}\n" for line in of_run(one.head, "", one.diff)),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_run_is_told_as_it_was_reviewed(name: str, scenes: Any) -> None:
    """Comment, terminal, summary, JUnit and annotations, to the byte."""
    scene = scenes[name]()
    for file, render in TEXTS.items():
        agrees(HERE / name / file, render(scene))


def test_a_thousand_tasks_make_a_short_comment(scenes: Any) -> None:
    """The comment stays short, and every other report within its limit; their digests show a change."""
    scene = scenes["thousand"]()
    text = TEXTS["comment.md"](scene)
    agrees(HERE / "thousand" / "comment.md", text)
    assert len(text.encode()) < 25_000
    reports = {
        "results.json": Results.of(scene.head).to_bytes(),
        "diff.json": diff_file.to_bytes(scene.diff),
        "report.html": page(scene.head, scene.digest, scene.diff),
        "junit.xml": junit.render(scene.head),
        "results.sarif": sarif.render(scene.head, scene.diff),
        "report.md": markdown.render(scene.head, scene.digest).encode(),
    }
    assert len(reports["report.html"]) < 1_000_000
    facts = {
        name: f"{len(raw):,} bytes"
        for name, raw in reports.items()
        if name not in ("report.html", "results.json", "results.sarif")
    }
    agrees(HERE / "thousand" / "facts.json", json.dumps(facts, indent=2) + "\n")


@pytest.mark.parametrize("name", SMALL)
def test_reports_are_rendered_from_files_as_they_were_from_memory(name: str, scenes: Any) -> None:
    """results.json and diff.json hold all that the reports need."""
    scene = scenes[name]()
    run = Results.parse(Results.of(scene.head).to_bytes(), "results.json").run()
    diff = diff_file.parse(diff_file.to_bytes(scene.diff), "diff.json")
    assert (run, diff) == (scene.head, scene.diff)
    for render in TEXTS.values():
        assert render(type(scene)(run, scene.digest, diff)) == render(scene)
