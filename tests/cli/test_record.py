"""`tapegate record` on the command line: where it refuses."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tapegate.cli.recording import PR_EVENTS, Recording, record_tasks
from tapegate.errors import UsageError

ROOT = Path(__file__).parents[2]
FLAGS = list(product(["missing", "stale", "all", None], [None, "live", "scripted"], [None, "0", "100"]))


@pytest.mark.parametrize("event", sorted(PR_EVENTS))
def test_nothing_is_recorded_in_an_event_of_a_pull_request(event: str) -> None:
    """Whatever the flags, and before anything is read: no code of a stranger's reaches a provider."""
    for which, source, cap in FLAGS:
        words = Recording(("RET-01",), Path("/nowhere"), Path("evals"), which, source, 1, cap, quiet=True)
        with pytest.raises(UsageError, match="nothing is recorded in a") as caught:
            record_tasks(words, {"GITHUB_EVENT_NAME": event})
        assert caught.value.problems[0].code == "recording_in_pr"


@pytest.mark.parametrize(
    "event",
    ["pull_request", "pull_request_target", "pull_request_review", "issue_comment", "merge_group", "workflow_run"],
)
def test_every_event_that_a_stranger_can_bring_about_is_one(event: str) -> None:
    """A merge group holds a pull request's code, and a fork can start a workflow_run."""
    assert event in PR_EVENTS
