"""docs/forks.md, docs/security.md and docs/weekly-refresh.md: their numbers and options are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tapegate.cli import github
from tapegate.cli.recording import PR_EVENTS
from tapegate.cli.refreshing import RECORDINGS
from tapegate.cli.starting import STARTER
from tapegate.github import client, kept_results, patience, untrusted

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    """A page, on one line a paragraph."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", (DOCS / f"{name}.md").read_text("utf-8"))


def test_the_bounds_are_those_of_the_client() -> None:
    """Three tries, two minutes, 16 MB, 500 pages."""
    assert (patience.TRIES, patience.BUDGET_S, client.MOST_BYTES, client.MOST_PAGES) == (3, 120, 16_000_000, 500)
    assert untrusted.MOST_ZIPPED == 256_000_000
    said = "three tries, two minutes in all, 16 MB an answer, 500 pages, 256 MB an artifact"
    assert said in page("security")


def test_the_events_of_a_baseline_are_all_named() -> None:
    """And no other."""
    named = re.search(r"by an event that checks it out \((.*?)\)", page("security"))
    assert named is not None
    assert set(re.findall(r"`(\w+)`", named[1])) == kept_results.EVENTS


def test_nothing_is_pushed_where_nothing_is_recorded() -> None:
    """What is committed without being told is the folder that the page names."""
    assert "pull_request" in PR_EVENTS
    assert "below `cassettes`" in page("weekly-refresh")
    assert RECORDINGS == ("cassettes",)


def test_everything_that_a_workflow_wants_set_is_named() -> None:
    """Secrets, variables and environments: whoever sets it up finds each in the docs."""
    text = "".join(path.read_text("utf-8") for path in sorted((STARTER / "workflows").glob("*.yml")))
    wanted = {*re.findall(r"(?:secrets|vars)\.(\w+)", text), *re.findall(r"environment: (\S+)", text)}
    assert len(wanted) == 5
    said = page("set-up") + page("weekly-refresh")
    assert [name for name in sorted(wanted) if f"`{name}`" not in said] == []


@pytest.mark.parametrize("name", ["forks", "security", "weekly-refresh"])
def test_options_and_pages_that_are_named_exist(name: str) -> None:
    """Every `--option` is one of the commands that the page is about, every link leads somewhere."""
    known = {word for command in github.github.commands.values() for part in command.params for word in part.opts}
    of_others = {"--max-cost", "--services-of", "--record", "--all", "--out"}
    text = page(name)
    assert set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text)) <= known | of_others
    for target in re.findall(r"\]\(([\w./-]+?)(?:#[\w-]+)?\)", text):
        assert (DOCS / target).is_file(), target
    for mode in github.MODES if name == "forks" else ():
        assert f"`{mode}`" in text
